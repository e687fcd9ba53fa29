import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson, contentHash } from './canonical-json.ts';

test('the order of keys makes no difference, the order of items does', () => {
  assert.equal(canonicalJson({ b: [{ d: 1, c: null }], a: 'x' }), '{"a":"x","b":[{"c":null,"d":1}]}');
  assert.deepEqual(contentHash({ a: 1, b: { c: 2, d: 3 } }), contentHash({ b: { d: 3, c: 2 }, a: 1 }));
  assert.notDeepEqual(contentHash([1, 2]), contentHash([2, 1]));
});
