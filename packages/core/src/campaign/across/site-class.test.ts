import assert from 'node:assert/strict';
import { test } from 'node:test';
import { siteClass } from '../../verdict/h3-delta.ts';

test('a site is within from −0.1 to 0.1, both limits included', () => {
  assert.deepEqual([-1, -0.1000001, -0.1, 0, 0.1, 0.1000001, 1].map(siteClass), [
    'below',
    'below',
    'within',
    'within',
    'within',
    'above',
    'above',
  ]);
});

test('what is no H3-Delta has no class', () => {
  for (const delta of [-1.01, 1.01, Number.NaN]) assert.throws(() => siteClass(delta), RangeError);
});
