import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readChoices } from './choices.ts';

test('without arguments three rounds of every mode are made over h2', () => {
  const { rounds, protocols, modes } = readChoices([]) ?? assert.fail('help was not asked for');
  assert.deepEqual([rounds, protocols, modes.map(({ name }) => name)], [3, ['h2'], ['default', 'tuned', 'video-default', 'video-tuned']]);
});

test('rounds, protocols, modes and seed can be chosen', () => {
  const { rounds, protocols, modes, seed } = readChoices(['5', '--protocols', 'h2,h3', '--modes', 'tuned', '--seed', '7']) ?? assert.fail();
  assert.deepEqual([rounds, protocols, modes.map(({ name }) => name), seed], [5, ['h2', 'h3'], ['tuned'], 7]);
});

test('a wrong argument is named together with what was expected', () => {
  assert.throws(() => readChoices(['0']), /rounds is 0, expected a whole number from 1 on/);
  assert.throws(() => readChoices(['--protocols', 'h9']), /there is no protocol h9, only h2, h3/);
  assert.throws(() => readChoices(['--modes', 'fast']), /there is no mode fast, only default, tuned/);
  assert.throws(() => readChoices(['1', '2']), /one number of rounds/);
});
