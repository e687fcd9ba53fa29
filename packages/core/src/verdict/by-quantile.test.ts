import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compare } from './comparison.ts';
import { failed } from './counted-visits.ts';

/** Rounds of h2 and h3: loads that take 1000 to 1004 ms, in an order of each protocol's own; what HTTP/3 takes besides is a share. */
const rounds = (n: number, more: (round: number) => number) =>
  Array.from({ length: n }, (_, round) => ({
    candidate: (1000 + ((round * 7) % 5)) * (1 + more(round)),
    baseline: 1000 + ((round * 3) % 5),
  }));
function told(pairs: readonly { candidate: number; baseline: number }[], { confirmatory = true, margin = 0.05 } = {}) {
  const [candidateValues, baselineValues] = [pairs.map(({ candidate }) => candidate), pairs.map(({ baseline }) => baseline)];
  return compare(
    { metric: 'onLoad', candidate: 'h3', baseline: 'h2', candidateValues, baselineValues, pairs, confirmatory },
    { margin, seed: 1 },
  );
}
const wordsOf = (...given: Parameters<typeof told>) => told(...given).byQuantile?.words;

test('loads are told from the fastest to the slowest', () => {
  assert.equal(
    wordsOf(rounds(100, (round) => (round % 5 === 0 ? 0.4 : 0))),
    'Some deciles of onLoad differ (p = 0.001): over HTTP/3 it is within 5 % of HTTP/2 for the fastest 60 % of visits and 39 % higher for the slowest tenth of visits; elsewhere it remains open. Times have two modes, so that the band may hold in 80 to 90 % of campaigns alone, not in 95 %.',
  );
  assert.equal(
    wordsOf(rounds(20, () => -0.1)),
    'Some quartiles of onLoad differ (p = 0.001): over HTTP/3 it is 10 % lower at every quartile.',
  );
  assert.equal(
    wordsOf(rounds(20, () => 0)),
    'No quartile of onLoad is shown to differ (p = 1): over HTTP/3 it is within 5 % of HTTP/2 at every quartile.',
  );
});

test('that the slowest loads are alike is said of a quantile, not of all beyond it', () => {
  // The fastest third is 20 % lower, and of every fifteen loads the slowest takes 42 % more.
  const pairs = Array.from({ length: 45 }, (_, i) => ({ candidate: (1000 + i) * (i < 15 ? 0.8 : i >= 42 ? 1.42 : 1), baseline: 1000 + i }));
  assert.match(wordsOf(pairs) ?? '', /18 % lower for the fastest quarter of visits and within 5 % of HTTP\/2 at the upper quartile;/);
});

test('without the test’s word no quantile is said to differ', () => {
  const noisy = Array.from({ length: 20 }, (_, round) => ({
    candidate: 1000 + 30 * ((round * 7) % 20),
    baseline: 1020 + 30 * ((round * 3) % 20),
  }));
  const { p = 0, words } = told(noisy).byQuantile ?? {};
  assert.ok(p > 0.05);
  assert.match(words ?? '', /^No quartile of onLoad is shown to differ \(p = 0\.\d+\)\.$/);
});

test('the band widens from its estimates to both sides, and is of the confidence of the comparison', () => {
  const { quantiles, confidence } = told(rounds(50, (round) => 0.1 + 0.01 * (round % 3))).byQuantile ?? assert.fail();
  assert.equal(confidence, 0.95);
  assert.equal(quantiles.length, 9);
  for (const { value, low, high } of quantiles)
    assert.ok(value !== null && low !== null && high !== null && low < value && value < high && low > 0.05);
});

test('where visits failed the quantiles above are not known, and that is said', () => {
  const pairs = rounds(20, () => 0.3).map((pair, round) => (round < 2 ? { ...pair, candidate: failed } : pair));
  const { quantiles, words } = told(pairs).byQuantile ?? assert.fail();
  assert.deepEqual(quantiles[2], { p: 0.75, value: null, low: null, high: null });
  assert.ok(quantiles[1]?.value);
  assert.match(
    words,
    /30 % higher for the fastest half of visits\. From the upper quartile on it isn’t known: in 2 of 20 rounds a visit failed\.$/,
  );
});

test('below 20 rounds, and of what explores, there is nothing', () => {
  assert.equal(told(rounds(19, () => 0.3)).byQuantile, null);
  assert.equal(
    told(
      rounds(20, () => 0.3),
      { confirmatory: false },
    ).byQuantile,
    null,
  );
});

test('of equivalent protocols the slow loads are looked at, whether the comparison explores or not', () => {
  for (const confirmatory of [true, false]) {
    const slowOf = (n: number, more: (round: number) => number) => told(rounds(n, more), { confirmatory }).equivalence?.slowLoads;
    assert.equal(
      slowOf(19, () => 0),
      null,
    );
    assert.deepEqual([slowOf(20, () => 0)?.p, slowOf(50, () => 0)?.p], [0.75, 0.9]);
    assert.equal(slowOf(50, () => 0)?.within, true);
    assert.equal(slowOf(50, (round) => (round % 8 === 0 ? 0.4 : 0))?.within, false);
    assert.equal(
      slowOf(50, () => 0.3),
      null,
    );
  }
});
