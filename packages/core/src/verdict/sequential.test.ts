import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adjustPValues } from '../math/adjust.ts';
import { randomSource } from '../math/random.ts';
import { signedRankTest } from '../math/signed-rank.ts';
import { type Look, levelAt, planLooks, sequentialP } from './sequential.ts';

const roundsOf = (looks: readonly Look[]) => looks.map(({ rounds }) => rounds);
const near = (actual: number, expected: number) => Math.abs(actual - expected) < 1e-12;

test('looks grow by half, and each may spend its share of the rounds', () => {
  const looks = planLooks({ rounds: 10, maximumRounds: 60 });
  assert.deepEqual(roundsOf(looks), [10, 15, 23, 35, 60]);
  for (const [i, added] of [10, 5, 8, 12, 25].entries()) assert.ok(near(looks[i]?.level ?? 0, (0.05 * added) / 60), `look ${i}`);
});

test('rounds grow, levels sum to alpha, every look can claim something, and the last is at the maximum', () => {
  const random = randomSource(21);
  const pick = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  for (let i = 0; i < 2000; i++) {
    const rounds = pick(1, 40);
    const comparisons = random() < 0.5 ? 1 : pick(1, 40_000);
    const alpha = random() < 0.5 ? 0.05 : 0.001 + 0.2 * random();
    const fewest = Math.ceil(1 + Math.log2(comparisons / alpha));
    const maximumRounds = Math.max(rounds, fewest) + pick(0, 200);
    const growth = 1.01 + 2 * random();
    const looks = planLooks({ rounds, maximumRounds, growth, alpha, comparisons });
    const name = JSON.stringify({ rounds, maximumRounds, growth, alpha, comparisons, looks });
    assert.equal(looks.at(-1)?.rounds, maximumRounds, name);
    assert.ok((looks[0]?.rounds ?? 0) >= rounds, name);
    assert.ok(
      near(
        looks.reduce((sum, { level }) => sum + level, 0),
        alpha,
      ),
      name,
    );
    for (const [k, look] of looks.entries()) {
      assert.ok(look.rounds > (looks[k - 1]?.rounds ?? 0) && look.level > 0, name);
      assert.ok(signedRankTest(Array.from({ length: Math.min(look.rounds, 60) }, () => 1)).p <= look.level / comparisons, name);
      assert.equal(levelAt(looks, look.rounds), look.level);
    }
  }
});

test('a look that no data could satisfy is left out, and the next one has its level', () => {
  // Of 5 rounds p is 2/32 at least.
  const looks = planLooks({ rounds: 5, maximumRounds: 40 });
  assert.deepEqual(roundsOf(looks), [8, 12, 18, 27, 40]);
  assert.ok(near(looks[0]?.level ?? 0, 0.01));
  // Holm over 12 comparisons asks for 0.0083/12 at 10 rounds, where p is 2/1024 at least.
  const many = planLooks({ rounds: 10, maximumRounds: 60, comparisons: 12 });
  assert.deepEqual(roundsOf(many), [15, 23, 35, 60]);
  assert.ok(near(many[0]?.level ?? 0, 0.0125));
});

test('where the last look’s own share is too little for it, it has that of the look before too', () => {
  // 0.05/7 is less than 2/128.
  assert.deepEqual(planLooks({ rounds: 6, maximumRounds: 7 }), [{ rounds: 7, level: 0.05 }]);
});

test('a look close to the maximum is left out, but for the first', () => {
  assert.deepEqual(roundsOf(planLooks({ rounds: 10, maximumRounds: 64 })), [10, 15, 23, 35, 64]);
  assert.deepEqual(roundsOf(planLooks({ rounds: 10, maximumRounds: 65 })), [10, 15, 23, 35, 53, 65]);
  assert.deepEqual(roundsOf(planLooks({ rounds: 50, maximumRounds: 60 })), [50, 60]);
});

test('without more rounds to come there is one look, with all of alpha', () => {
  assert.deepEqual(planLooks({ rounds: 20, maximumRounds: 20 }), [{ rounds: 20, level: 0.05 }]);
  assert.deepEqual(planLooks({ rounds: 6, maximumRounds: 6, alpha: 0.1 }), [{ rounds: 6, level: 0.1 }]);
});

test('what arithmetic adds to a product is no round', () => {
  assert.deepEqual(roundsOf(planLooks({ rounds: 10, maximumRounds: 12, growth: 1.1 })), [10, 11, 12]);
});

test('the sequential p is at most alpha exactly where a look’s p is at most its level', () => {
  const looks = planLooks({ rounds: 10, maximumRounds: 60 });
  const random = randomSource(22);
  for (let i = 0; i < 2000; i++) {
    const ps = looks.slice(0, i % 6).map(() => random() ** 3);
    const claimed = ps.some((p, k) => p <= (looks[k] as Look).level);
    assert.equal(sequentialP(looks, ps) <= 0.05, claimed);
  }
});

test('the sequential p falls from look to look, is at most 1, and with one look is that look’s p', () => {
  const looks = planLooks({ rounds: 10, maximumRounds: 60 });
  const ps = [0.4, 0.02, 0.3, 1, 0.0001];
  const all = ps.map((_, k) => sequentialP(looks, ps.slice(0, k + 1)));
  assert.deepEqual(
    all,
    all.toSorted((a, b) => b - a),
  );
  assert.equal(all[0], 1);
  assert.ok(near(all[1] as number, 0.02 * 12));
  assert.equal(sequentialP(looks, []), 1);
  assert.equal(sequentialP(looks, [null, 0.02, null]), all[1]);
  assert.equal(sequentialP(planLooks({ rounds: 20, maximumRounds: 20 }), [0.037]), 0.037);
});

test('looking again and again names a winner without a difference in at most 5 % of campaigns, also in a family by Holm', () => {
  const random = randomSource(23);
  const looks = planLooks({ rounds: 10, maximumRounds: 60, comparisons: 4 });
  const single = planLooks({ rounds: 10, maximumRounds: 60 });
  const repeats = 600;
  let [claimed, naive, inFamily] = [0, 0, 0];
  for (let i = 0; i < repeats; i++) {
    const family = Array.from({ length: 4 }, () => Array.from({ length: 60 }, () => (random() - 0.5) / (random() < 0.1 ? 0.1 : 1)));
    const psAt = (plan: readonly Look[], rounds: readonly number[]) => plan.map((look) => signedRankTest(rounds.slice(0, look.rounds)).p);
    const ps = psAt(single, family[0] as number[]);
    if (sequentialP(single, ps) <= 0.05) claimed++;
    if (ps.some((p) => p <= 0.05)) naive++;
    if (adjustPValues(family.map((rounds) => sequentialP(looks, psAt(looks, rounds)))).some((p) => p <= 0.05)) inFamily++;
  }
  const atMost = repeats * 0.05 + 3 * Math.sqrt(repeats * 0.05 * 0.95);
  assert.ok(claimed <= atMost && inFamily <= atMost, `${claimed}, ${inFamily} of ${repeats}`);
  assert.ok(naive > 2 * repeats * 0.05, `${naive} of ${repeats}`);
});

test('what is no plan is refused', () => {
  const refused: [Parameters<typeof planLooks>[0], RegExp][] = [
    [{ rounds: 0, maximumRounds: 60 }, /looks: rounds is 0, expected a positive integer/],
    [{ rounds: 10, maximumRounds: 9 }, /maximumRounds is 9, expected at least rounds, 10/],
    [{ rounds: 10, maximumRounds: 60.5 }, /maximumRounds is 60\.5, expected a positive integer/],
    [{ rounds: 10, maximumRounds: 60, growth: 1 }, /growth is 1, expected a number above 1/],
    [{ rounds: 10, maximumRounds: 60, alpha: 0 }, /alpha is 0, expected a number in \(0, 1\)/],
    [{ rounds: 10, maximumRounds: 60, comparisons: 0 }, /comparisons is 0, expected a positive integer/],
    [{ rounds: 3, maximumRounds: 5 }, /maximumRounds is 5, expected at least 6: fewer never reach 0\.05 ÷ 1/],
    [{ rounds: 3, maximumRounds: 8, comparisons: 12 }, /maximumRounds is 8, expected at least 9/],
  ];
  for (const [options, message] of refused) assert.throws(() => planLooks(options), { name: 'RangeError', message });
  const looks = planLooks({ rounds: 10, maximumRounds: 20 });
  assert.throws(() => levelAt(looks, 12), {
    name: 'RangeError',
    message: 'level: no look is planned at 12 rounds, expected one of 10, 15, 20',
  });
  assert.throws(() => sequentialP(looks, [0.1, 0.1, 0.1, 0.1]), /4 p-values, expected at most one for each of 3 looks/);
  assert.throws(() => sequentialP(looks, [0.1, Number.NaN]), /value 1 is NaN, expected a number in \[0, 1\]/);
});
