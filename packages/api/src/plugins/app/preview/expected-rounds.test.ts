import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionKey } from '@pronghorn/core/network';
import type { CampaignSpec } from '@pronghorn/core/schemas';
import type { TimedRound } from '../../../tables/former-rounds-repository.ts';
import { expectedRounds } from './estimate.ts';

const delays: Record<string, number> = { native: 0, slow: 500, satellite: 300 };
const condition = (name: string) => ({ name, up: {}, down: { delayMs: delays[name] ?? 0 } });
const spec: Pick<CampaignSpec, 'conditions' | 'views' | 'protocols'> & { sites: unknown[] } = {
  sites: [{ url: 'https://a.example/' }, { url: 'https://b.example/' }],
  conditions: [condition('native'), condition('slow')],
  views: ['cold'],
  protocols: ['h2', 'h3'],
};
const rounds = (siteId: number, name: string, ...slotsMs: number[]): TimedRound[] =>
  slotsMs.map((slotMs) => ({ siteId, condition: conditionKey(condition(name)), view: 'cold', slotMs }));

test('each page under each condition takes as long as its own rounds did on average, with what held them up', () => {
  const ofSites = [
    ...rounds(1, 'native', 100, 110, 390),
    ...rounds(1, 'slow', 1000),
    ...rounds(2, 'native', 200),
    ...rounds(2, 'slow', 2000),
  ];
  const { cycleMs, basis } = expectedRounds(spec, [1, 2], { ofSites, latest: [], isOtherSetup: false });
  assert.equal(cycleMs, 2 * (200 + 1000 + 200 + 2000));
  assert.equal(basis, 'From 6 earlier rounds of these pages under these conditions.');
});

test('a machine that slept during one round does not make all rounds to come as long', () => {
  const ofSites = rounds(1, 'native', 100, 100, 3_600_000);
  const { cycleMs } = expectedRounds({ ...spec, sites: spec.sites.slice(0, 1), conditions: [condition('native')] }, [1], {
    ofSites,
    latest: [],
    isOtherSetup: false,
  });
  assert.equal(cycleMs, 2 * 400);
});

test('a page that was not measured under a condition takes as long as elsewhere, a page that never was as others under that condition', () => {
  const ofSites = rounds(1, 'native', 100);
  const known = expectedRounds({ ...spec, sites: spec.sites.slice(0, 1) }, [1], {
    ofSites,
    latest: rounds(7, 'slow', 3000),
    isOtherSetup: false,
  });
  assert.equal(known.cycleMs, 2 * (100 + 100));
  assert.match(known.basis ?? '', /some under other conditions/);
  const both = expectedRounds(spec, [1, null], { ofSites, latest: rounds(7, 'slow', 3000), isOtherSetup: false });
  assert.equal(both.cycleMs, 2 * (100 + 100 + 100 + 3000));
  assert.match(both.basis ?? '', /2 of 4 pages, conditions and views were not measured before/);
});

test('where only other pages were measured the words say so; where nothing was, nobody knows', () => {
  const others = expectedRounds(spec, [null, null], { ofSites: [], latest: rounds(7, 'satellite', 500), isOtherSetup: false });
  assert.equal(others.cycleMs, 2 * 4 * 500);
  assert.match(others.basis ?? '', /^A guess from the latest round of other pages/);
  assert.deepEqual(expectedRounds(spec, [null, null], { ofSites: [], latest: [], isOtherSetup: false }), { cycleMs: null, basis: null });
});

test('a condition is what it does, not what it is called', () => {
  const ofSites = rounds(1, 'native', 100);
  const renamed = {
    ...spec,
    sites: spec.sites.slice(0, 1),
    conditions: [{ ...condition('native'), name: 'mine', description: 'as it is' }],
  };
  const one = expectedRounds(renamed, [1], { ofSites, latest: [], isOtherSetup: false });
  assert.equal(one.basis, 'From 1 earlier round of these pages under these conditions.');
  const changed = { ...renamed, conditions: [{ name: 'native', up: {}, down: { delayMs: 900 } }] };
  assert.match(
    expectedRounds(changed, [1], { ofSites, latest: [], isOtherSetup: false }).basis ?? '',
    /^A guess from 1 earlier round of these pages under other conditions/,
  );
});

test('rounds that were performed in another way give a guess that says so', () => {
  const { cycleMs, basis } = expectedRounds(spec, [1, 2], { ofSites: rounds(1, 'native', 100), latest: [], isOtherSetup: true });
  assert.equal(cycleMs, 2 * 4 * 100);
  assert.match(
    basis ?? '',
    /^A guess from 1 earlier round from another location, or with another engine, browser, isolation or way to find HTTP\/3/,
  );
});

test('what a condition does is read once, however many pages are measured under it', () => {
  let read = 0;
  const watched = {
    ...condition('native'),
    get up() {
      read += 1;
      return {};
    },
  };
  const sites = Array.from({ length: 50 }, (_, i) => ({ url: `https://${i}.example/` }));
  expectedRounds({ ...spec, sites, conditions: [watched] }, [], { ofSites: [], latest: rounds(7, 'native', 500), isOtherSetup: false });
  assert.equal(read, 1);
});
