import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxTextLength } from '@pronghorn/core/schemas';
import { cutText, slimUrl } from '../gather/network-log.ts';
import { visitUpload } from './uploads.ts';

test('a long text keeps its beginning and stays distinct from others that begin alike', () => {
  const url = (end: string) => `https://site.example/${'x'.repeat(2_000_000)}${end}`;
  const [one, two] = [cutText(url('1')), cutText(url('2'))];
  assert.notEqual(one, two);
  assert.equal(one, cutText(url('1')));
  assert.ok(one.length <= maxTextLength, `${one.length}`);
  assert.match(one, /^https:\/\/site\.example\/x{7979}…sha256:[0-9a-f]{16}$/);
  assert.equal(slimUrl(url('1')), one);
  assert.equal(cutText('https://site.example/'), 'https://site.example/');
});

test('no text of a visit is longer than the api takes, whichever engine made it', () => {
  const visit = { id: 'v', finalUrl: 'u'.repeat(9_000), outcome: { detail: 'd'.repeat(2_000_000) } };
  const sent = JSON.parse(String(visitUpload('lease', visit as unknown as Parameters<typeof visitUpload>[1]).body));
  assert.ok(sent.finalUrl.length <= maxTextLength && sent.outcome.detail.length <= maxTextLength);
});
