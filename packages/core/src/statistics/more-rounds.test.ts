import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moreRounds } from './more-rounds.ts';

const options = { level: 0.05, equivalenceLevel: 0.05, margin: 0.05, enoughRounds: 6 };
/** So many rounds about a centre, evenly spread by so much to both sides. */
const rounds = (count: number, centre: number, spread: number) =>
  Array.from({ length: count }, (_, i) => centre + (spread * (i % 2 === 0 ? 1 : -1) * (1 + (i % 5))) / 5);

test('below ten rounds only the least that a difference takes is told', () => {
  assert.deepEqual(moreRounds(rounds(5, 0.1, 0.2), options), { least: 1, words: 'It takes 1 more round at least.' });
  assert.deepEqual(moreRounds(rounds(7, 0.1, 0.2), { ...options, enoughRounds: 12 }), {
    least: 5,
    words: 'It takes 5 more rounds at least.',
  });
  assert.equal(moreRounds(rounds(9, 0.1, 0.2), options), null);
});

test('from ten on it is a range in words, wide where the shift is hardly known, and without figures', () => {
  const wide = moreRounds(rounds(10, 0.03, 0.15), options);
  assert.equal(wide?.words, 'Settling it would take anything from a handful to hundreds of more rounds.');
  const near = moreRounds(rounds(40, 0.04, 0.2), options);
  assert.equal(near?.words, 'Settling it would take anything from a handful to hundreds of more rounds.');
  for (const found of [wide, near]) assert.doesNotMatch(found?.words ?? '', /\d/);
});
