import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CampaignResults, Comparison, GroupResults } from '@pronghorn/core';
import type { Browser, Page } from 'puppeteer-core';
import { pValue, signed, signedPercent } from '../public/text/format.js';
import { metricNames, outcomeNames } from '../public/text/vocabulary.js';
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

test('each group begins with the API’s verdict, in its words and with a mark', async () => {
  const { hash, results } = await judgedCampaign();
  const verdicts = results.groups.map((group) => questionOf(group).verdict);
  assert.deepEqual(
    verdicts.map(({ outcome }) => outcome),
    ['equivalent', 'h2-faster', 'h3-faster', 'inconclusive', 'inconclusive'],
  );
  await using page = await open(hash);
  await page.waitForSelector('.group .interval');
  const shown = await page.$$eval('.group', (groups) =>
    groups.map((group) => {
      const of = (selector: string) =>
        [...group.querySelectorAll(`.verdict ${selector}`)].map(({ textContent }) => (textContent ?? '').replaceAll('\u00a0', ' '));
      const isFirst = [...group.children].findIndex((child) => child.matches('.verdict')) === 2;
      return { isFirst, word: of('.word'), words: of('.words'), doubts: of('.doubts li'), more: of('.more-rounds') };
    }),
  );
  for (const [i, { isFirst, word, words, doubts, more }] of shown.entries()) {
    const verdict = verdicts[i];
    assert.ok(isFirst, 'only the name of the site and its URL stand before it');
    assert.deepEqual(word, [verdict && outcomeNames[verdict.outcome]]);
    assert.equal([...words, ...doubts].join(' '), verdict?.words);
    assert.deepEqual(
      more,
      verdict?.moreRounds ? [`About ${verdict.moreRounds} more round${verdict.moreRounds === 1 ? '' : 's'} would settle it.`] : [],
    );
  }
  assert.ok(shown[3]?.more.length === 1, 'noise is settled by more rounds');
  assert.match(shown[4]?.doubts.join() ?? '', /Invalid over HTTP\/3: \d+ of \d+ visits/);

  const signs = await page.$$eval('.group .verdict .sign', (found) =>
    found.map((sign) => [
      sign.textContent,
      getComputedStyle(sign).borderTopColor,
      getComputedStyle(sign).borderRadius,
      getComputedStyle(sign).transform,
    ]),
  );
  const shapes = new Set(signs.map(([text, , ...shape]) => [text, ...shape].join()));
  assert.equal(shapes.size, 4, 'each outcome has its own sign without its colour too');
});

test('each metric’s difference is drawn where its numbers are, the primary metric first', async () => {
  const { hash, results } = await judgedCampaign();
  await using page = await open(hash);
  await page.waitForSelector('.group:last-of-type .interval');
  const drawn = await page.$$eval('.group', (groups) =>
    groups.map((group) =>
      [...group.querySelectorAll('.intervals li[data-metric]')].map((row) => {
        const centre = (selector: string) => {
          const box = row.querySelector(selector)?.getBoundingClientRect();
          return box ? { left: box.left, middle: box.left + box.width / 2, right: box.right } : null;
        };
        const { metric } = (row as HTMLElement).dataset;
        return {
          metric,
          text: (row.textContent ?? '').replaceAll('\u00a0', ' '),
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
    const rows = drawn[i] ?? [];
    assert.deepEqual(
      rows.map(({ metric }) => metric),
      ['onLoad', 'speedIndex', 'largestContentfulPaint'],
    );
    for (const { metric, text, estimate, zero, margin, inner, outer } of rows) {
      const comparison = compared.find((one) => one.metric === metric);
      assert.ok(comparison && zero && margin);
      assert.match(text, comparison.confirmatory ? /primary metric/ : /explores/);
      const { shift, equivalence, verdict } = comparison;
      assert.ok(text.endsWith(outcomeNames[verdict.outcome]));
      if (shift === null) continue;
      assert.ok(estimate && outer && inner && shift.low !== null && shift.high !== null && equivalence);
      assert.ok(text.includes(`${signedPercent(shift.value)} (${signedPercent(shift.low, '')} to ${signedPercent(shift.high)})`), text);
      assert.equal(Math.sign(estimate.middle - zero.middle), Math.sign(shift.value));
      assert.ok(outer.left <= inner.left + 1 && inner.right <= outer.right + 1, '95 % are wider than 90 %');
      assert.equal(inner.left > margin.left && inner.right < margin.right, equivalence.equivalent);
      assert.equal(outer.left < zero.middle && zero.middle < outer.right, shift.low < 0 && shift.high > 0);
    }
  }
  const [native = [], , poor = []] = drawn;
  assert.match(native[2]?.text ?? '', /H3-Delta −1\.00/, 'a time of 0 has no ratio');
  assert.match(poor[2]?.text ?? '', /no round has both/);
});

test('all comparisons are in a table, those that explore marked, and each column explained', async () => {
  const { hash, results } = await judgedCampaign();
  await using page = await open(`${hash}/${results.groups[1]?.siteId}/latency-50/cold`);
  await (await page.waitForSelector('details[data-key^="comparisons"] summary'))?.press('Enter');
  await page.waitForSelector('.comparisons');
  const comparisons = results.groups[1]?.comparisons ?? [];
  assert.equal(comparisons.length, 9);
  assert.deepEqual(await texts(page, '.comparisons .pair'), [
    'HTTP/3 against HTTP/2',
    'HTTP/3 against HTTP/1.1',
    'HTTP/2 against HTTP/1.1',
  ]);
  const rows = await page.$$eval('.comparisons tr[data-metric]', (found) =>
    found.map((row) => [...row.children].map((cell) => cell.firstChild?.textContent)),
  );
  const role = await texts(page, '.comparisons .role');
  for (const [i, { metric, rounds: paired, confirmatory, delta, shift, signedRank, practical }] of comparisons.entries()) {
    const [name, , count, ...numbers] = rows[i] ?? [];
    assert.deepEqual([name, count], [metricNames[metric].name, String(paired)]);
    assert.ok(delta && shift && signedRank);
    const expected = [
      signed(delta.value),
      signedPercent(shift.value),
      pValue(signedRank.p),
      pValue(signedRank.adjustedP),
      signed(signedRank.rankBiserial),
    ];
    assert.deepEqual([numbers[0], ...numbers.slice(2, 6)], expected);
    assert.equal(numbers[6], practical ? 'yes' : 'no');
    assert.equal(role[i], confirmatory ? 'primary metric' : 'explores');
  }
  assert.deepEqual(await texts(page, '.columns dt'), await texts(page, '.comparisons thead th'));
});

test('nothing but verdicts says that something is faster', async () => {
  const { hash } = await judgedCampaign();
  await using page = await open(hash);
  await page.waitForSelector('.group .interval');
  await openAll(page);
  const rest = await page.$eval('main', (main) => {
    const copy = main.cloneNode(true) as HTMLElement;
    for (const verdict of copy.querySelectorAll('.verdict .words, .verdict .doubts, .outcome, .comparisons td:nth-child(2) small'))
      verdict.remove();
    return copy.textContent ?? '';
  });
  assert.ok(rest.includes('H3-Delta') && rest.includes('Median onLoad'));
  assert.doesNotMatch(rest, /faster|slower|quicker|better|worse|wins/i);
});

test('while rounds are to come a verdict waits for them, and it is no trouble', async () => {
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://half.example/' }], protocols: ['h2', 'h3'], rounds: 8 });
  await service.perform(campaign, 7, byCondition);
  await using page = await open(`#/campaigns/${campaign.id}`);
  await page.waitForSelector('.verdict');
  assert.deepEqual(await texts(page, '.verdict .word'), ['unfinished']);
  assert.match((await texts(page, '.verdict .doubts')).join(), /^Not all of its rounds are done/);
  assert.equal(await page.$('.verdict .more-rounds, .trouble:not([hidden])'), null);
  await service.perform(campaign, 1, byCondition);
  await page.waitForSelector('.state-done');
  await page.waitForFunction(() => document.querySelector('.verdict .word')?.textContent === 'equivalent');
});

test('a campaign until it is settled tells how far it may go', async () => {
  const request = { sites: [{ url: 'https://until.example/' }], protocols: ['h2', 'h3'] as ('h2' | 'h3')[], rounds: 10, maximumRounds: 60 };
  const campaign = await service.makeCampaign({ ...request, conditions: ['loss-2', 'native'] });
  await service.perform(campaign, 14, byCondition);
  await using page = await open(`#/campaigns/${campaign.id}`);
  await page.waitForSelector('.overview');
  assert.match((await texts(page, '.live'))[0] ?? '', /14 of at most 120 rounds, until settled/);
  assert.match((await texts(page, '.facts'))[0] ?? '', /at most 60 for each site, condition and view, until settled/);
  assert.equal(await page.$eval('.live progress', ({ max }) => max), 120);

  await service.perform(campaign, 8, byCondition);
  await page.reload();
  await page.waitForSelector('.since-look');
  assert.match(
    (await texts(page, '.since-look')).join(),
    /of the 10 rounds until the last planned look; the medians are of all 1\d so far\.$/,
  );
});

test('no line of a verdict ends between a number and its unit, or within p < 0.0001', async () => {
  const { hash } = await judgedCampaign();
  await using page = await open(hash);
  await page.waitForSelector('.group .interval');
  const prose = await page.$$eval('.verdict, .sentence, .link, .intervals .numbers', (found) =>
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
  assert.match((await texts(page, '.verdict')).join(), /^No verdict: .*explore/);
  assert.equal((await texts(page, '.intervals h3'))[0], 'HTTP/2 against HTTP/1.1');

  const alone = await service.makeCampaign({ sites: [{ url: 'https://alone.example/' }], protocols: ['h2', 'h2'], rounds: 1 });
  await service.perform(alone, 1);
  await using second = await open(`#/campaigns/${alone.id}`);
  await second.waitForSelector('.dot-strip');
  assert.equal(await second.$('.verdict, .intervals, .comparisons'), null);
});

test('verdicts, pictures and tables are no wider than a phone', async () => {
  const { hash, results } = await judgedCampaign();
  for (const address of [hash, `${hash}/${results.groups[4]?.siteId}/medium/cold`]) {
    await using page = await open(address);
    await page.setViewport({ width: 360, height: 740 });
    await page.waitForSelector('.interval');
    await openAll(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360, address);
  }
});

async function openAll(page: Page): Promise<void> {
  await page.$$eval('details', (found) => {
    for (const details of found) details.open = true;
  });
  await page.waitForFunction(() => [...document.querySelectorAll('details')].every((details) => details.childElementCount > 1));
}
