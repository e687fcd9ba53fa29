import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DemoSite } from '@pronghorn/origin';
import { sitesOf } from './demo-origin.ts';

const site = (name: string, more: Partial<DemoSite> = {}): DemoSite => ({
  ...{ name, title: name, standsFor: name, url: `https://${name}.pronghorn.test/`, hosts: [] },
  ...more,
});
const sites = [site('shop'), site('lazy', { web: true }), site('plain-http', { web: true })];
const namesOf = (names: readonly string[] | undefined) => sitesOf(sites, names).map(({ name }) => name);

test('the web is its sites but for what campaigns refuse or take minutes for, which is for who names it', () => {
  assert.deepEqual(namesOf(undefined), ['shop']);
  assert.deepEqual(namesOf(['web']), ['lazy']);
  assert.deepEqual(namesOf(['shop', 'web', 'plain-http']), ['shop', 'lazy', 'plain-http']);
});
