import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '@pronghorn/core/testing';
import { resource } from '../resource.fixture.ts';
import { notOverH3 } from './not-over-h3.ts';

const overTcp = { alternateProtocolUsage: 'mappingMissing' };
const whysOf = (resources: Parameters<typeof notOverH3>[1]) => notOverH3([], resources).map(({ why }) => why);

test('a host offers HTTP/3 from its first response with an Alt-Svc on', () => {
  const offer = { ...overTcp, altSvc: 'h3=":443"' };
  const [first, early, late] = whysOf([
    resource({ ...offer, startMs: 10, endMs: 20 }),
    resource({ ...offer, startMs: 15, endMs: 30 }),
    resource({ ...overTcp, startMs: 25, endMs: 40 }),
  ]);
  assert.deepEqual([first, early], [{ found: 'not-known-yet' }, { found: 'not-known-yet' }]);
  assert.match(JSON.stringify(late), /Its host had offered HTTP\/3 before/);
  assert.deepEqual(whysOf([resource(overTcp), resource({ ...offer, url: 'https://other.example/' })]), [
    { found: 'not-offered' },
    { found: 'not-known-yet' },
  ]);
});

test('the reason for the most requests of a visit is found while a lease is held', async () => {
  const page = Array.from({ length: 10_000 }, (_, place) => resource({ ...overTcp, url: `https://example.org/${place}.js?v=${place}` }));
  const ms = await cpuMs(() => {
    assert.deepEqual(new Set(whysOf(page).map((why) => JSON.stringify(why))), new Set(['{"found":"not-offered"}']));
  });
  assert.ok(ms < 5_000, `it took ${Math.round(ms)} ms`);
});
