import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalQuantile } from '../math/probability.ts';
import { randomSource } from '../math/random.ts';
import { moreRounds, rangeWords } from './more-rounds.ts';

const options = { level: 0.05, equivalenceLevel: 0.05, margin: 0.05, enoughRounds: 6 };
/** So many rounds about a centre, evenly spread by so much to both sides. */
const rounds = (count: number, centre: number, spread: number) =>
  Array.from({ length: count }, (_, i) => centre + (spread * (i % 2 === 0 ? 1 : -1) * (1 + (i % 5))) / 5);

test('below ten rounds only the least that a difference takes is told', () => {
  assert.deepEqual(moreRounds(rounds(5, 0.1, 0.2), options), { least: 1, givenUp: false, words: 'Needs at least 1 more round.' });
  assert.deepEqual(moreRounds(rounds(7, 0.1, 0.2), { ...options, enoughRounds: 12 }), {
    least: 5,
    givenUp: false,
    words: 'Needs at least 5 more rounds.',
  });
  assert.equal(moreRounds(rounds(9, 0.1, 0.2), options), null);
});

test('from ten on it is a range in steps, wide where the shift is hardly known', () => {
  const wide = moreRounds(rounds(10, 0.03, 0.15), options);
  assert.equal(wide?.words, 'Settling it would take more rounds: up to hundreds.');
  const near = moreRounds(rounds(40, 0.04, 0.2), options);
  assert.equal(near?.words, 'Settling it would take more rounds: up to hundreds.');
});

test('rounds that would hardly settle it by the last look are given up, at a shift that is known well enough', () => {
  const last = { rounds: 60, level: 0.01, equivalenceLevel: 0.01 };
  const given = (count: number, centre: number, spread: number) => moreRounds(rounds(count, centre, spread), { ...options, last });
  const hopeless = given(32, 0, 0.6);
  assert.equal(hopeless?.givenUp, true);
  assert.match(hopeless?.words ?? '', /more rounds: .*\. Its maximum of 60 would hardly be enough, so the campaign adds none here\.$/);
  assert.equal(moreRounds(rounds(32, 0, 0.6), options)?.givenUp, false, 'without looks nobody adds rounds');
  assert.equal(given(32, 0.15, 0.6)?.givenUp, false, 'a difference may come');
  assert.equal(given(32, 0, 0.15)?.givenUp, false, 'equivalence may come');
  assert.equal(given(40, -0.02, 0.2)?.givenUp, false, 'equivalence may come, if there is no difference');
  assert.equal(given(10, 0, 0.6)?.givenUp, false, 'ten rounds tell too little');
});

test('rounds without a difference are often given up, and those with one that would be found hardly ever', () => {
  const random = randomSource(77);
  const last = { rounds: 60, level: 0.01, equivalenceLevel: 0.01 };
  const givenUp = (shift: number) =>
    Array.from({ length: 60 }, () => {
      const logRatios = Array.from({ length: 32 }, () => shift + 0.25 * normalQuantile(random()));
      return moreRounds(logRatios, { ...options, last })?.givenUp === true;
    }).filter(Boolean).length;
  assert.ok(givenUp(0) >= 20, `${givenUp(0)} of 60`);
  assert.ok(givenUp(0.15) <= 1);
});

test('a range of rounds is said in steps', () => {
  const said = [
    [3],
    [3, 24],
    [3, 99],
    [3, 1_000],
    [3, 1_001],
    [12, 24],
    [12, 99],
    [24, 1_000],
    [99, 1_001],
    [25, 99],
    [100, 1_000],
    [100, 5_000],
    [Number.POSITIVE_INFINITY],
  ];
  assert.deepEqual(said.map(rangeWords), [
    'fewer than 10',
    'fewer than 25',
    'fewer than 100',
    'up to hundreds',
    'up to thousands',
    '10 to 25',
    '10 to 100',
    '10 to hundreds',
    '25 to thousands',
    '25 to 100',
    'hundreds',
    'hundreds to thousands',
    'thousands',
  ]);
});
