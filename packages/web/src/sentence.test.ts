import assert from 'node:assert/strict';
import { test } from 'node:test';
import { number, quantity, signed } from '../public/text/format.js';
import { deltaWords, disagree, discoveryWords, medianSentence } from '../public/text/sentence.js';

const h3 = { name: 'HTTP/3', n: 20, median: 412.4 };
const h2 = { name: 'HTTP/2', n: 20, median: 454.9 };
const onLoad = { metric: 'onLoad', unit: 'ms' } as const;

test('the sentence tells medians, rounds and H3-Delta with its direction', () => {
  assert.equal(
    medianSentence({ ...onLoad, slots: [h3, h2], h3Delta: -0.0934 }),
    'Median onLoad over 20 rounds: HTTP/3 412 ms, HTTP/2 455 ms. H3-Delta −0.09 (HTTP/3 lower).',
  );
});

test('where protocols have different counts, each tells its own', () => {
  assert.equal(
    medianSentence({ ...onLoad, slots: [{ ...h3, n: 1 }, h2], h3Delta: 0.1 }),
    'Median onLoad: HTTP/3 412 ms (1 visit), HTTP/2 455 ms (20 visits). H3-Delta +0.10 (HTTP/3 higher).',
  );
});

test('without HTTP/3 or without numbers nothing is compared', () => {
  assert.equal(medianSentence({ ...onLoad, slots: [h2], h3Delta: null }), 'Median onLoad over 20 rounds: HTTP/2 455 ms.');
  assert.equal(medianSentence({ ...onLoad, slots: [], h3Delta: null }), 'No valid visit has a number for onLoad yet.');
});

test('no sentence claims that something is faster: nothing was tested', () => {
  for (const delta of [-0.9, -0.001, 0, 0.001, 0.9]) assert.doesNotMatch(deltaWords(delta), /faster|slower/);
  assert.equal(deltaWords(-0.004), '0.00 (less than 0.5 % apart)');
});

test('forced HTTP/3 is called the best case', () => {
  assert.match(discoveryWords('forced'), /best case, not what a first visitor gets/);
  assert.doesNotMatch(discoveryWords('alt-svc'), /best case/);
});

test('metrics disagree only when both have a direction and it is not the same', () => {
  assert.deepEqual([disagree(0.18, -0.18), disagree(-0.1, 0.1)], [true, true]);
  assert.deepEqual(
    [disagree(0.1, 0.2), disagree(0.1, -0.001), disagree(null, -0.1), disagree(undefined, null)],
    [false, false, false, false],
  );
});

test('numbers are rounded to what a reader can use', () => {
  assert.deepEqual([number(1234.5, 'ms'), number(3.14, 'ms'), number(0, 'ms'), quantity(455.2, 'ms')], ['1,235', '3.1', '0', '455 ms']);
  assert.deepEqual(
    [quantity(0.256, 'share'), quantity(12_345, 'bytes'), quantity(41.5, 'count'), quantity(0.0123, 'score')],
    ['26 %', '12.3 kB', '41.5', '0.012'],
  );
  assert.deepEqual([-0.5, 0.125, 0, -0.0001].map(signed), ['−0.50', '+0.13', '0.00', '0.00']);
});
