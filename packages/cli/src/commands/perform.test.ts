import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SiteDiscovery } from '@pronghorn/core';
import { discoveryLines } from './perform.ts';

const asked = 'https://shop.example/';
const found = (finalUrl: string, redirects: string[] = []) =>
  discoveryLines('shop', asked, { failure: null, finalUrl, redirects } as unknown as SiteDiscovery).join('\n');

test('a page that was led elsewhere at discovery says where, since that page is measured', () => {
  assert.match(found('https://shop.example/login?next=/', [asked]), /shop: redirects to https:\/\/shop\.example\/login\?next=\/, and that/);
  assert.match(found('https://consent.example/', [asked]), /redirects to https:\/\/consent\.example\//);
  assert.match(found('https://shop.example/de/'), /moves to/, 'by a script');
});

test('one that stays where it was asked for says nothing', () => {
  assert.equal(found(asked), '');
  assert.equal(found(`${asked}#top`), '');
});
