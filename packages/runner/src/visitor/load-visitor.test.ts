import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Evidence } from '../gather/evidence.ts';
import { mustHaveCome, pagesBefore } from './load-visitor.ts';

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

test('a page before that does not come is named, and its failure is that of the page behind it; a Chrome that goes away is none', () => {
  const ended = (end: Evidence['end']) => () =>
    mustHaveCome('https://shop.example/list', { end, network: [], page: null } as unknown as Evidence);
  assert.throws(ended({ kind: 'navigation-failed', error: 'net::ERR_CONNECTION_RESET' }), {
    reason: 'connection-error',
    message:
      'The page before, https://shop.example/list, failed (connection-error), so this one was not opened: https://shop.example/list: net::ERR_CONNECTION_RESET',
  });
  assert.throws(ended({ kind: 'browser-crashed' }), { reason: 'browser-crashed' });
  assert.throws(ended({ kind: 'download' }), { reason: 'step-failed' }, 'no page at all');
});
