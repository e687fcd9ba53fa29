import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MadeUp, madeUp } from '../../../fixtures/made-campaign.ts';
import { randomSource } from '../../math/random.ts';
import type { Campaign } from '../../schemas/campaign.ts';
import type { CampaignSummary, CellAnswer } from '../../schemas/summary.ts';
import type { InvalidReason } from '../../vocabulary/reason.ts';
import { measure } from '../measured/measured.ts';
import { campaignSummary } from '../summary.ts';
import { reportOf } from './report.ts';
import { answerRows } from './rows.ts';
import { campaignAnswer } from './sentence.ts';

type Place = { protocol: string; round: number; siteId: string; condition: string };

/** @param took onLoad in ms, or why there is none */
function summaryOf(took: (place: Place) => number | InvalidReason, given: MadeUp = {}) {
  const { campaign, visits } = madeUp((place) => {
    const onLoad = took(place);
    return typeof onLoad === 'number' ? { onLoad } : onLoad;
  }, given);
  const { state = 'done', rounds = 20, finished = rounds } = given;
  const summary = { ...campaignSummary(measure(campaign, visits), state === 'done'), state, progress: { rounds, roundsDone: finished } };
  return { campaign: campaign as Campaign, summary: summary as unknown as CampaignSummary };
}

function said(took: (place: Place) => number | InvalidReason, given: MadeUp = {}) {
  const { campaign, summary } = summaryOf(took, given);
  const answer = campaignAnswer(campaign, summary.cells, summary);
  const rows = answerRows(campaign, summary.cells, campaign.sites.length === 1 ? (campaign.sites[0]?.id ?? null) : null);
  return { answer, rows, cells: summary.cells, report: reportOf(campaign, summary).answer };
}

test('where one protocol fails, the other is the faster one, by no number', () => {
  const all = said(({ protocol, round }) => (protocol === 'h2' ? 'load-timeout' : 800 + round), { rounds: 5 });
  assert.match(
    all.cells[0]?.comparison?.words ?? '',
    /^Not proven: in all 5 rounds the page failed over HTTP\/2 and loaded over HTTP\/3\./,
  );
  assert.equal(all.answer, 'HTTP/3 is likely faster (HTTP/2 failed in 5 of 5 loads): not proven yet.');
  const most = said(({ protocol, round }) => (protocol === 'h2' ? 1000 : round < 4 ? 'load-timeout' : 1800), { rounds: 4 });
  assert.equal(most.answer, 'HTTP/2 is likely faster (HTTP/3 failed in 3 of 4 loads): not proven yet.');
  const proven = said(({ protocol, round }) => (protocol === 'h2' ? 'load-timeout' : 800 + round));
  assert.equal(proven.answer, 'HTTP/3 is faster (HTTP/2 failed in 20 of 20 loads).');
});

test('where loads that failed decide, medians of the others, which say the opposite, are no difference', () => {
  const [h3Fails, h2Fails] = (['h3', 'h2'] as const).map((fails) =>
    said(({ protocol, round }) => (protocol !== fails ? 1000 + round : round % 2 === 0 && round <= 30 ? 'load-timeout' : 900 + round), {
      rounds: 33,
    }),
  );
  assert.equal(h3Fails?.answer, 'HTTP/2 is faster (HTTP/3 failed in 15 of 33 loads).');
  assert.equal(h2Fails?.answer, 'HTTP/3 is faster (HTTP/2 failed in 15 of 33 loads).');
  assert.deepEqual([h3Fails?.rows[0]?.difference, h3Fails?.rows[0]?.medians], [null, { h2: 1017, h3: 932 }]);
  const few = said(({ protocol, round }) => (protocol === 'h3' ? (round < 6 ? 'load-timeout' : 900 + round) : 1000 + round));
  assert.equal(few.answer, 'No clear difference.');
  assert.deepEqual(few.rows[0]?.interval?.high, Number.POSITIVE_INFINITY);
});

test('what holds for some pages says for how many, and how many did not load, also under one network only', () => {
  const given = { rounds: 8, sites: ['a', 'b', 'c', 'd'], conditions: ['native', '4g'] };
  const lost = (took: number) =>
    said(({ protocol, round, siteId, condition }) => {
      if (condition === '4g' && siteId !== 'a') return 'dns-error';
      return protocol === 'h3' ? took + round : 1000 + round;
    }, given);
  const equal = lost(1000);
  assert.equal(equal.answer, 'No difference on native; on 4g for 1 of 4 pages. Not loaded on 4g: 3 of 4 pages.');
  assert.equal(equal.report, equal.answer);
  assert.equal(
    lost(500).answer,
    'HTTP/3 is faster on native by 500 ms (50 %) and on 4g by 500 ms (50 %) for 1 of 4 pages. Not loaded on 4g: 3 of 4 pages.',
  );
  const never = said(({ siteId, round }) => (siteId === 'a' ? 'load-timeout' : 1000 + round), { ...given, sites: ['a', 'b'] });
  assert.equal(never.report, 'No difference for 1 of 2 pages. Not loaded: 1 of 2 pages.');
  const noH3 = said(({ protocol, condition, round }) => (protocol === 'h3' && condition === '4g' ? 'protocol-unavailable' : 1000 + round), {
    ...given,
    sites: ['a'],
  });
  assert.equal(noH3.answer, 'No difference on native. Not compared on 4g.');
});

test('likely in both directions is said of each, and of several pages the numbers are those of one', () => {
  const sites = ['a', 'b', 'c', 'd'];
  const likely = said(({ protocol, round, siteId }) => (protocol === 'h2' ? 1000 + round : (siteId < 'c' ? 600 : 1100) + round), {
    rounds: 4,
    sites,
  });
  assert.equal(likely.answer, 'Each is likely faster for some pages (HTTP/3 for 2, HTTP/2 for 2 of 4): not proven yet.');
  const times = { a: [1000, 800], b: [10_000, 9500], c: [20_000, 18_000] } as Record<string, number[]>;
  const three = said(({ protocol, siteId }) => times[siteId]?.[protocol === 'h2' ? 0 : 1] ?? 0, { sites: ['a', 'b', 'c'] });
  assert.equal(three.answer, 'HTTP/3 is faster by 2 s (10 %).');
  assert.deepEqual([three.rows[0]?.medians, Math.round(three.rows[0]?.difference?.amount ?? 0)], [{ h2: 20_000, h3: 18_000 }, -2000]);
});

test('where cells show a difference together, and none by itself, one sentence says both', () => {
  const sites = Array.from({ length: 12 }, (_, n) => `s${n}`);
  const weak = [-8, -7, -6, -9, -10, -11, -12, 0.5];
  const none = [8, -7, 6, -9, 10, -11, 12, -5];
  const took = ({ protocol, siteId, round }: Place) => {
    const percents = sites.indexOf(siteId) % 2 === 0 ? weak : none;
    return protocol === 'h3' ? 1000 + 10 * (percents[round - 1] ?? 0) : 1000;
  };
  const { answer, report, cells } = said(took, { rounds: 8, sites });
  assert.deepEqual(new Set(cells.map(({ comparison }) => comparison?.outcome)), new Set(['inconclusive']));
  assert.match(
    answer,
    /^No clear difference in any single case, but onLoad differs between HTTP\/3 and HTTP\/2 on at least \d+ of 12 sites, with 95 % confidence\.$/,
  );
  assert.equal(report, answer);
});

test('pages that are unfinished are not judged beside those that are', () => {
  const open = said(({ protocol, round, siteId }) => (siteId === 'a' ? 'dns-error' : protocol === 'h3' ? 500 + round : 1000), {
    ...{ rounds: 10, maximumRounds: 40, finished: 3, state: 'running', sites: ['a', 'b'] },
  });
  assert.equal(open.answer, 'No verdict before all rounds are done.');
});

/** Loads of a cell: times, noise and failures of all kinds. */
function madeCell(random: () => number) {
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const base = pick([0.5, 100, 1000, 10_000]);
  const factor = pick([1, 1, 1.03, 0.8, 1.25, 0.4, 2]);
  const noise = pick([0, 0.02, 0.3]);
  const fails = { h2: pick([0, 0, 0, 0.1, 0.45, 0.8, 1]), h3: pick([0, 0, 0, 0.1, 0.45, 0.8, 1]) };
  const reason = pick(['load-timeout', 'load-timeout', 'dns-error', 'protocol-unavailable', 'busy-machine'] as const);
  const zeros = pick([0, 0, 0, 0.5]);
  return (protocol: 'h2' | 'h3'): number | InvalidReason => {
    if (random() < fails[protocol]) return reason;
    return random() < zeros ? 0 : base * (protocol === 'h3' ? factor : 1) * (1 + noise * random());
  };
}

const names = { 'HTTP/2': 'h2', 'HTTP/3': 'h3' } as const;
const claim =
  /^(?<who>HTTP\/[23]) is (?<likely>likely )?faster(?: by (?<by>(?<amount>[\d.,]+) (?:ms|s|%).*?))?(?: for \d+ of \d+ pages)?(?: \(HTTP\/[23] failed .*?\))?(?:: not proven yet)?\.(?: |$)/;
const signOf = { h3: -1, h2: 1 };

/** The side that the verdict's own words name. */
function sideOf({ comparison }: CellAnswer): 'h2' | 'h3' | null {
  const { outcome = '', words = '' } = comparison ?? {};
  if (outcome.endsWith('-faster')) return outcome === 'h3-faster' ? 'h3' : 'h2';
  const failed = /failed over HTTP\/[23] and loaded over (HTTP\/[23])/.exec(words)?.[1] as keyof typeof names | undefined;
  if (outcome !== 'not-shown-yet') return null;
  return failed === undefined ? (words.startsWith('Likely faster over HTTP/3') ? 'h3' : 'h2') : names[failed];
}

test('whatever fails, the sentence names the verdict’s protocol, and numbers are on its side', () => {
  const seen = new Map<string, number>();
  for (let seed = 0; seed < 400; seed++) {
    const random = randomSource(seed);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    const sites = ['a', 'b', 'c'].slice(0, pick([1, 1, 2, 3]));
    const cells = new Map(sites.map((site) => [site, madeCell(random)]));
    const rounds = pick([3, 4, 5, 8, 12, 20]);
    const state = pick(['done', 'done', 'done', 'running', 'cancelled'] as const);
    const given = {
      rounds,
      sites,
      state,
      finished: state === 'done' ? rounds : pick([1, 3, rounds - 1]),
      maximumRounds: pick([null, null, 40]),
    };
    const { campaign, summary } = summaryOf(({ protocol, siteId }) => cells.get(siteId)?.(protocol as 'h2') ?? 0, given);
    for (const siteId of sites.length === 1 ? sites : [...sites, null]) {
      const answer = campaignAnswer(campaign, summary.cells, { siteId });
      const its = summary.cells.filter((cell) => siteId === null || cell.siteId === siteId);
      const [row] = answerRows(campaign, summary.cells, siteId);
      const why = `seed ${seed}, ${siteId}: ${answer} ${JSON.stringify([row, its.map(({ comparison }) => comparison)])}`;
      assert.match(answer, /^\S+( \S+)*\.$/, why);
      assert.doesNotMatch(answer, / [:.;]|NaN|Infinity|-\d/, why);
      const { who, likely, by, amount } = claim.exec(answer)?.groups ?? {};
      seen.set(answer.replace(/[\d.,]+ (ms|s|%)|\d+/g, 'n'), seed);
      const sides = its.map(sideOf);
      if (who !== undefined) {
        const named = names[who as keyof typeof names];
        const those = its.filter(
          (cell) => sideOf(cell) === named && (cell.comparison?.outcome === 'not-shown-yet') === (likely !== undefined),
        );
        assert.ok(those.length > 0, why);
        if (by !== undefined) {
          assert.ok(Number(amount?.replace(',', '')) > 0, why);
          assert.ok(
            those.some(({ comparison }) => comparison?.shift === null || Math.sign(comparison?.shift?.value ?? 0) === signOf[named]),
            why,
          );
        }
      } else if (its.length === 1) assert.ok(sides[0] === null, why);
      if (row?.difference != null) {
        const { share, amount: ms } = row.difference;
        assert.ok(ms === null || Math.sign(ms) === Math.sign(share), why);
        if (its.length === 1 && sides[0] != null) assert.equal(Math.sign(share), signOf[sides[0]], why);
        assert.ok(
          its.some(({ medians }) => medians.h2 === row.medians.h2 && medians.h3 === row.medians.h3),
          why,
        );
      }
      const lost = state === 'done' ? its.filter(({ notLoaded }) => notLoaded !== null).length : 0;
      if (lost > 0 && lost < its.length && !answer.startsWith('No comparison'))
        assert.match(answer, new RegExp(`Not loaded: ${lost} of `), why);
    }
  }
  assert.ok(seen.size > 20, [...seen.keys()].join('\n'));
});

const pages = (count: number) => Array.from({ length: count }, (_, n) => String(n + 1));

test('loads that failed leave a page without a number, and are counted where they did', () => {
  const half = (protocol: string, round: number, fails = 'h3') =>
    protocol !== fails ? 1000 + round : round < 11 ? 'load-timeout' : 600 + round;
  const one = said(({ protocol, round }) => half(protocol, round));
  assert.deepEqual([one.rows[0]?.difference, one.cells[0]?.comparison?.outcome], [null, 'inconclusive']);
  assert.equal(one.answer, 'HTTP/3 failed in 10 of 20 loads.');
  assert.equal(
    said(({ protocol, round }) =>
      round <= 10 ? (protocol === 'h3' ? 'load-timeout' : 1000) : protocol === 'h2' ? 'load-timeout' : 990 + round,
    ).answer,
    'HTTP/3 failed in 10 of 20 loads, HTTP/2 in 10 of 20.',
  );
  const lost = said(({ protocol, round, siteId }) => (siteId === '1' ? 'load-timeout' : half(protocol, round)), { sites: pages(2) });
  assert.equal(lost.answer, 'HTTP/3 failed in 10 of 20 loads for 1 of 2 pages. Not loaded: 1 of 2 pages.');
  const each = said(({ protocol, round, siteId }) => half(protocol, round, siteId === '1' ? 'h2' : 'h3'), { sites: pages(2) });
  assert.equal(each.answer, 'HTTP/3 failed in 10 of 40 loads, HTTP/2 in 10 of 40.');
  const some = said(({ protocol, round, siteId }) => (siteId < '6' ? (protocol === 'h3' ? 800 : 1000) + round : half(protocol, round)), {
    sites: pages(9),
  });
  assert.match(some.answer, /^HTTP\/3 is faster by .* for 5 of 9 pages\. HTTP\/3 failed in 40 of 80 loads for 4 of 9 pages\.$/);
  assert.deepEqual(
    [some.rows[0]?.marks.length, some.rows[0]?.marks.filter(({ share }) => share === Number.POSITIVE_INFINITY).length],
    [9, 4],
  );
});

test('what cells show together is said also where none has a number', () => {
  const { campaign, summary } = summaryOf(({ protocol, round }) => (protocol === 'h2' ? 1000 : round < 11 ? 'load-timeout' : 600));
  const differing = { words: 'onLoad differs on at least 1 of 1 sites.' } as CampaignSummary['differing'];
  assert.equal(
    campaignAnswer(campaign, summary.cells, { differing }),
    'onLoad differs on at least 1 of 1 sites. HTTP/3 failed in 10 of 20 loads.',
  );
});
