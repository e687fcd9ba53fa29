import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invalidVisit, type MadeRound, madeCampaign, madeVisits, roundsOfChanges } from '../../fixtures/made-campaign.ts';
import { campaignResults } from '../campaign/results.ts';
import { randomSource } from '../math/random.ts';
import type { Comparison } from '../schemas/comparison.ts';
import type { MetricName } from '../schemas/metrics.ts';
import { proves } from '../testing/proves.ts';
import { isSettled } from './cell-comparisons.ts';
import type { ResultVisit } from './counted-visits.ts';
import type { PageFacts } from './parity.ts';

type Campaign = ReturnType<typeof madeCampaign>;

const confirmatory = (comparisons: readonly Comparison[]): Comparison => {
  const found = comparisons.filter((one) => one.confirmatory);
  assert.equal(found.length, 1);
  return found[0] as Comparison;
};
/** Of each site, its answer to the campaign's question. */
const answers = (campaign: Campaign, visits: Iterable<ResultVisit>, complete = true): Comparison[] =>
  campaignResults(campaign, visits, [], complete).cells.map(({ comparisons }) => confirmatory(comparisons));
const answer = (campaign: Campaign, visits: Iterable<ResultVisit>, complete = true) => answers(campaign, visits, complete)[0] as Comparison;
const doubts = ({ verdict }: Comparison) => verdict.doubts.map(({ doubt }) => doubt);

const clearlyFaster = [-8, -9, -10, -11, -12, -13, -14, -15, -16, -17];

test('a campaign whose rounds all say so has a winner', proves('verdicts'), () => {
  const { verdict, rounds } = answer(madeCampaign(), madeVisits(roundsOfChanges(...clearlyFaster)));
  assert.equal(rounds, 10);
  assert.equal(verdict.outcome, 'h3-faster');
  assert.equal(
    verdict.words,
    'HTTP/3 is faster: the page finishes loading 125 ms (13 %) sooner over HTTP/3 than over HTTP/2; 95 % sure it is 10 to 15 % (10 rounds, p = 0.002).',
  );
});

const pageFacts: PageFacts = {
  ...{ requests: 60, finishedBytes: 1_000_000, failedRequests: 0, ipv6Share: 0, h3Share: 1, h3ByteShare: 1 },
  ...{ documentAddress: '192.0.2.1', ownShare: 0.4, refused: 0, cutShort: 0 },
};

/** What a slot loses in some rounds. */
const losing =
  (slot: number, rounds: readonly number[]) =>
  (visit: ResultVisit): ResultVisit =>
    visit.verdict === 'valid' && visit.slot === slot
      ? { ...visit, page: { ...pageFacts, failedRequests: Number(rounds.includes(visit.roundNumber)) } }
      : visit;

test('a winner by rounds in which it alone lost objects is none, unless the other lost some in as many', () => {
  // Of 20 rounds h3 lacks something in the last three, and is fastest there.
  const changes = [3, -4, 5, -6, 7, -8, 9, -10, -11, -12, -13, -14, 2, -1, -15, -16, -2.5, -30, -31, -32];
  const campaign = madeCampaign({ rounds: changes.length });
  const visits = madeVisits(roundsOfChanges(...changes));
  const byH3 = visits.map(losing(0, [])).map(losing(1, [18, 19, 20]));
  assert.equal(answer(campaign, visits).verdict.outcome, 'h3-faster');
  const { verdict } = answer(campaign, byH3);
  assert.equal(verdict.outcome, 'inconclusive');
  assert.deepEqual(verdict.doubts, [
    { doubt: 'parity', words: 'More objects failed over HTTP/3 in 3 of 20 rounds: a page with missing objects loads faster.' },
  ]);
  const elsewhere = visits.map(losing(1, [])).map(losing(0, [1, 3, 5]));
  assert.equal(answer(campaign, elsewhere).verdict.outcome, 'h3-faster', 'the loser lost them');
  const both = byH3.map(losing(0, [1, 3, 5]));
  assert.equal(answer(campaign, both).verdict.outcome, 'h3-faster', 'both lost as many');
  const clear = madeVisits(roundsOfChanges(...changes.map((change) => Math.min(-5, change)))).map(losing(1, [19, 20]));
  assert.equal(answer(campaign, clear).verdict.outcome, 'h3-faster', 'it wins without them too');
});

test('of several looks the least p does not outweigh what the winner lacks by the last one', () => {
  const campaign = madeCampaign({ rounds: 20, maximumRounds: 60 });
  const visits = madeVisits(roundsOfChanges(...Array.from({ length: 60 }, (_, i) => (i < 20 ? -8 - i / 3 : -16 + (28 * (i - 20)) / 39))));
  const byH3 = Array.from({ length: 10 }, (_, i) => 21 + i);
  assert.equal(answer(campaign, visits).verdict.outcome, 'h3-faster');
  assert.deepEqual(doubts(answer(campaign, visits.map(losing(1, byH3)).map(losing(0, [58, 59, 60])))), ['parity']);
});

test('h1 belongs into the picture: each pair of protocols is compared on each metric, and only h3 against h2 answers the question', () => {
  const times = (ms: number) => ({ onLoad: ms, speedIndex: ms / 2, largestContentfulPaint: ms / 3 });
  const rounds = clearlyFaster.map((percent): MadeRound => [times(800 - percent), times(1000 - percent), times(900 - percent)]);
  const [group] = campaignResults(madeCampaign({ protocols: ['h1', 'h2', 'h3'] }), madeVisits(rounds)).cells;
  assert.deepEqual(
    group?.comparisons.map(({ candidate, baseline, metric, verdict }) => [candidate, baseline, metric, verdict.outcome]),
    [
      ['h3', 'h2', 'onLoad', 'h3-faster'],
      ['h3', 'h2', 'speedIndex', 'h3-faster'],
      ['h3', 'h2', 'largestContentfulPaint', 'h3-faster'],
      ['h3', 'h1', 'onLoad', 'h1-faster'],
      ['h3', 'h1', 'speedIndex', 'h1-faster'],
      ['h3', 'h1', 'largestContentfulPaint', 'h1-faster'],
      ['h2', 'h1', 'onLoad', 'h1-faster'],
      ['h2', 'h1', 'speedIndex', 'h1-faster'],
      ['h2', 'h1', 'largestContentfulPaint', 'h1-faster'],
    ],
  );
  assert.equal(confirmatory(group?.comparisons ?? []), group?.comparisons[0]);
});

test('the primary metric is compared too where it is another time, and is no question where it is none', () => {
  const metrics = (primaryMetric: MetricName) =>
    campaignResults(madeCampaign({ primaryMetric }), madeVisits(roundsOfChanges(1))).cells[0]?.comparisons.map(({ metric }) => metric);
  assert.deepEqual(metrics('ttfb'), ['ttfb', 'onLoad', 'speedIndex', 'largestContentfulPaint']);
  assert.deepEqual(metrics('transferBytes'), ['onLoad', 'speedIndex', 'largestContentfulPaint']);
  assert.equal(isSettled({ comparisons: [], slots: [] }), true);
});

// Of 8 rounds W+ is 0, 1, 3 and 6: of the 256 sign patterns 1, 2, 5 and 14 have a W+ as small, hence p = 2, 4, 10 and 28 ÷ 256.
const family = [
  [-10, -11, -12, -13, -14, -15, -16, -17],
  [10, -12, -13, -14, -15, -16, -17, -18],
  [-8, -9, 10, -13, -14, -15, -16, -17],
  [-6, 7, -8.5, 9.5, -13, -15, -16, -17],
];
const familyVisits = () => family.flatMap((percents, i) => madeVisits(roundsOfChanges(...percents), { siteId: String(i + 1) }));

test('Holm over a family, by hand: 4 · 2, 3 · 4, 2 · 10 and 28, over 256', () => {
  const found = answers(madeCampaign({ sites: 4, rounds: 8, adjustment: 'holm' }), familyVisits());
  assert.deepEqual(
    found.map(({ signedRank }) => (signedRank?.p ?? 0) * 256),
    [2, 4, 10, 28],
  );
  assert.deepEqual(
    found.map(({ shiftConfidence }) => shiftConfidence),
    [1 - 0.05 / 3, 1 - 0.05 / 3, 1 - 0.05 / 2, 1 - 0.05 / 2],
  );
  assert.deepEqual(
    found.map(({ signedRank }) => (signedRank?.adjustedP ?? 0) * 256),
    [8, 12, 20, 28],
  );
  assert.deepEqual(
    found.map(({ verdict }) => verdict.outcome),
    ['h3-faster', 'h3-faster', 'inconclusive', 'inconclusive'],
  );
  assert.match(found[2]?.verdict.words ?? '', /p = 0\.078 corrected for 4 comparisons\)\.$/);
});

test('Hommel over the same, by hand: of the two largest Simes’ test is above 5 %, so each p is held against half of it', () => {
  const found = answers(madeCampaign({ sites: 4, rounds: 8 }), familyVisits());
  assert.deepEqual(
    found.map(({ signedRank }) => (signedRank?.adjustedP ?? 0) * 256),
    [8, 12, 20, 28],
  );
  assert.ok(found.every(({ shiftConfidence }) => shiftConfidence === 0.975));
});

test('eight rounds on one side in each of nine cells name all nine; by Holm none is shown yet', () => {
  const visits = Array.from({ length: 9 }, (_, i) =>
    madeVisits(roundsOfChanges(68, 70, 66, 74, 69, 71, 65, 69), { siteId: String(i + 1) }),
  ).flat();
  const by = (adjustment: 'hommel' | 'holm') => answers(madeCampaign({ sites: 9, rounds: 8, adjustment }), visits);
  assert.deepEqual(new Set(by('hommel').map(({ verdict }) => verdict.outcome)), new Set(['h2-faster']));
  assert.deepEqual(new Set(by('holm').map(({ verdict }) => verdict.outcome)), new Set(['not-shown-yet']));
  assert.match(by('holm')[0]?.verdict.words ?? '', / can’t reach 95 % over 9 comparisons \(.*\); 9 can\.$/);
});

test('the interval of the shift leaves 0 out exactly where the test names a winner among all', () => {
  const random = randomSource(5);
  for (const adjustment of ['hommel', 'holm', 'benjamini-hochberg'] as const) {
    const visits = Array.from({ length: 6 }, (_, site) =>
      madeVisits(roundsOfChanges(...Array.from({ length: 14 }, () => 3 * site + 30 * (random() - 0.5))), { siteId: String(site + 1) }),
    ).flat();
    const found = answers(madeCampaign({ sites: 6, rounds: 14, adjustment }), visits);
    const named = found.map(({ signedRank }) => (signedRank?.adjustedP ?? 1) <= 0.05);
    assert.ok(named.includes(true) && named.includes(false), `${adjustment}: ${named}`);
    for (const [i, { shift }] of found.entries()) {
      const holdsZero = shift?.low == null || shift.high === null || (shift.low <= 0 && shift.high >= 0);
      assert.equal(holdsZero, !named[i], `${adjustment}, ${i}: ${JSON.stringify(shift)}`);
    }
  }
});

test('what could never be told takes no part once all rounds are done: fewer than six rounds that are no tie', () => {
  const one = madeVisits(roundsOfChanges(...(family[1] as number[])));
  const few = [2, 3, 4].flatMap((site) => madeVisits(roundsOfChanges(-5, -6, 0, -7, -8, 0, -9, 0), { siteId: String(site) }));
  const [first, second] = answers(madeCampaign({ sites: 4, rounds: 8 }), [...one, ...few]);
  assert.equal(first?.signedRank?.adjustedP, 4 / 256);
  assert.equal(first?.verdict.outcome, 'h3-faster');
  assert.equal(second?.signedRank?.adjustedP, second?.signedRank?.p);
});

test('rounds that are ties, or in which both failed, are on no side', () => {
  const named = (...rounds: MadeRound[]) => answer(madeCampaign({ rounds: rounds.length }), madeVisits(rounds)).verdict.outcome;
  const higher = [1100, 1110, 1120].map((h3): MadeRound => [1000, h3]);
  assert.equal(named(...higher), 'not-shown-yet');
  assert.equal(named(...higher, [1000, 1000]), 'inconclusive');
  assert.equal(named(...higher, [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]), 'inconclusive');
});

test('Benjamini and Hochberg over the same, by hand: 8 and 8, 13.3 and 28, over 256', () => {
  const found = answers(madeCampaign({ sites: 4, rounds: 8, adjustment: 'benjamini-hochberg' }), familyVisits());
  assert.deepEqual(
    found.map(({ signedRank }) => Math.round((signedRank?.adjustedP ?? 0) * 2560)),
    [80, 80, 133, 280],
  );
  // Two of four are named: the intervals of theirs are of 5 % · 2 ÷ 4, the others' of what would name them, 5 % · 3 ÷ 4.
  assert.deepEqual(
    found.map(({ shiftConfidence }) => shiftConfidence),
    [1 - 0.05 / 2, 1 - 0.05 / 2, 1 - (0.05 * 3) / 4, 1 - (0.05 * 3) / 4],
  );
  assert.deepEqual(
    found.map(({ signedRank }) => (signedRank?.familyP ?? 0) * 256),
    [2, 4, 10, 28],
  );
});

test('by Benjamini and Hochberg’s correction six rounds on one side are enough where all differ, and not shown yet where one does', () => {
  const onOneSide = roundsOfChanges(20, 22, 19, 25, 21, 18);
  const none = roundsOfChanges(20, -21, 19, -18, 22, -17);
  const outcomes = (...differ: boolean[]) =>
    answers(
      madeCampaign({ sites: differ.length, rounds: 6, adjustment: 'benjamini-hochberg' }),
      differ.flatMap((differs, i) => madeVisits(differs ? onOneSide : none, { siteId: String(i + 1) })),
    );
  assert.deepEqual(
    outcomes(true, true, true, true).map(({ verdict }) => verdict.outcome),
    Array(4).fill('h2-faster'),
  );
  const [alone, other] = outcomes(true, false, false, false);
  assert.equal(alone?.verdict.outcome, 'not-shown-yet');
  // 2 ÷ 2ⁿ is at most 5 % ÷ 4 from n = 8 on.
  assert.match(alone?.verdict.words ?? '', / can’t reach 95 % over 4 comparisons \(.*\); 8 can\.$/);
  assert.equal(other?.verdict.outcome, 'inconclusive');
  assert.deepEqual(doubts(other as Comparison), []);
});

test('a site that has no rounds yet counts in its family, so that no winner has to be taken back when it has', () => {
  const visits = madeVisits(roundsOfChanges(...(family[1] as number[])));
  const [first] = answers(madeCampaign({ sites: 4, rounds: 8 }), visits, false);
  assert.equal(first?.signedRank?.adjustedP, (4 * 4) / 256);
  assert.equal(first?.verdict.outcome, 'inconclusive');
});

test('what explores does not touch the answer: neither other metrics nor other protocols are in its family', () => {
  const plain = madeVisits(roundsOfChanges(...(family[1] as number[])));
  const [alone] = answers(madeCampaign({ rounds: 8 }), plain);
  const rich = (family[1] as number[]).map(
    (percent, i): MadeRound => [
      { onLoad: 1000, speedIndex: 500 + i, largestContentfulPaint: 300 - i },
      { onLoad: 1000 + 10 * percent, speedIndex: 501 + (i % 3), largestContentfulPaint: 310 + i },
      { onLoad: 700 + i, speedIndex: 100, largestContentfulPaint: 100 },
    ],
  );
  const [among] = answers(madeCampaign({ rounds: 8, protocols: ['h2', 'h3', 'h1'] }), madeVisits(rich));
  assert.deepEqual(among, alone);
});

test('metrics are corrected each by itself: onLoad of all sites, SpeedIndex of all sites', () => {
  const visits = family.flatMap((percents, i) =>
    madeVisits(
      percents.map(
        (percent): MadeRound => [
          { onLoad: 1000, speedIndex: 1000 },
          { onLoad: 1000 + 10 * percent, speedIndex: 1000 - 10 * percent },
        ],
      ),
      { siteId: String(i + 1) },
    ),
  );
  const { cells } = campaignResults(madeCampaign({ sites: 4, rounds: 8 }), visits);
  const bySpeedIndex = cells.map(({ comparisons }) => comparisons.find(({ metric }) => metric === 'speedIndex'));
  assert.deepEqual(
    bySpeedIndex.map((found) => [found?.confirmatory, Math.round((found?.signedRank?.adjustedP ?? 0) * 256)]),
    [8, 12, 20, 28].map((count) => [false, count]),
  );
});

test('a campaign that has rounds to come, or was called off, names no winner and calls nothing equivalent', () => {
  for (const percents of [clearlyFaster, clearlyFaster.map((percent) => -percent), clearlyFaster.map((percent) => percent / 100)]) {
    const done = answer(madeCampaign(), madeVisits(roundsOfChanges(...percents)));
    const open = answer(madeCampaign({ rounds: 20 }), madeVisits(roundsOfChanges(...percents)), false);
    assert.notEqual(done.verdict.outcome, 'inconclusive');
    assert.equal(open.verdict.outcome, 'inconclusive');
    assert.deepEqual(doubts(open), ['unfinished']);
    assert.equal(open.verdict.moreRounds, null);
  }
});

test('exchanging the times of two protocols exchanges the winner, whatever the times', () => {
  const random = randomSource(7);
  const swapped = { 'h3-faster': 'h2-faster', 'h2-faster': 'h3-faster' } as Record<string, string>;
  const seen = new Map<string, number>();
  for (let i = 0; i < 200; i++) {
    const tilt = 1 + 0.3 * (random() - 0.5);
    const rounds = Array.from({ length: 12 }, (): [number, number] => [900 + 200 * random(), tilt * (900 + 200 * random())]);
    const there = answer(madeCampaign(), madeVisits(rounds));
    const back = answer(madeCampaign(), madeVisits(rounds.map(([h2, h3]) => [h3, h2])));
    assert.equal(back.verdict.outcome, swapped[there.verdict.outcome] ?? there.verdict.outcome);
    if (there.verdict.outcome === 'h3-faster') assert.ok((there.shift?.value ?? 0) < 0 && (there.delta?.value ?? 0) < 0.05);
    seen.set(there.verdict.outcome, (seen.get(there.verdict.outcome) ?? 0) + 1);
  }
  assert.ok((seen.get('h3-faster') ?? 0) > 20 && (seen.get('h2-faster') ?? 0) > 20 && (seen.get('inconclusive') ?? 0) > 20);
});

test('rounds that miss one side are left out of the pairs, and are a doubt when there are many', () => {
  const missing = (count: number): MadeRound[] => Array.from({ length: count }, () => [1000, null]);
  const few = answer(madeCampaign(), madeVisits([...roundsOfChanges(...clearlyFaster), ...missing(2)]));
  assert.equal(few.rounds, 10);
  assert.equal(few.verdict.outcome, 'h3-faster');
  const many = answer(madeCampaign(), madeVisits([...roundsOfChanges(...clearlyFaster), ...missing(3)]));
  assert.equal(many.verdict.outcome, 'inconclusive');
  assert.deepEqual(doubts(many), ['invalid-visits']);
});

test('rounds that the measurement lost are a doubt when there are many; what was repeated leaves no trace', () => {
  const visits = madeVisits(roundsOfChanges(...clearlyFaster));
  const tries = [1, 2, 3].map((round) => invalidVisit(round, 1, 'busy-machine'));
  assert.equal(answer(madeCampaign(), [...visits, ...tries]).verdict.outcome, 'h3-faster');
  const lost = answer(madeCampaign(), [...visits.filter(({ roundNumber, slot }) => roundNumber > 3 || slot === 0), ...tries]);
  assert.deepEqual(doubts(lost), ['invalid-visits']);
  assert.match(lost.verdict.words, /Not measured over HTTP\/3: 3 of 10 rounds; the remaining ones may not be representative\.$/);
});

test('visits that failed are the slowest, not lost', () => {
  const rounds = clearlyFaster.map((percent, round): MadeRound => [round < 3 ? Number.POSITIVE_INFINITY : 1000, 1000 + 10 * percent]);
  const found = answer(madeCampaign(), madeVisits(rounds));
  assert.equal(found.rounds, 10);
  assert.deepEqual([found.failures.candidate, found.failures.baseline, found.failures.p], [0, 3, 0.25]);
  assert.equal(found.verdict.outcome, 'h3-faster');
});

test('a metric that a page lacks is missing, not invalid', () => {
  const rounds = clearlyFaster.map(
    (percent, i): MadeRound => [
      { onLoad: 1000, speedIndex: i < 3 ? null : 500 },
      { onLoad: 1000 + 10 * percent, speedIndex: i < 3 ? null : 400 + i },
    ],
  );
  const [group] = campaignResults(madeCampaign(), madeVisits(rounds)).cells;
  const bySpeedIndex = group?.comparisons.find(({ metric }) => metric === 'speedIndex');
  assert.equal(confirmatory(group?.comparisons ?? []).verdict.outcome, 'h3-faster');
  assert.equal(bySpeedIndex?.rounds, 7);
  assert.match(
    bySpeedIndex?.verdict.words ?? '',
    /In 3 of 10 rounds SpeedIndex is missing over one protocol or both; the remaining rounds/,
  );
});

test('a metric that is 0 in some round is compared by its differences', () => {
  const campaign = madeCampaign({ primaryMetric: 'totalBlockingTime' });
  const rounds = clearlyFaster.map((_, i): MadeRound => [{ totalBlockingTime: 50 + 10 * i }, { totalBlockingTime: 5 * i }]);
  const { verdict, shift, equivalence } = answer(campaign, madeVisits(rounds));
  assert.deepEqual([verdict.outcome, shift, equivalence], ['h3-faster', null, null]);
  assert.equal(verdict.moreRounds, null);
  const turned = answer(campaign, madeVisits(rounds.map(([h2, h3]): MadeRound => [h3 as object, h2 as object])));
  assert.equal(turned.verdict.outcome, 'h2-faster');
  assert.match(turned.verdict.words, /^HTTP\/2 is faster: Total Blocking Time is higher over HTTP\/3 than over HTTP\/2 \(/);
});

test('with two slots of a protocol (A/A) a round is represented by the first that has a number, not by their mean', () => {
  const campaign = madeCampaign({ protocols: ['h2', 'h3', 'h2'] });
  const rounds = clearlyFaster.map((percent): MadeRound => [1000, 1000 + 10 * percent, 3000]);
  const found = answer(campaign, madeVisits(rounds));
  assert.deepEqual(found.signedRank, answer(madeCampaign(), madeVisits(roundsOfChanges(...clearlyFaster))).signedRank);
  // The published H3-Delta is of all visits: 20 of h2 with a median of 2000.
  assert.equal(found.delta?.value, (875 - 2000) / 2000);
  assert.equal(
    answer(campaign, madeVisits(rounds.map(([, h3, second]): MadeRound => [null, h3 ?? null, second ?? null]))).shift?.value?.toFixed(2),
    '-0.71',
  );
});

test('two slots against one name no more winners under the null than one against one, where the mean of two would in a fifth', () => {
  const random = randomSource(8);
  let winners = 0;
  for (let i = 0; i < 150; i++) {
    const ms = () => 300 * Math.exp(-Math.log(1 - random()));
    const rounds = Array.from({ length: 50 }, (): MadeRound => [ms(), ms(), ms()]);
    const { signedRank } = answer(madeCampaign({ protocols: ['h2', 'h2', 'h3'] }), madeVisits(rounds));
    if ((signedRank?.p ?? 1) <= 0.05) winners++;
  }
  // 5 % of 150 are 7.5, and 16 lie three standard deviations above.
  assert.ok(winners <= 16, `${winners} of 150`);
});

test('what h3 lost in the browser’s buffer is a doubt where h3 loses, and says nothing of h2 against h1', () => {
  const rounds = clearlyFaster.map((percent): MadeRound => [1000 + 10 * percent, 1000, 700 + percent]);
  const visits = madeVisits(rounds).map((visit) => (visit.slot === 1 && visit.verdict === 'valid' ? { ...visit, receiveDrops: 9 } : visit));
  const [group] = campaignResults(madeCampaign({ protocols: ['h2', 'h3', 'h1'] }), visits).cells;
  assert.deepEqual(
    group?.comparisons
      .filter(({ metric }) => metric === 'onLoad')
      .map(({ candidate, baseline, verdict }) => [candidate, baseline, verdict.outcome, verdict.doubts.map(({ doubt }) => doubt).join()]),
    [
      ['h3', 'h2', 'inconclusive', 'receive-drops'],
      ['h3', 'h1', 'inconclusive', 'receive-drops'],
      ['h2', 'h1', 'h1-faster', ''],
    ],
  );
});

test('no winner is named against two modes', () => {
  // An eighth of the visits over h3 wait a second; else it is a tenth faster.
  const rounds = Array.from({ length: 40 }, (_, i): MadeRound => [300 + (i % 7) / 10, (i % 8 === 0 ? 1300 : 270) + (i % 5) / 10]);
  const { verdict, signedRank } = answer(madeCampaign(), madeVisits(rounds));
  assert.ok((signedRank?.adjustedP ?? 1) <= 0.05, `p = ${signedRank?.adjustedP}`);
  assert.equal(verdict.outcome, 'inconclusive');
  assert.match(verdict.words, /onLoad has two modes, over HTTP\/3 around 270 and 1300 ms: which protocol is faster depends on the mode\.$/);
});

test('from few rounds nothing but the least that a difference takes among the others is told, and nothing where there are as many', () => {
  const visits = (sites: number) =>
    Array.from({ length: sites }, (_, i) =>
      madeVisits(roundsOfChanges(-30, 9, -22, 14, -18, 3, -25, 12), { siteId: String(i + 1) }),
    ).flat();
  assert.equal(answer(madeCampaign(), visits(1)).verdict.moreRounds, null);
  assert.deepEqual(answer(madeCampaign({ sites: 20 }), visits(20)).verdict.moreRounds, {
    least: 2,
    givenUp: false,
    words: 'Needs at least 2 more rounds.',
  });
});

test('by Hommel, and Benjamini and Hochberg, six rounds can be enough among many comparisons, by Holm they can’t, and so it is said', () => {
  const sites = 20;
  const visits = Array.from({ length: sites }, (_, i) =>
    madeVisits(roundsOfChanges(-8, -9, 10, -11, -12), { siteId: String(i + 1) }),
  ).flat();
  const words = (adjustment: 'hommel' | 'holm' | 'benjamini-hochberg') =>
    answer(madeCampaign({ sites, adjustment }), visits).verdict.doubts[0]?.words;
  assert.equal(words('holm'), 'Needs at least 10 rounds for 20 comparisons; has 5.');
  for (const adjustment of ['hommel', 'benjamini-hochberg'] as const)
    assert.equal(words(adjustment), 'Needs at least 6 rounds for 20 comparisons, or 10 if no other shows a difference; has 5.');
});

test('a difference is called practical only where a winner is named: the unpaired test is not corrected', () => {
  const sure = answer(madeCampaign(), madeVisits(roundsOfChanges(...clearlyFaster.map((percent) => 2 * percent))));
  assert.deepEqual([sure.practical, sure.verdict.outcome], [true, 'h3-faster']);
  // Eleven sites on which nothing differs, and one that differs enough by itself.
  const of = (sites: number) =>
    answer(
      madeCampaign({ sites, rounds: 8, adjustment: 'holm' }),
      Array.from({ length: sites }, (_, i) =>
        madeVisits(roundsOfChanges(...(i === 0 ? [-20, -22, -24, -26, -28, -30, -32, -34] : [1, -1, 2, -2, 3, -3, 4, -4])), {
          siteId: String(i + 1),
        }),
      ).flat(),
    );
  const [alone, among] = [of(1), of(12)];
  assert.ok((alone.mannWhitney?.p ?? 1) < 0.05 && among.mannWhitney?.p === alone.mannWhitney?.p);
  assert.deepEqual([alone.practical, among.practical], [true, false]);
});

test('a group is settled by an answer, or where a slot has no valid visit at all', proves('until-settled'), () => {
  const settled = (rounds: readonly MadeRound[]) =>
    isSettled(campaignResults(madeCampaign(), madeVisits(rounds)).cells[0] as Parameters<typeof isSettled>[0]);
  assert.equal(settled(roundsOfChanges(...clearlyFaster)), true);
  assert.equal(settled(roundsOfChanges(-10, 20, -30, 40, 5, -20)), false);
  assert.equal(settled([[1000, null]]), true);
});

test('a group whose last look would hardly settle it gets no more rounds, and says so', () => {
  const unclear = [-30, 31, -10, 12, -50, 49, -21, 20, -40, 42];
  const of = (maximumRounds: number) =>
    campaignResults(madeCampaign({ rounds: 10, maximumRounds }), madeVisits(roundsOfChanges(...unclear)), [], true).cells[0];
  const [soon, late] = [of(15), of(60)];
  assert.deepEqual([soon && isSettled(soon), late && isSettled(late)], [true, false]);
  const words = soon?.comparisons.find(({ confirmatory }) => confirmatory)?.verdict.moreRounds?.words;
  assert.match(words ?? '', /Its maximum of 15 would hardly be enough, so the campaign adds none here\.$/);
});
