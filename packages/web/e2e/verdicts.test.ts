// What the dashboard says of who is faster: in the API’s words, and nowhere else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { signedPercent } from '../src/text/format.ts';
import { outcomeNames } from '../src/text/vocabulary.ts';
import { byCondition, drawn, judgedStage, questionOf } from './judged-campaign.ts';
import type { Outcomes } from './made-rounds.ts';
import { invalid, madeMetrics } from './made-visits.ts';
import { openAll, texts } from './pages.ts';
import { press } from './reader.ts';

const judged = await judgedStage();
const { service } = judged;

const open = (hash = judged.hash) => judged.open(hash);

test(
  'the answer comes first: who won where, in the API’s verdicts and its milliseconds, and a row for each condition',
  proves('dashboard-results', 'verdicts'),
  async () => {
    const { results } = judged;
    await using page = await open(judged.hash.replace('/statistics', ''));
    await page.waitForSelector('.answer-table .word');
    const amounts = results.cells.map((group) => {
      const { shift, shiftAtMedian } = questionOf(group);
      return `${Math.abs(Math.round(shiftAtMedian ?? Number.NaN))} ms (${signedPercent(shift?.value ?? Number.NaN).slice(1)})`;
    });
    assert.equal(
      (await texts(page, '.answer .headline'))[0],
      `HTTP/3 is faster on poor by ${amounts[2]}; HTTP/2 on latency-50 by ${amounts[1]}. No difference on native. No clear difference on loss-2 and medium.`,
    );
    assert.equal((await texts(page, '.answer .confidence'))[0], '95 % confidence over all 5 comparisons.');
    assert.match(
      await page.$eval('.answer .confidence', (words) => (words as HTMLElement).title),
      /^All 5 comparisons together: at most 5 % of such campaigns name a false winner\./,
    );
    assert.deepEqual(
      await texts(page, '.answer-table .word'),
      results.cells.map((group) => outcomeNames[questionOf(group).verdict.outcome]),
    );
    assert.deepEqual(await page.$$eval('.answer-table .dot .mark', (marks) => marks.map((mark) => mark.getAttribute('class'))), [
      'mark equal',
      'mark proven protocol-h2',
      'mark proven protocol-h3',
      'mark open',
      'mark open',
    ]);
    // The chosen row is told in the API’s words.
    for (const [i, condition] of ['native', 'loss-2'].entries()) {
      await press(page, `.answer-table tr[data-condition="${condition} cold"] a`);
      const words = questionOf(results.cells[i === 0 ? 0 : 3] ?? assert.fail()).verdict.words;
      await page.waitForFunction(
        (wanted) => document.querySelector('.median-loads .cell-words')?.textContent?.replaceAll('\u00a0', ' ') === wanted,
        {},
        words,
      );
    }
  },
);

test('each cell begins with the API’s verdict, in its words and with a mark', proves('dashboard-results', 'verdicts'), async () => {
  const { results } = judged;
  const verdicts = results.cells.map((group) => questionOf(group).verdict);
  assert.deepEqual(
    verdicts.map(({ outcome }) => outcome),
    ['equivalent', 'h2-faster', 'h3-faster', 'inconclusive', 'inconclusive'],
  );
  await using page = await open();
  await drawn(page);
  assert.match((await texts(page, '.confidence.soft'))[0] ?? '', /^All 5 comparisons together: .* Corrected after Hommel\.$/);
  const shown = await page.$$eval('.cell-part', (groups) =>
    groups.map((group) => {
      const of = (selector: string) =>
        [...group.querySelectorAll(`.verdict ${selector}`)].map(({ textContent }) => (textContent ?? '').replaceAll('\u00a0', ' '));
      const isFirst = [...group.children].findIndex((child) => child.matches('.verdict')) === 1;
      return { isFirst, word: of('.word'), words: of('.words'), doubts: of('.doubts li'), more: of('.more-rounds') };
    }),
  );
  for (const [i, { isFirst, word, words, doubts, more }] of shown.entries()) {
    const verdict = verdicts[i];
    assert.ok(isFirst, 'only the name of the condition stands before it');
    assert.deepEqual(word, [verdict && outcomeNames[verdict.outcome]]);
    assert.equal([...words, ...doubts].join(' '), verdict?.words);
    assert.deepEqual(more, verdict?.moreRounds ? [verdict.moreRounds.words] : []);
  }
  assert.ok(shown[3]?.more.length === 1, 'noise is settled by more rounds');
  assert.match(shown[4]?.doubts.join() ?? '', /Not measured over HTTP\/3: \d+ of \d+ rounds/);

  const signs = await page.$$eval('.cell-part .verdict .outcome', (elements) =>
    elements.map((chip) => chip.querySelector('svg')?.innerHTML ?? chip.querySelector('.sign')?.textContent ?? ''),
  );
  assert.equal(new Set(signs).size, 4, 'each outcome has its own sign without its colour too');
});

test('nothing but verdicts says that something is faster', proves('dashboard-results', 'verdicts'), async () => {
  for (const part of ['', '/loads', '/statistics', '/quality']) {
    await using page = await open(judged.hash.replace('/statistics', part));
    await page.waitForSelector(
      `.results ${{ '': '.median-loads', '/loads': '.summary tbody tr', '/quality': '.settings' }[part] ?? '.cell-part'}`,
    );
    await openAll(page);
    const rest = await page.$eval('.results', (results) => {
      const copy = results.cloneNode(true) as HTMLElement;
      const verdicts =
        '.words, .question, .headline, .cell-words, .doubts, .outcome, .doubt, .overview td:nth-child(4), [role=tooltip], title';
      for (const verdict of copy.querySelectorAll(verdicts)) verdict.remove();
      // The ends of an axis, and a chart’s legend, name what stands there.
      for (const name of copy.querySelectorAll('.ends, .zone-name, .legend-words, svg .tick')) name.remove();
      return copy.textContent ?? '';
    });
    assert.doesNotMatch(rest, /faster|slower|quicker|better|worse|wins/i, part);
  }
});

test('while rounds are to come a verdict waits for them, and it is no trouble', proves('dashboard-results', 'verdicts'), async () => {
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://half.example/' }], protocols: ['h2', 'h3'], rounds: 8 });
  await service.perform(campaign, 7, byCondition);
  await using page = await open(`#/campaigns/${campaign.id}/statistics`);
  await page.waitForSelector('.cell-part .verdict');
  assert.deepEqual(await texts(page, '.verdict .word'), ['unfinished']);
  assert.match((await texts(page, '.cell-part .doubts')).join(), /^Not all rounds are done/);
  assert.equal(await page.$('.more-rounds, .results .trouble'), null);
  await service.perform(campaign, 1, byCondition);
  await page.waitForFunction(() => document.querySelector('.cell-part .verdict .word')?.textContent === 'equivalent');
});

test('a campaign until it is settled says what its verdict is made of', proves('dashboard-results', 'verdicts'), async () => {
  const request = { sites: [{ url: 'https://until.example/' }], protocols: ['h2', 'h3'] as ('h2' | 'h3')[], rounds: 10, maximumRounds: 60 };
  const campaign = await service.makeCampaign({ ...request, conditions: ['loss-2', 'native'] });
  await service.perform(campaign, 22, byCondition);
  await using page = await open(`#/campaigns/${campaign.id}/statistics`);
  await page.waitForSelector('.since-look');
  assert.match(
    (await texts(page, '.since-look')).join(),
    /of the 10 rounds until the last planned look; the medians are of all 1\d so far\.$/,
  );
});

test('no line of a verdict ends between a number and its unit, or within p < 0.0001', proves('dashboard-results', 'verdicts'), async () => {
  await using page = await open();
  await drawn(page);
  const prose = await page.$$eval('.verdict .words, .link, .intervals .numbers', (elements) =>
    elements.map((part) => part.textContent ?? ''),
  );
  assert.ok(prose.some((words) => /\d\u00a0%/.test(words) && /p\u00a0[<=]\u00a0/.test(words)));
  for (const words of prose) assert.doesNotMatch(words, / %|[<=] \d|\d ms/);
});

test(
  'without HTTP/3 beside HTTP/2 there is no verdict, and with one protocol no comparison',
  proves('dashboard-results', 'verdicts'),
  async () => {
    const without = await service.makeCampaign({ sites: [{ url: 'https://without.example/' }], protocols: ['h1', 'h2'], rounds: 1 });
    await service.perform(without, 1);
    await using page = await open(`#/campaigns/${without.id}`);
    await page.waitForSelector('.answer-table');
    assert.match((await texts(page, '.answer .headline')).join(), /^No verdict: .*secondary/);
    assert.deepEqual(await texts(page, '.answer-table thead .value'), ['HTTP/1.1', 'HTTP/2']);
    await page.goto(`${service.url}/#/campaigns/${without.id}/statistics`);
    await page.waitForSelector('.interval');
    assert.match((await texts(page, '.cell-part .verdict')).join(), /^No verdict: .*secondary/);
    assert.equal((await texts(page, '.intervals h4'))[0], 'HTTP/2 against HTTP/1.1');
    assert.equal(await page.$('.delta-part'), null);

    const alone = await service.makeCampaign({ sites: [{ url: 'https://alone.example/' }], protocols: ['h2', 'h2'], rounds: 6 });
    await service.perform(alone, 6);
    await using second = await open(`#/campaigns/${alone.id}/statistics`);
    await second.waitForSelector('.self-comparisons');
    assert.equal(await second.$('.verdict, .intervals, .comparisons'), null);
    assert.match((await texts(second, '.self-comparisons')).join(), /against itself.*HTTP\/2/s);
  },
);

test(
  'a difference without bound, because loads failed, reaches the end of its row’s plot',
  proves('dashboard-results', 'verdicts'),
  async () => {
    const [loaded, rounds] = [3, 12];
    const failing: Outcomes = (protocol, round, random) =>
      protocol === 'h3' && round > loaded
        ? [1, 2].map(() => invalid('load-timeout', 'No load event after 60 s.'))
        : [{ verdict: 'valid', metrics: madeMetrics(protocol, random) }];
    const campaign = await service.makeCampaign({
      name: 'times out',
      sites: [{ url: 'https://slow.example/' }],
      protocols: ['h2', 'h3'],
      rounds,
    });
    await service.perform(campaign, rounds, failing);
    await using page = await open(`#/campaigns/${campaign.id}`);
    await page.waitForSelector('.answer-table .verdict .outcome-inconclusive');
    assert.deepEqual(await texts(page, '.answer .headline'), ['HTTP/3 failed in 9 of 12 loads.']);
    assert.deepEqual(await texts(page, '.answer-table tbody .difference'), ['unbounded']);
    const [arrow, end] = await page.$eval('.answer-table tbody .plot', (plot) =>
      [plot.querySelector('.arrow'), plot].map((element) => element?.getBoundingClientRect().right ?? 0),
    );
    assert.ok(Math.abs((arrow ?? 0) - (end ?? 0)) <= 1, `the arrow ends at ${arrow}, the plot at ${end}`);
  },
);
