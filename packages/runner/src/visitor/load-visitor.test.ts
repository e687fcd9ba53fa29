import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pagesBefore } from './load-visitor.ts';

const url = 'https://shop.example/item/1';

test('a cold visit opens nothing before, a warm one the page itself, or what its visitor says', () => {
  const pages = (view: 'cold' | 'warm', after?: string[]) =>
    pagesBefore({ url, view, visitor: { visitor: after === undefined ? {} : { after } } });
  assert.deepEqual(pages('cold', ['/list']), []);
  assert.deepEqual(pages('warm'), [url]);
  assert.deepEqual(pagesBefore({ url, view: 'warm' }), [url]);
  assert.deepEqual(pages('warm', []), [], 'the first page of a journey');
  assert.deepEqual(pages('warm', ['/list?page=2', '2', 'https://other.example/']), [
    'https://shop.example/list?page=2',
    'https://shop.example/item/2',
    'https://other.example/',
  ]);
});
