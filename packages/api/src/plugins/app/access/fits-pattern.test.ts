import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitsPattern } from './scope.ts';

test('a star is any letters, and everything else is itself', () => {
  for (const [text, pattern] of [
    ['refs/heads/main', 'refs/heads/*'],
    ['refs/heads/a/b', 'refs/heads/*'],
    ['refs/heads/', 'refs/heads/*'],
    ['acme/shop', 'acme/shop'],
    ['acme/shop', '*'],
    ['', '*'],
    ['abcabc', 'a*b*c'],
    ['aa', 'a*a'],
    ['a.c', 'a.c'],
  ] as const)
    assert.ok(fitsPattern(text, pattern), `${text} ${pattern}`);
  for (const [text, pattern] of [
    ['refs/pull/7/merge', 'refs/heads/*'],
    ['xrefs/heads/main', 'refs/heads/*'],
    ['acme/shopping', 'acme/shop'],
    ['Acme/shop', 'acme/shop'],
    ['a', 'a*a'],
    ['aba', 'ab*ba'],
    ['abc', 'a.c'],
    ['acb', 'a*b*c'],
    ['acme/shop\n', 'acme/shop'],
    ['x', ''],
  ] as const)
    assert.ok(!fitsPattern(text, pattern), `${text} ${pattern}`);
});
