import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Doubt } from '../vocabulary/verdict.ts';
import { type Compared, compare } from './comparison.ts';
import { minRoundsAt } from './doubts.ts';
import type { Modes } from './modes.ts';
import { type Circumstances, decide } from './verdict.ts';

/** h3 against h2, whose every load takes 1000 ms, with h3 so much per cent more. */
function compared(percents: readonly number[], { adjustedP, ...given }: Partial<Compared> & { adjustedP?: number } = {}): Compared {
  const pairs = percents.map((percent) => ({ candidate: 1000 + 10 * percent, baseline: 1000 }));
  const candidateValues = pairs.map(({ candidate }) => candidate);
  const baselineValues = pairs.map(({ baseline }) => baseline);
  const found = compare(
    { metric: 'onLoad', candidate: 'h3', baseline: 'h2', candidateValues, baselineValues, pairs, confirmatory: true },
    { margin: 0.05, seed: 1 },
  );
  const signedRank = found.signedRank && { ...found.signedRank, adjustedP: adjustedP ?? found.signedRank.p };
  return { ...found, signedRank, ...given };
}

const more = { least: 7, givenUp: false, words: 'Seven.' };
const calm: Circumstances = {
  adjustment: 'hommel',
  comparisons: 1,
  planned: 1,
  looks: 1,
  level: 0.05,
  minRounds: 6,
  soleRounds: 6,
  enoughRounds: 6,
  tiedRounds: 0,
  lostRounds: { candidate: 0, baseline: 0 },
  finishedRounds: 10,
  notLoaded: null,
  modes: () => ({ candidate: null, baseline: null }),
  linkDoubt: null,
  overrunShare: 0,
  pageDoubts: [],
  winnerLacks: () => null,
  h3Shares: null,
  unfinished: false,
  moreRounds: () => more,
};
const doubtsOf = (comparison: Compared, circumstances: Partial<Circumstances>): Doubt[] =>
  decide(comparison, { ...calm, ...circumstances }).doubts.map(({ doubt }) => doubt);

const faster = compared([-8, -9, -10, -11, -12, -13, -14, -15, -16, -17]);
const slower = compared([8, 9, 10, 11, 12, 13, 14, 15, 16, 17]);
const alike = compared([-1, 1.1, -0.5, 0.6, -0.2, 0.3, 0.9, -0.8, 0.4, -0.1]);
const unclear = compared([-20, 21, -15, 16, -5, 6, 9, -8, 30, -31]);
const outcomes = [faster, slower, alike, unclear];

test('HTTP/3 is faster where the test on rounds says so and nothing speaks against it', () => {
  assert.deepEqual(decide(faster, calm), {
    outcome: 'h3-faster',
    words:
      'HTTP/3 is faster: the page finishes loading 125 ms (13 %) sooner over HTTP/3 than over HTTP/2; 95 % sure it is 10 to 15 % (10 rounds, p = 0.002).',
    doubts: [],
    moreRounds: null,
  });
});

test('HTTP/2 is faster where HTTP/3 takes longer', () => {
  const { outcome, words } = decide(slower, { ...calm, comparisons: 12 });
  assert.equal(outcome, 'h2-faster');
  assert.equal(
    words,
    'HTTP/2 is faster: the page finishes loading 125 ms (12 %) later over HTTP/3 than over HTTP/2; 95 % sure it is 10 to 15 % (10 rounds, p = 0.002 corrected for 12 comparisons).',
  );
});

test('where the share of false winners is kept, a winner says so, and an open one does not', () => {
  const many: Circumstances = { ...calm, adjustment: 'benjamini-hochberg', comparisons: 1200 };
  const sentence = ' On average, at most 5 % of the winners named among 1,200 comparisons are false.';
  assert.ok(decide(slower, many).words.endsWith(`p = 0.002 corrected for 1,200 comparisons).${sentence}`));
  assert.ok(!decide(unclear, many).words.includes('on average'));
  assert.ok(!decide(slower, { ...many, comparisons: 1 }).words.includes('on average'));
});

test('they are equivalent where the interval lies inside the margin', () => {
  assert.deepEqual(decide(alike, calm), {
    outcome: 'equivalent',
    words:
      'Typically no difference that matters: onLoad over HTTP/3 is between 0.4 % lower and 0.5 % higher than over HTTP/2 (90 % interval, 10 rounds), inside the margin of 5 %; 10 rounds say too little about slow visits.',
    doubts: [],
    moreRounds: null,
  });
});

/** h3 as fast as h2 but for every so-manieth round, in which it takes 40 % more. */
const slowIn = (rounds: number, every: number) =>
  compared(Array.from({ length: rounds }, (_, round) => (round % every === every - 1 ? 40 : ((round * 7) % 11) / 10 - 0.5)));

test('equivalence says for how many loads it is shown, and that it is not corrected', () => {
  const wordsOf = (comparison: Compared, given: Partial<Circumstances> = {}) => {
    const { outcome, words } = decide(comparison, { ...calm, finishedRounds: comparison.rounds, ...given });
    return outcome === 'equivalent' ? words : outcome;
  };
  assert.match(
    wordsOf(slowIn(20, 99), { planned: 60 }),
    /^Typically, and at the upper quartile, no difference that matters: .* \(90 % interval, 20 rounds; not corrected for 60 comparisons\), inside the margin of 5 %; at the upper quartile 0\.\d to 0\.\d % higher; 20 rounds say too little about the slowest tenth\.$/,
  );
  assert.match(
    wordsOf(slowIn(50, 99)),
    /^No difference that matters, typically and at the upper decile: .*; at the upper decile 0\.\d to 0\.\d % higher\.$/,
  );
  assert.match(
    wordsOf(slowIn(50, 12)),
    /^Typically no difference that matters: .*, inside the margin of 5 %; not shown for slow visits: at the upper decile between [\d.]+ % lower and \d+ % higher\.$/,
  );
});

test('two whose slow loads are shown to differ by more than the margin are not equivalent', () => {
  const slow = slowIn(100, 5);
  assert.equal(slow.equivalence?.equivalent, true, 'typically they are');
  const { outcome, words, doubts } = decide(slow, { ...calm, finishedRounds: 100 });
  assert.equal(outcome, 'inconclusive');
  assert.deepEqual(
    doubts.map(({ doubt }) => doubt),
    ['slow-loads'],
  );
  assert.match(
    words,
    /^Equivalent in typical visits, not in slow ones: onLoad .*, inside the margin of 5 %\. At the upper decile onLoad over HTTP\/3 is \d+ to \d+ % higher than over HTTP\/2: slow visits differ by more than the margin\.$/,
  );
  const fast = compared(Array.from({ length: 100 }, (_, round) => (round % 5 === 0 ? -40 : 0)));
  assert.equal(
    decide(fast, { ...calm, finishedRounds: 100 }).outcome,
    'equivalent',
    'the loads in which it is faster are not the slow ones',
  );
});

test('a difference that is certain and inside the margin is none that matters', () => {
  const { outcome, words } = decide(compared([-1, -1.2, -1.4, -1.6, -1.8, -2, -2.2, -2.4, -2.6, -2.8]), calm);
  assert.equal(outcome, 'equivalent');
  assert.match(words, /is 1\.5 to 2\.3 % lower than over HTTP\/2/);
});

test('else no difference is clear, and how many more rounds might show one is computed', () => {
  assert.deepEqual(decide(unclear, { ...calm, comparisons: 1200, looks: 4 }), {
    outcome: 'inconclusive',
    words:
      'No clear difference in onLoad between HTTP/3 and HTTP/2 (95 % interval: between 14 % lower and 15 % higher; 10 rounds, p = 1 corrected for 1,200 comparisons and 4 looks).',
    doubts: [],
    moreRounds: more,
  });
});

test('the corrected p decides, not the p by itself', () => {
  const { outcome, words } = decide({ ...faster, signedRank: faster.signedRank && { ...faster.signedRank, adjustedP: 0.0504 } }, calm);
  assert.equal(outcome, 'inconclusive');
  assert.match(words, /^No clear difference in .*, p = 0\.0504\)\.$/);
  assert.equal(
    decide({ ...faster, signedRank: faster.signedRank && { ...faster.signedRank, adjustedP: 0.05 } }, calm).outcome,
    'h3-faster',
  );
});

test('without a round that has both there is nothing to tell', () => {
  const { outcome, words, doubts } = decide(compared([]), { ...calm, finishedRounds: 0 });
  assert.equal(outcome, 'inconclusive');
  assert.equal(words, 'No comparison: no round has onLoad over both HTTP/3 and HTTP/2. Needs at least 6 rounds; has 0.');
  assert.deepEqual(
    doubts.map(({ doubt }) => doubt),
    ['too-few-rounds'],
  );
});

test('rounds too few to reach the level are told, with how many it takes; equivalence they may show all the same', () => {
  const [fewest, some] = [minRoundsAt(0.05 / 12), compared([-8, -9, 10, -11, -12])];
  const few = { minRounds: fewest, soleRounds: fewest, enoughRounds: fewest, comparisons: 12, planned: 12, finishedRounds: 5 };
  const { outcome, words, moreRounds } = decide(some, { ...calm, ...few });
  assert.equal(outcome, 'inconclusive');
  assert.match(words, / Needs at least 9 rounds for 12 comparisons; has 5\.$/);
  assert.match(
    decide(some, { ...calm, ...few, minRounds: 6 }).words,
    / Needs at least 6 rounds for 12 comparisons, or 9 if no other shows a difference; has 5\.$/,
  );
  assert.deepEqual(moreRounds, { ...more, words: '' }, 'the doubt says it');
  assert.match(decide(compared([-8]), { ...calm, finishedRounds: 1 }).words, / Needs at least 6 rounds; has 1\.$/);
  assert.deepEqual(decide(compared([-1, 1, 0.5, -0.5, 0.2]), { ...calm, ...few }).doubts, []);
  assert.equal(decide(compared([-1, 1, 0.5, -0.5, 0.2]), { ...calm, ...few }).outcome, 'equivalent');
});

test('all rounds on one side, but too few of them, is not shown yet: with how many it takes, and without an interval that says otherwise', () => {
  const eight = compared([48, 50, 52, 46, 59, 49, 51, 50], { adjustedP: 9 / 2 ** 7 });
  const among = { comparisons: 9, planned: 9, minRounds: 6, soleRounds: 9, enoughRounds: 9, finishedRounds: 8 };
  assert.deepEqual(decide(eight, { ...calm, ...among }), {
    outcome: 'not-shown-yet',
    words:
      'Likely slower over HTTP/3, not proven: onLoad was higher than over HTTP/2 in all 8 rounds, typically by 500 ms (50 %). 8 rounds can’t reach 95 % over 9 comparisons (p = 0.0078 by itself, 0.07 corrected); 9 can.',
    doubts: [],
    moreRounds: { least: 1, givenUp: false, words: '' },
  });
  const three = decide(compared([-8, -9, -10]), { ...calm, finishedRounds: 3 });
  assert.equal(three.outcome, 'not-shown-yet');
  assert.equal(
    three.words,
    'Likely faster over HTTP/3, not proven: onLoad was lower than over HTTP/2 in all 3 rounds, typically by 90 ms (9 %). 3 rounds can’t reach 95 % (p = 0.25); 6 can.',
  );
  assert.equal(decide(compared([-8, -9]), { ...calm, finishedRounds: 2 }).outcome, 'inconclusive', 'of two it is no wonder');
  assert.equal(decide(compared([-8, 9, -10]), { ...calm, finishedRounds: 3 }).outcome, 'inconclusive', 'they are on both sides');
  const tied = decide(compared([0, -9, -10, -11]), { ...calm, finishedRounds: 4, tiedRounds: 1 });
  assert.equal(tied.outcome, 'inconclusive', 'one is on neither side');
  assert.equal(decide(eight, { ...calm, ...among, linkDoubt: 'The link drifted.' }).outcome, 'inconclusive', 'something speaks against it');
  assert.equal(decide(eight, { ...calm, ...among, unfinished: true }).outcome, 'inconclusive', 'rounds are to come');
});

test('by Holm so few rounds can be enough, where other comparisons are significant: then nothing is said against them', () => {
  const seven = compared([-8, -9, -10, -11, -12, -13, -14], { adjustedP: 2 / 2 ** 7 });
  assert.equal(decide(seven, { ...calm, comparisons: 12, minRounds: 9, finishedRounds: 7 }).outcome, 'h3-faster');
});

test('the fewest rounds are those whose smallest p reaches the level', () => {
  assert.deepEqual([0.05, 2 / 2 ** 6, 2 / 2 ** 7, 0.05 / 12, 0.05 / 12_000].map(minRoundsAt), [6, 6, 7, 9, 19]);
});

test('as long as rounds are to come there is no verdict, whatever those that are done say', () => {
  for (const comparison of outcomes) {
    const { outcome, doubts, moreRounds } = decide(comparison, { ...calm, unfinished: true });
    assert.equal(outcome, 'inconclusive');
    assert.equal(doubts[0]?.words, 'Not all rounds are done; an earlier verdict would be wrong more often than it claims.');
    assert.equal(moreRounds, null);
  }
});

test('a link that was not what it should be allows no verdict', () => {
  const linkDoubt = 'The link’s round trip grew by 2.0 ms over the campaign.';
  for (const comparison of outcomes) assert.equal(decide(comparison, { ...calm, linkDoubt }).outcome, 'inconclusive');
  assert.equal(
    decide(faster, { ...calm, linkDoubt }).words,
    `No winner is named, although the page finishes loading 125 ms (13 %) sooner over HTTP/3 than over HTTP/2; 95 % sure it is 10 to 15 % (10 rounds, p = 0.002). ${linkDoubt}`,
  );
});

test('more than a fifth of the rounds that were not measured on one side allows no verdict', () => {
  const lost = (candidate: number) => ({ lostRounds: { candidate, baseline: 0 } });
  for (const comparison of outcomes) {
    assert.deepEqual(doubtsOf(comparison, lost(2)), []);
    assert.equal(decide(comparison, { ...calm, ...lost(3) }).outcome, 'inconclusive');
  }
  assert.equal(
    decide(faster, { ...calm, ...lost(3) }).doubts[0]?.words,
    'Not measured over HTTP/3: 3 of 10 rounds; the remaining ones may not be representative.',
  );
  assert.deepEqual(
    decide(faster, { ...calm, lostRounds: { candidate: 3, baseline: 4 } }).doubts.map(({ words }) => words),
    [
      'Not measured over HTTP/3: 3 of 10 rounds; the remaining ones may not be representative.',
      'Not measured over HTTP/2: 4 of 10 rounds; the remaining ones may not be representative.',
    ],
  );
});

test('more than a fifth of the rounds without a number on both sides allows no verdict', () => {
  for (const comparison of outcomes) {
    assert.deepEqual(doubtsOf(comparison, { finishedRounds: 12 }), []);
    assert.equal(decide(comparison, { ...calm, finishedRounds: 13 }).outcome, 'inconclusive');
  }
  assert.equal(
    decide(faster, { ...calm, finishedRounds: 13 }).doubts[0]?.words,
    'In 3 of 13 rounds onLoad is missing over one protocol or both; the remaining rounds may not be representative.',
  );
});

test('a metric is missing where visits are valid without it, not where visits are lost', () => {
  const speedIndex = { ...faster, metric: 'speedIndex' as const };
  const doubtsAt = (lostRounds: Circumstances['lostRounds'], rounds = 10) =>
    decide({ ...speedIndex, rounds }, { ...calm, finishedRounds: 14, lostRounds }).doubts.map(({ doubt }) => doubt);
  assert.deepEqual(doubtsAt({ candidate: 0, baseline: 0 }), ['metric-missing']);
  assert.deepEqual(doubtsAt({ candidate: 2, baseline: 2 }), ['invalid-visits']);
  assert.deepEqual(doubtsAt({ candidate: 0, baseline: 0 }, 0), ['metric-missing'], 'more rounds do not help');
});

const mode = (centre: number, share: number) => ({ centre, share });
const one = (centre: number): Modes => ({ bimodal: false, p: 0.8, modes: [mode(centre, 1)] });
const two = (low: number, high: number): Modes => ({ bimodal: true, p: 0.001, modes: [mode(low, 0.6), mode(high, 0.4)] });

test('no winner is named against two modes, unless all of its modes lie below all of the other’s', () => {
  const by = (candidate: Modes | null, baseline: Modes | null) => doubtsOf(faster, { modes: () => ({ candidate, baseline }) });
  assert.deepEqual(by(two(850, 950), one(900)), ['two-modes']);
  assert.deepEqual(by(two(850, 950), one(950)), ['two-modes']);
  assert.deepEqual(by(one(900), two(850, 1100)), ['two-modes']);
  assert.deepEqual(by(two(850, 950), two(900, 1000)), ['two-modes']);
  assert.deepEqual(by(two(850, 950), one(1000)), []);
  assert.deepEqual(by(one(900), two(950, 1100)), []);
  assert.deepEqual(by(one(900), one(900)), []);
  assert.deepEqual(by(null, null), []);
  assert.deepEqual(doubtsOf(slower, { modes: () => ({ candidate: two(900, 1100), baseline: one(950) }) }), ['two-modes']);
  assert.deepEqual(doubtsOf(slower, { modes: () => ({ candidate: two(1050, 1200), baseline: one(1000) }) }), []);
});

test('two modes are told with where they lie', () => {
  assert.equal(
    decide(faster, { ...calm, modes: () => ({ candidate: two(850.4, 950), baseline: one(900) }) }).words,
    'No winner is named, although the page finishes loading 125 ms (13 %) sooner over HTTP/3 than over HTTP/2; 95 % sure it is 10 to 15 % (10 rounds, p = 0.002). onLoad has two modes, over HTTP/3 around 850 and 950 ms: which protocol is faster depends on the mode.',
  );
  assert.match(
    decide(faster, { ...calm, modes: () => ({ candidate: two(850, 950), baseline: two(900, 1000) }) }).words,
    /onLoad has two modes, over HTTP\/3 around 850 and 950 ms and over HTTP\/2 around 900 and 1000 ms: which/,
  );
});

test('two modes say nothing against equivalence, which is of ratios within rounds', () => {
  const modes = () => ({ candidate: two(850, 950), baseline: two(850, 950) });
  const small = compared([-1, -1.2, -1.4, -1.6, -1.8, -2, -2.2, -2.4, -2.6, -2.8]);
  assert.deepEqual(doubtsOf(small, { modes }), ['two-modes']);
  assert.equal(decide(small, { ...calm, modes }).outcome, 'equivalent');
});

test('modes are not looked for where no winner is in sight', () => {
  const modes = () => assert.fail('asked for modes');
  decide(unclear, { ...calm, modes });
});

test('HTTP/3 is not blamed for what the browser’s own buffer lost', () => {
  assert.deepEqual(doubtsOf(slower, { overrunShare: 0.49 }), []);
  assert.deepEqual(doubtsOf(slower, { overrunShare: 0.5 }), ['receive-drops']);
  assert.equal(
    decide(slower, { ...calm, overrunShare: 0.6 }).words,
    'No winner is named, although the page finishes loading 125 ms (12 %) later over HTTP/3 than over HTTP/2; 95 % sure it is 10 to 15 % (10 rounds, p = 0.002). In 60 % of the visits over HTTP/3 datagrams were lost in the browser’s full receive buffer: a limit of the machine, not of the network.',
  );
  assert.deepEqual(doubtsOf(faster, { overrunShare: 1 }), []);
  assert.deepEqual(doubtsOf(unclear, { overrunShare: 1 }), []);
});

test('nor is it called equivalent, when without those losses it might be faster', () => {
  assert.equal(decide(alike, { ...calm, overrunShare: 0.6 }).outcome, 'inconclusive');
});

test('all doubts are told, one after the other', () => {
  const circumstances = { ...calm, unfinished: true, linkDoubt: 'The link was off.', finishedRounds: 20 };
  const { words, doubts } = decide(faster, circumstances);
  assert.deepEqual(
    doubts.map(({ doubt }) => doubt),
    ['unfinished', 'link', 'invalid-visits'],
  );
  assert.ok(words.endsWith(doubts.map((doubt) => doubt.words).join(' ')));
});

test('a winner by 0 % is none: most rounds show no difference, although some do', () => {
  const mostlyAlike = compared([...Array.from({ length: 15 }, () => 0), 3, 4, 5, 6, 7, 8]);
  assert.ok((mostlyAlike.signedRank?.p ?? 1) < 0.05);
  assert.equal(mostlyAlike.shift?.value, 0);
  // Wide of the margin, so that it isn't equivalence that is shown.
  const { outcome, words } = decide({ ...mostlyAlike, equivalence: null }, { ...calm, finishedRounds: 21 });
  assert.equal(outcome, 'inconclusive');
  assert.equal(
    words,
    'No clear difference in onLoad between HTTP/3 and HTTP/2 (95 % interval: 0 to 3 % higher; 21 rounds, p = 0.031): the two are equal in so many rounds that the typical difference is 0.',
  );
});

test('where a value is 0 there is no ratio, and the winner is still the lower one', () => {
  const differing = (sign: 1 | -1): Compared => ({
    ...(sign < 0 ? faster : slower),
    metric: 'totalBlockingTime',
    shift: null,
    equivalence: null,
  });
  assert.equal(
    decide(differing(-1), calm).words,
    'HTTP/3 is faster: Total Blocking Time is lower over HTTP/3 than over HTTP/2 (10 rounds, p = 0.002).',
  );
  const { outcome, words } = decide(differing(1), calm);
  assert.equal(outcome, 'h2-faster');
  assert.equal(words, 'HTTP/2 is faster: Total Blocking Time is higher over HTTP/3 than over HTTP/2 (10 rounds, p = 0.002).');
});

test('the interval of a look is said with its confidence', () => {
  const level = 0.05 / 12;
  const { words } = decide({ ...slower, shiftConfidence: 1 - level }, { ...calm, looks: 5 });
  assert.match(words, /; 99\.58 % sure it is .*, p = 0\.002 corrected for 5 looks\)\.$/);
});

test('a claim says how much came over HTTP/3, and makes none where nothing did', () => {
  const words = (h3Shares: { objects: number; bytes: number }, pageDoubts: (typeof calm)['pageDoubts'] = []) =>
    decide(faster, { ...calm, h3Shares, pageDoubts });
  assert.match(
    words({ objects: 0.62, bytes: 0.71 }).words,
    /^HTTP\/3 is faster: .* 62 % of the objects and 71 % of the bytes came over HTTP\/3 \(medians\)\.$/,
  );
  const none = words({ objects: 0, bytes: 0 }, [{ doubt: 'little-h3', words: 'Only 0 %.' }]);
  assert.equal(none.outcome, 'inconclusive');
  assert.equal(none.words, 'No comparison: the median visit that should use HTTP/3 received nothing over it.');
  const parity = decide(faster, { ...calm, pageDoubts: [{ doubt: 'parity', words: 'They did not load the same page.' }] });
  assert.equal(parity.outcome, 'inconclusive');
  assert.match(parity.words, /They did not load the same page\.$/);
});

/** As `compared`, of times in which ∞ is a load that failed. */
function loads(pairs: readonly [h3: number, h2: number][]): Compared {
  const rounds = pairs.map(([candidate, baseline]) => ({ candidate, baseline }));
  const [candidateValues, baselineValues] = [rounds.map(({ candidate }) => candidate), rounds.map(({ baseline }) => baseline)];
  return compare(
    { metric: 'onLoad', candidate: 'h3', baseline: 'h2', candidateValues, baselineValues, pairs: rounds, confirmatory: true },
    { margin: 0.05, seed: 1 },
  );
}
const none = Number.POSITIVE_INFINITY;
const twenty = (pair: (round: number) => [number, number]) => Array.from({ length: 20 }, (_, round) => pair(round));

test('a protocol that failed in more rounds than the other is not named faster, however much faster it is when it loads', () => {
  const found = loads(twenty((round) => [round < 2 ? none : 500 + round, 1000]));
  assert.ok((found.signedRank?.p ?? 1) < 0.05 && (found.signedRank?.rankBiserial ?? 0) < 0, 'the paired test speaks for it');
  const { outcome, doubts, words } = decide(found, calm);
  assert.equal(outcome, 'inconclusive');
  assert.deepEqual(
    doubts.map(({ doubt }) => doubt),
    ['fails-more'],
  );
  assert.match(words, /Of 20 rounds HTTP\/3 failed in 2, HTTP\/2 failed in none \(p = 0\.5\)\.$/);
});

test('a protocol that fails less wins by it, and the failures are told', () => {
  const { outcome, words } = decide(loads(twenty((round) => [1000 + (round % 3), round < 8 ? none : 1000])), calm);
  assert.equal(outcome, 'inconclusive', 'eight failures do not outweigh twelve ties or losses');
  const won = decide(loads(twenty((round) => [1000 - round, round < 8 ? none : 1000 + round])), calm);
  assert.equal(won.outcome, 'h3-faster');
  assert.match(won.words, /HTTP\/3 is faster: .*Of 20 rounds HTTP\/3 failed in none, HTTP\/2 failed in 8 \(p = 0\.0078\)\.$/);
  assert.match(words, /HTTP\/2 failed in 8/);
});

test('a winner that failed, too, is named where the other is shown to fail more', () => {
  assert.equal(decide(loads(twenty((round) => [round === 19 ? none : 900 - round, round < 9 ? none : 1000])), calm).outcome, 'h3-faster');
  assert.deepEqual(doubtsOf(loads(twenty((round) => [round === 19 ? none : 900 - round, round < 2 ? none : 1000])), {}), ['fails-more']);
});

test('where so many loads fail that there is no end, it is told without one', () => {
  const always = loads(twenty(() => [none, 1000]));
  assert.deepEqual(always.shift, { value: null, low: null, high: null, unbounded: { value: 'above', low: 'above', high: 'above' } });
  assert.equal(always.delta, null);
  const { outcome, words } = decide(always, calm);
  assert.equal(outcome, 'h2-faster');
  assert.match(words, /^HTTP\/2 is faster: the page finishes loading later without bound over HTTP\/3 than over HTTP\/2 \(20 rounds,/);
  assert.match(words, /The median over HTTP\/3 lies among visits that failed, so medians can’t be compared\.$/);
  assert.deepEqual(JSON.parse(JSON.stringify(always)), always, 'JSON has all of it');
});

test('a page that never loaded has no statistics: why stands there, and nothing of rounds that are too few', () => {
  const words = 'could not be loaded: a host name did not resolve (9 of 9 visits)';
  assert.deepEqual(
    decide(
      loads([
        [none, none],
        [none, none],
        [none, none],
      ]),
      { ...calm, notLoaded: { protocol: null, words } },
    ),
    {
      outcome: 'inconclusive',
      words: `The page ${words}.`,
      doubts: [{ doubt: 'not-loaded', words: `The page ${words}.` }],
      moreRounds: null,
    },
  );
});

test('a protocol that the page never loaded over is no comparison, unless that is a failure which counts', () => {
  const words = 'could not be loaded: the protocol is not offered, or does not work from here (4 of 4 visits)';
  const notOffered = decide(compared([]), { ...calm, notLoaded: { protocol: 'h3', words } });
  assert.equal(notOffered.words, `No comparison: over HTTP/3 the page ${words}.`);
  assert.deepEqual(
    notOffered.doubts.map(({ doubt }) => doubt),
    ['not-loaded'],
  );
  const blocked = { ...calm, finishedRounds: 20, notLoaded: { protocol: 'h3', words } as const };
  const lost = decide(loads(twenty(() => [none, 1000])), blocked);
  assert.equal(lost.outcome, 'h2-faster');
  assert.match(
    lost.words,
    /^HTTP\/2 is faster: the page never loaded over HTTP\/3 \(20 rounds, p < 0\.0001\)\. Of 20 rounds HTTP\/3 failed in 20/,
  );
  const few = decide(loads(twenty(() => [none, 1000]).slice(0, 4)), { ...blocked, finishedRounds: 4 });
  assert.match(few.words, /^Not proven: in all 4 rounds the page failed over HTTP\/3 and loaded over HTTP\/2\. 4 rounds can’t reach 95 %/);
});

test('two that never load are not equivalent, nor are two of which one fails', () => {
  assert.equal(decide(loads(twenty(() => [none, none])), calm).outcome, 'inconclusive');
  const one = loads(twenty((round) => [round === 3 ? none : 1000 + (round % 2), 1000]));
  assert.equal(one.equivalence?.equivalent, true, 'by the typical ratio they are');
  assert.equal(decide(one, calm).outcome, 'inconclusive');
  assert.equal(decide(loads(twenty((round) => (round === 3 ? [none, none] : [1000 + (round % 2), 1000]))), calm).outcome, 'equivalent');
});
