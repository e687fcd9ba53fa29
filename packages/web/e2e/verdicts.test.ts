import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CampaignResults, Comparison, GroupResults } from '@pronghorn/core';
import type { Browser, Page } from 'puppeteer-core';
import { pValue, signed, signedPercent } from '../src/text/format.ts';
import { metricNames, outcomeNames } from '../src/text/vocabulary.ts';
import { invalid, madeMetrics } from './made-visits.ts';
import { launchBrowser, openPage, texts } from './pages.ts';
import { type Outcomes, type Service, startService } from './service.ts';

let service: Service;
let browser: Browser;
before(async () => {
  service = await startService();
  browser = await launchBrowser();
});
after(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

const open = (hash: string) => openPage(browser, `${service.url}/${hash}`);

/** What each condition does to HTTP/3's onLoad, so that every outcome comes once; medium loses visits besides. */
const factorOf: Record<string, (random: () => number) => number> = {
  native: () => 1,
  'latency-50': () => 1.3,
  poor: () => 0.8,
  'loss-2': (random) => 0.7 + 0.7 * random(),
  medium: () => 0.8,
};
const conditions = Object.keys(factorOf);
const rounds = 10;

const byCondition: Outcomes = (protocol, roundNumber, random, condition) => {
  if (condition === 'medium' && protocol === 'h3' && roundNumber % 3 === 0)
    return [invalid('quic-error', 'made'), invalid('quic-error', 'made')];
  const metrics = madeMetrics(protocol, random);
  const onLoad = 400 * (1 + 0.02 * random()) * (protocol === 'h3' ? (factorOf[condition]?.(random) ?? 1) : 1);
  const largestContentfulPaint =
    condition === 'native' && protocol === 'h3' ? 0 : condition === 'poor' ? null : metrics.largestContentfulPaint;
  return [{ verdict: 'valid', metrics: { ...metrics, onLoad, largestContentfulPaint } }];
};

let judged: Promise<{ hash: string; results: CampaignResults }> | undefined;
/** Measured once for all tests. */
function judgedCampaign() {
  judged ??= (async () => {
    const sites = [{ url: 'https://shop.example/', name: 'shop' }];
    const campaign = await service.makeCampaign({ name: 'judged', sites, conditions, rounds, seed: 5 });
    await service.perform(campaign, rounds * conditions.length, byCondition);
    return { hash: `#/campaigns/${campaign.id}`, results: (await service.get(`campaigns/${campaign.id}/results`)) as CampaignResults };
  })();
  return judged;
}

const questionOf = ({ comparisons }: GroupResults): Comparison => {
  const question = comparisons.find(({ confirmatory }) => confirmatory);
  assert.ok(question);
  return question;
};
/** All groups, with their pictures. */
const drawn = (page: Page) => page.waitForSelector('.group:last-of-type .interval');

test('the answer comes first: who won where, in one sentence that counts the API’s verdicts, and a line for each condition', async () => {
  const { hash, results } = await judgedCampaign();
  await using page = await open(hash);
  await page.waitForSelector('.answer .lines small');
  assert.equal(
    (await texts(page, '.answer .headline'))[0],
    'HTTP/3 is faster under 1 of 5 conditions (poor) and HTTP/2 under 1 (latency-50); under 1 they are equivalent, under 2 it can’t be told.',
  );
  assert.match(
    (await texts(page, '.answer .confidence'))[0] ?? '',
    /^The chance that any winner among these 5 comparisons is named falsely is at most 5 %/,
  );
  assert.deepEqual(
    await texts(page, '.answer .lines .words'),
    results.groups.map((group) => questionOf(group).verdict.words),
  );
  assert.ok(await page.$eval('.results', (part) => part.firstElementChild?.matches('.answer')), 'nothing stands before it');
});

test('each group begins with the API’s verdict, in its words and with a mark', async () => {
  const { hash, results } = await judgedCampaign();
  const verdicts = results.groups.map((group) => questionOf(group).verdict);
  assert.deepEqual(
    verdicts.map(({ outcome }) => outcome),
    ['equivalent', 'h2-faster', 'h3-faster', 'inconclusive', 'inconclusive'],
  );
  await using page = await open(hash);
  await drawn(page);
  const shown = await page.$$eval('.group', (groups) =>
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
    assert.deepEqual(
      more,
      verdict?.moreRounds ? [`About ${verdict.moreRounds} more round${verdict.moreRounds === 1 ? '' : 's'} would settle it.`] : [],
    );
  }
  assert.ok(shown[3]?.more.length === 1, 'noise is settled by more rounds');
  assert.match(shown[4]?.doubts.join() ?? '', /Invalid over HTTP\/3: \d+ of \d+ visits/);

  const signs = await page.$$eval('.group .verdict .outcome', (found) =>
    found.map((chip) => chip.querySelector('svg')?.innerHTML ?? chip.querySelector('.sign')?.textContent ?? ''),
  );
  assert.equal(new Set(signs).size, 4, 'each outcome has its own sign without its colour too');
});

test('each metric’s difference is drawn where its numbers are, the primary metric first', async () => {
  const { hash, results } = await judgedCampaign();
  await using page = await open(hash);
  await drawn(page);
  const rowsOf = await page.$$eval('.group', (groups) =>
    groups.map((group) =>
      [...group.querySelectorAll('.intervals li[data-metric]')].map((row) => {
        const centre = (selector: string) => {
          const box = row.querySelector(selector)?.getBoundingClientRect();
          return box ? { left: box.left, middle: box.left + box.width / 2, right: box.right } : null;
        };
        const { metric } = (row as HTMLElement).dataset;
        return {
          metric,
          text: (row.textContent ?? '').replaceAll('\u00a0', ' ').trim(),
          estimate: centre('.estimate'),
          zero: centre('.zero'),
          margin: centre('.margin'),
          inner: centre('.inner'),
          outer: centre('.outer'),
        };
      }),
    ),
  );
  for (const [i, group] of results.groups.entries()) {
    const compared = group.comparisons.filter(({ candidate, baseline }) => candidate === 'h3' && baseline === 'h2');
    const rows = rowsOf[i] ?? [];
    assert.deepEqual(
      rows.map(({ metric }) => metric),
      ['onLoad', 'speedIndex', 'largestContentfulPaint'],
    );
    for (const { metric, text, estimate, zero, margin, inner, outer } of rows) {
      const comparison = compared.find((one) => one.metric === metric);
      assert.ok(comparison && zero && margin);
      assert.match(text, comparison.confirmatory ? /primary metric/ : /explores/);
      const { shift, equivalence, verdict } = comparison;
      assert.ok(text.endsWith(outcomeNames[verdict.outcome]), text);
      if (shift === null) continue;
      assert.ok(estimate && outer && inner && shift.low !== null && shift.high !== null && equivalence);
      assert.ok(text.includes(`${signedPercent(shift.value)} (${signedPercent(shift.low, '')} to ${signedPercent(shift.high)})`), text);
      assert.equal(Math.sign(estimate.middle - zero.middle), Math.sign(shift.value));
      assert.ok(outer.left <= inner.left + 1 && inner.right <= outer.right + 1, '95 % are wider than 90 %');
      assert.equal(inner.left > margin.left && inner.right < margin.right, equivalence.equivalent);
      assert.equal(outer.left < zero.middle && zero.middle < outer.right, shift.low < 0 && shift.high > 0);
    }
  }
  const [native = [], , poor = []] = rowsOf;
  assert.match(native[2]?.text ?? '', /H3-Delta −1\.00/, 'a time of 0 has no ratio');
  assert.match(poor[2]?.text ?? '', /no round has both/);
});

test('the question stands in one table for all conditions; all comparisons of one in another, those that explore marked', async () => {
  const { hash, results } = await judgedCampaign();
  await using page = await open(hash);
  await drawn(page);
  const rowsOf = (table: string) =>
    page.$$eval(`${table} tr[data-metric]`, (found) =>
      found.map((row) => [...row.children].map((cell) => (cell.firstChild?.textContent ?? '').trim().replaceAll('\u00a0', ' '))),
    );
  const numbersOf = ({ rounds: paired, delta, shift, signedRank, mannWhitney, equivalence, practical }: Comparison) => {
    assert.ok(delta && shift && signedRank && mannWhitney && equivalence);
    return [
      ...[String(paired), signed(delta.value), signedPercent(shift.value), pValue(signedRank.p), pValue(signedRank.adjustedP)],
      ...[
        signed(signedRank.rankBiserial),
        signed(mannWhitney.cliffsDelta),
        equivalence.equivalent ? 'yes' : 'not shown',
        practical ? 'yes' : 'no',
      ],
    ];
  };
  /** Without the median difference, which has its own unit. */
  const withoutDifference = ([, , paired, delta, , ...rest]: string[]) => [paired, delta, ...rest];

  const asked = await rowsOf('.asked-table');
  assert.deepEqual(
    asked.map(([name]) => name),
    conditions,
  );
  assert.deepEqual(
    asked.map(withoutDifference),
    results.groups.map((group) => numbersOf(questionOf(group))),
  );

  await page.goto(`${new URL(page.url()).origin}/${hash}?condition=latency-50`);
  await page.waitForFunction(() => document.querySelectorAll('.group').length === 1);
  await (await page.waitForSelector('.all-comparisons summary'))?.press('Enter');
  await page.waitForSelector('.group .comparisons');
  const comparisons = results.groups[1]?.comparisons ?? [];
  assert.equal(comparisons.length, 9);
  assert.deepEqual(await texts(page, '.group .comparisons .pair'), [
    'HTTP/3 against HTTP/2',
    'HTTP/3 against HTTP/1.1',
    'HTTP/2 against HTTP/1.1',
  ]);
  const rows = await rowsOf('.group .comparisons');
  const roles = await texts(page, '.group .comparisons .role');
  for (const [i, comparison] of comparisons.entries()) {
    assert.equal(rows[i]?.[0], metricNames[comparison.metric].name);
    assert.deepEqual(withoutDifference(rows[i] ?? []), numbersOf(comparison));
    assert.equal(roles[i], comparison.confirmatory ? 'primary metric' : 'explores');
  }
  // Each column but the first says what it means.
  const heads = await page.$$eval('.group .comparisons thead th', (found) =>
    found.map((head) => head.querySelector('[role=tooltip]') !== null),
  );
  assert.deepEqual(
    heads,
    heads.map((_, i) => i > 0),
  );
});

test('a term is explained by the keyboard too, and Escape puts the explanation away', async () => {
  const { hash } = await judgedCampaign();
  await using page = await open(hash);
  await drawn(page);
  const isShown = () => page.$eval('.asked-table thead [role=tooltip]', (words) => getComputedStyle(words).display !== 'none');
  assert.equal(await isShown(), false);
  await page.focus('.asked-table thead .term');
  assert.equal(await isShown(), true);
  await page.keyboard.press('Escape');
  assert.equal(await isShown(), false);
});

test('nothing but verdicts says that something is faster', async () => {
  const { hash } = await judgedCampaign();
  await using page = await open(hash);
  await drawn(page);
  await openAll(page);
  const rest = await page.$eval('.results', (results) => {
    const copy = results.cloneNode(true) as HTMLElement;
    const verdicts = '.words, .question, .headline, .doubts, .outcome, .doubt, .overview td:nth-child(4), [role=tooltip], title';
    for (const verdict of copy.querySelectorAll(verdicts)) verdict.remove();
    // A chart’s legend names the verdicts that it draws.
    return (copy.textContent ?? '').replaceAll(/verdict: HTTP\/[\d.]+ faster/g, '');
  });
  assert.ok(rest.includes('H3-Delta') && rest.includes('Median onLoad'));
  assert.doesNotMatch(rest, /faster|slower|quicker|better|worse|wins/i);
});

test('while rounds are to come a verdict waits for them, and it is no trouble', async () => {
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://half.example/' }], protocols: ['h2', 'h3'], rounds: 8 });
  await service.perform(campaign, 7, byCondition);
  await using page = await open(`#/campaigns/${campaign.id}?show=result`);
  await page.waitForSelector('.group .verdict');
  assert.deepEqual(await texts(page, '.verdict .word'), ['unfinished']);
  assert.match((await texts(page, '.answer .doubts')).join(), /^Not all of its rounds are done/);
  assert.equal(await page.$('.more-rounds, .trouble'), null);
  await service.perform(campaign, 1, byCondition);
  await page.waitForFunction(() => document.querySelector('.answer .word')?.textContent === 'equivalent');
  await page.waitForFunction(() => document.querySelector('.group .verdict .word')?.textContent === 'equivalent');
});

test('a campaign until it is settled says what its verdict is made of', async () => {
  const request = { sites: [{ url: 'https://until.example/' }], protocols: ['h2', 'h3'] as ('h2' | 'h3')[], rounds: 10, maximumRounds: 60 };
  const campaign = await service.makeCampaign({ ...request, conditions: ['loss-2', 'native'] });
  await service.perform(campaign, 22, byCondition);
  await using page = await open(`#/campaigns/${campaign.id}?show=result`);
  await page.waitForSelector('.since-look');
  assert.match(
    (await texts(page, '.since-look')).join(),
    /of the 10 rounds until the last planned look; the medians are of all 1\d so far\.$/,
  );
});

test('no line of a verdict ends between a number and its unit, or within p < 0.0001', async () => {
  const { hash } = await judgedCampaign();
  await using page = await open(hash);
  await drawn(page);
  const prose = await page.$$eval('.answer .words, .verdict .words, .sentence, .link, .intervals .numbers', (found) =>
    found.map((part) => part.textContent ?? ''),
  );
  assert.ok(prose.some((words) => /\d\u00a0%/.test(words) && /p\u00a0[<=]\u00a0/.test(words)));
  for (const words of prose) assert.doesNotMatch(words, / %|[<=] \d|\d ms/);
});

test('without HTTP/3 beside HTTP/2 there is no verdict, and with one protocol no comparison', async () => {
  const without = await service.makeCampaign({ sites: [{ url: 'https://without.example/' }], protocols: ['h1', 'h2'], rounds: 1 });
  await service.perform(without, 1);
  await using page = await open(`#/campaigns/${without.id}`);
  await page.waitForSelector('.interval');
  assert.match((await texts(page, '.answer .no-question')).join(), /^No verdict: .*explore/);
  assert.match((await texts(page, '.group .verdict')).join(), /^No verdict: .*explore/);
  assert.equal((await texts(page, '.intervals h4'))[0], 'HTTP/2 against HTTP/1.1');
  assert.equal(await page.$('.delta-part'), null);

  const alone = await service.makeCampaign({ sites: [{ url: 'https://alone.example/' }], protocols: ['h2', 'h2'], rounds: 6 });
  await service.perform(alone, 6);
  await using second = await open(`#/campaigns/${alone.id}`);
  await second.waitForSelector('.visits tbody tr');
  assert.equal(await second.$('.verdict, .intervals, .comparisons'), null);
  assert.match((await texts(second, '.self-comparisons')).join(), /against itself.*HTTP\/2/s);
});

test('verdicts, pictures and tables are no wider than a phone', async () => {
  const { hash } = await judgedCampaign();
  await using page = await open(hash);
  await page.setViewport({ width: 360, height: 740 });
  await drawn(page);
  await openAll(page);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
});

async function openAll(page: Page): Promise<void> {
  await page.$$eval('.results details', (found) => {
    for (const details of found) (details as HTMLDetailsElement).open = true;
  });
  await page.waitForFunction(() => [...document.querySelectorAll('.results details')].every((details) => details.childElementCount > 1));
}
