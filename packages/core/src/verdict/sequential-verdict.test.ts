import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MadeRound, madeCampaign, madeVisits, roundsOfChanges } from '../../fixtures/made-campaign.ts';
import { answerQuestion, measure } from '../campaign/measured/measured.ts';
import { campaignResults } from '../campaign/results.ts';
import { randomSource } from '../math/random.ts';
import { signedRankTest } from '../math/signed-rank.ts';
import type { Comparison } from '../schemas/comparison.ts';
import { samples } from '../testing/proves.ts';
import { looksOf } from './sequential.ts';

// Looks after 10, 15, 23, 35 and 60 rounds; what a look may spend is 0.05 ÷ 60 for each round since the one before.
const campaign = madeCampaign({ rounds: 10, maximumRounds: 60 });
const share = (rounds: number) => rounds / 60;

/** The answer of a campaign that goes on (complete: no round is left that was planned). */
function answer(rounds: readonly MadeRound[], { complete = false, of = campaign } = {}): Comparison {
  const [group] = campaignResults(of, madeVisits(rounds), [], complete).cells;
  return group?.comparisons.find(({ confirmatory }) => confirmatory) as Comparison;
}
const pOf = (percents: readonly number[]) => signedRankTest(percents.map((percent) => Math.log((1000 + 10 * percent) / 1000))).p;
const adjustedP = (percents: readonly number[], options = {}) =>
  answer(roundsOfChanges(...percents), options).signedRank?.adjustedP ?? Number.NaN;
const closeTo = (actual: number, expected: number) => assert.ok(Math.abs(actual - expected) < 1e-12, `${actual}, expected ${expected}`);

const faster = [-8, -9, -10, -11, -12, -13, -14, -15, -16, -17];
const alike = faster.map((percent, i) => (i % 2 === 0 ? percent : -percent) / 50);
const unclear = [-8, 9, -10, 11, -12, -13, 14, -15, 16, -17];
const given = (count: number): MadeRound[] => Array.from({ length: count }, () => [null, null]);

test('the looks are those that this file counts on', () => {
  assert.deepEqual(
    looksOf(campaign.spec, 1)?.map(({ rounds }) => rounds),
    [10, 15, 23, 35, 60],
  );
});

test('at a look p is corrected for all looks, and the interval is as sure as the look’s level', () => {
  const { signedRank, verdict, confidence } = answer(roundsOfChanges(...faster));
  closeTo(signedRank?.p ?? 0, 2 / 1024);
  closeTo(signedRank?.adjustedP ?? 0, 2 / 1024 / share(10));
  closeTo(confidence, 1 - 0.05 * share(10));
  assert.equal(
    verdict.words,
    'HTTP/3 is faster: the page finishes loading 125 ms (13 %) sooner over HTTP/3 than over HTTP/2; 99.17 % sure it is 9 to 16 % (10 rounds, p = 0.012 corrected for 5 looks).',
  );
});

test('before the first look there is no verdict, not even equivalence, however clear the rounds are', () => {
  for (const percents of [faster, alike]) {
    const { verdict, signedRank } = answer(roundsOfChanges(...percents.slice(0, 9)));
    assert.equal(verdict.outcome, 'inconclusive');
    assert.deepEqual(
      verdict.doubts.map(({ doubt }) => doubt),
      ['unfinished'],
    );
    assert.equal(signedRank?.adjustedP, 1);
    assert.notEqual(answer(roundsOfChanges(...percents)).verdict.outcome, 'inconclusive');
  }
});

test('rounds since the last look wait for the next one: nobody planned to look at them', () => {
  const atLook = answer(roundsOfChanges(...unclear));
  assert.equal(atLook.verdict.outcome, 'inconclusive');
  for (const later of [faster, alike, faster.map((percent) => -5 * percent)]) {
    for (const count of [1, 4]) assert.deepEqual(answer(roundsOfChanges(...unclear, ...later.slice(0, count))), atLook);
  }
});

test('where medians are of more rounds than the verdict, results say so', () => {
  const sinceLook = (percents: readonly number[], of = campaign) =>
    campaignResults(of, madeVisits(roundsOfChanges(...percents)), [], false).cells[0]?.sinceLook;
  assert.deepEqual(sinceLook([...unclear, 1, 2]), {
    judged: 10,
    finished: 12,
    words: 'The verdict and the comparisons are of the 10 rounds until the last planned look; the medians are of all 12 so far.',
  });
  assert.equal(sinceLook(unclear), null);
  assert.equal(sinceLook(unclear.slice(0, 7)), null, 'before the first look all rounds are looked at, and no verdict is given');
  assert.equal(sinceLook([...unclear, 1, 2], madeCampaign({ rounds: 20 })), null);
});

test('at the second look the smaller of both looks’ p counts, each by what its look may spend', () => {
  const fifteen = [...unclear, -20, -21, -22, -23, -24];
  const { rounds, signedRank } = answer(roundsOfChanges(...fifteen));
  assert.equal(rounds, 15);
  closeTo(signedRank?.p ?? 0, pOf(fifteen));
  closeTo(signedRank?.adjustedP ?? 0, Math.min(1, pOf(unclear) / share(10), pOf(fifteen) / share(5)));
  const undone = [...faster, 30, -31, 32, -33, 34];
  closeTo(adjustedP(undone), Math.min(pOf(faster) / share(10), pOf(undone) / share(5)));
});

test('a look at which some rounds had been given up takes place with those that are left, once the others had their turn', () => {
  const eight = [...roundsOfChanges(...faster.slice(0, 8)), ...given(2)];
  assert.deepEqual(
    answer(eight).verdict.doubts.map(({ doubt }) => doubt),
    ['unfinished'],
  );
  closeTo(answer(eight, { complete: true }).signedRank?.adjustedP ?? 0, 2 / 256 / share(10));
  assert.equal(answer(eight, { complete: true }).verdict.outcome, 'h3-faster');
  // Once a later round finished, the look is known to be over.
  assert.equal(answer([...eight, [1000, 990]]).verdict.outcome, 'h3-faster');
});

test('the last look takes place even where the last round was given up', () => {
  const sixty = Array.from({ length: 59 }, (_, i) => (unclear[i % 10] as number) - 3);
  const last = answer([...roundsOfChanges(...sixty), ...given(1)], { complete: true });
  assert.equal(last.rounds, 59);
  closeTo(last.confidence, 1 - 0.05 * share(25));
  assert.equal(answer([...roundsOfChanges(...sixty), ...given(1)]).rounds, 35);
});

test('a campaign without a single round has nothing to tell, and is not equivalent', () => {
  assert.equal(answer([], { complete: true }).verdict.outcome, 'inconclusive');
});

test('what was claimed stays claimed: the corrected p never grows, as long as the rounds go on speaking for one side', () => {
  const random = randomSource(9);
  for (let i = 0; i < samples(4, 20); i++) {
    const percents = Array.from({ length: 60 }, () => -8 + 30 * (random() - 0.5));
    let before = 1;
    for (let count = 10; count <= 60; count++) {
      const now = adjustedP(percents.slice(0, count));
      assert.ok(now <= before + 1e-12);
      before = now;
    }
  }
});

test('a look that spoke for the other side does not speak for this one', () => {
  // Ten rounds for h3, then most for h2: in the end h2 is ahead, but not for sure.
  const turned = [...faster, ...Array.from({ length: 50 }, (_, i) => (i % 5 < 2 ? -24 : 31) + i / 100)];
  const p = (count: number) => pOf(turned.slice(0, count));
  assert.ok(p(10) <= 0.05 * share(10));
  const { verdict, signedRank } = answer(roundsOfChanges(...turned));
  assert.ok((signedRank?.rankBiserial ?? 0) > 0);
  closeTo(signedRank?.adjustedP ?? 0, Math.min(1, p(60) / share(25)));
  assert.ok((signedRank?.adjustedP ?? 0) > 0.05);
  assert.equal(verdict.outcome, 'inconclusive');
});

test('of rounds on one side that are too few it is told at which look they could be enough', () => {
  const of = madeCampaign({ sites: 9, rounds: 9, maximumRounds: 60 });
  const visits = Array.from({ length: 9 }, (_, i) =>
    madeVisits(roundsOfChanges(...(i === 0 ? faster : unclear).slice(0, 9)), { siteId: `${i + 1}` }),
  );
  const [group] = campaignResults(of, visits.flat(), [], false).cells;
  const question = group?.comparisons.find(({ confirmatory }) => confirmatory);
  // Twelve would reach the level of the look after nine; the next look is after 14.
  assert.match(question?.verdict.words ?? '', / can’t reach 95 % over 9 comparisons \(.*\); 14 can\.$/);
});

test('what was claimed beside another comparison stays claimed when that one turns to the other side', () => {
  // At ten rounds p over all looks is 6 · 2 ÷ 1024 of the first, and twice that of the second and third, without which the first were not named.
  const almost = [0.5, ...faster.slice(1)];
  const turned = [...almost, 50, 51, 52, 53, 54];
  const of = (third: readonly number[]) => {
    const sites = [faster, almost, third, unclear, unclear].map((percents, i) =>
      madeVisits(roundsOfChanges(...percents), { siteId: `${i + 1}` }),
    );
    const { cells } = campaignResults(madeCampaign({ sites: 5, rounds: 10, maximumRounds: 60 }), sites.flat(), [], false);
    return cells.map(({ comparisons }) => comparisons.find(({ confirmatory }) => confirmatory) as Comparison);
  };
  for (const third of [almost, turned]) {
    const outcomes = of(third).map(({ verdict }) => verdict.outcome);
    assert.deepEqual(outcomes, ['h3-faster', ...Array(4).fill('inconclusive')]);
  }
  const { signedRank } = of(turned)[2] as Comparison;
  assert.ok((signedRank?.rankBiserial ?? 0) > 0);
  assert.equal(signedRank?.adjustedP, 1, 'the turned one owes nothing to the look that spoke for the other side');
});

test('who plans rounds by a look counts those that have few yet: with more of them they would take a winner back', () => {
  // Of five comparisons 6 · 2 ÷ 1024 names none, of four it does; the second has five rounds that are no tie.
  const tied = unclear.map((percent, i) => (i < 5 ? 0 : percent));
  const of = madeCampaign({ sites: 5, rounds: 10, maximumRounds: 60 });
  const first = (second: readonly MadeRound[], mayGrow: boolean) => {
    const others = [second, ...Array.from({ length: 3 }, () => roundsOfChanges(...unclear))];
    const visits = [roundsOfChanges(...faster), ...others].flatMap((rounds, i) => madeVisits(rounds, { siteId: `${i + 1}` }));
    return [...answerQuestion(measure(of, visits), { complete: true, mayGrow })][0]?.comparison?.verdict.outcome;
  };
  assert.equal(first(roundsOfChanges(...tied), false), 'h3-faster');
  assert.equal(first(roundsOfChanges(...tied), true), 'not-shown-yet');
  assert.equal(first(roundsOfChanges(...tied, -8, 9, 10, -11, 12), false), 'not-shown-yet', 'they came');
  const never = Array.from({ length: 10 }, (): MadeRound => [1000, Number.POSITIVE_INFINITY]);
  assert.equal(first(never.slice(0, 5), true), 'h3-faster', 'it never loaded, and gets none');
});

test('equivalence is shown at the level of the look, by an interval that leaves out no more than the look may spend', () => {
  const { verdict, equivalence } = answer(roundsOfChanges(...alike));
  assert.equal(verdict.outcome, 'equivalent');
  closeTo(equivalence?.confidence ?? 0, 1 - 2 * 0.05 * share(10));
  assert.match(verdict.words, /\(98\.3 % interval, 10 rounds\), inside the margin of 5 %; 10 rounds say too little about slow visits\.$/);
});

test('a campaign of a fixed number of rounds gives each level away at once', () => {
  const fixed = madeCampaign({ rounds: 10 });
  closeTo(adjustedP(faster, { complete: true, of: fixed }), 2 / 1024);
});
