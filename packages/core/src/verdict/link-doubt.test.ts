import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkDoubt, type ResultLinkCheck } from '../campaign/measured/link.ts';

/** Checks a minute apart; null: the link was out of tolerance. */
const checks = (p50s: readonly (number | null)[], toleranceMs = 2): ResultLinkCheck[] =>
  p50s.map((p50Ms, minute) => ({
    id: `check-${minute}`,
    checkedAt: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
    condition: 'dsl',
    backend: 'guest',
    kernel: '7.2',
    tcLines: [],
    rtt: p50Ms === null ? null : { requestedMs: 50, meanMs: p50Ms, p50Ms, p99Ms: p50Ms + 1, toleranceMs, packets: 20, within: true },
    up: null,
    down: null,
    counted: p50Ms !== null,
    faults: p50Ms === null ? ['no ping came back'] : [],
  }));
const steady = (count: number) => Array.from({ length: count }, (_, i) => 50 + (i % 3) / 10);
const rising = (count: number, byMs: number) => Array.from({ length: count }, (_, i) => 50 + (byMs * i) / (count - 1));

test('a link that did what it should leaves no doubt, nor does one that nobody checked', () => {
  assert.equal(linkDoubt([]), null);
  assert.equal(linkDoubt(checks(steady(30))), null);
});

test('more than a fifth of the checks out of tolerance is a doubt', () => {
  assert.equal(linkDoubt(checks([...steady(8), null, null])), null);
  assert.equal(
    linkDoubt(checks([...steady(7), null, null, null])),
    '3 of 10 checks of the link found it out of tolerance: find out what disturbs this machine.',
  );
});

test('links of different kinds are a doubt that names them, and says what to do', () => {
  const mixed = checks(steady(9)).map((check, place): ResultLinkCheck => (place < 3 ? { ...check, backend: 'netem' } : check));
  assert.equal(
    linkDoubt(mixed),
    'Its rounds were performed behind links of different kinds, guest (6 checks) and netem (3 checks): each pair of visits used one, but numbers over all of them are a mixture. Give all runners of a location the same --link, or set a location.',
  );
});

test('a link of another kind behind which no visit counts is none', () => {
  const stray = checks([80]).map((check): ResultLinkCheck => ({ ...check, backend: 'netem', checkedAt: '2026-01-02T00:00:00.000Z' }));
  const [lost, faulty] = [{ counted: false }, { faults: ['no ping came back'] }].map((given) =>
    stray.map((check) => ({ ...check, ...given })),
  );
  assert.equal(linkDoubt([...checks(steady(9)), ...(lost ?? [])]), null);
  assert.equal(linkDoubt([...checks(steady(9)), ...(faulty ?? [])]), null);
});

test('a round trip that drifts by more than half of its tolerance is a doubt, up or down, in whatever order the checks come', () => {
  const words = 'The link’s round trip grew by 1.5 ms over the campaign.';
  assert.equal(linkDoubt(checks(rising(20, 1.5))), words);
  assert.equal(linkDoubt(checks(rising(20, 1.5)).reverse()), words);
  assert.equal(linkDoubt(checks(rising(20, -1.5))), 'The link’s round trip shrank by 1.5 ms over the campaign.');
});

test('a drift within half of the tolerance is none, nor is one that few checks show', () => {
  assert.equal(linkDoubt(checks(rising(20, 0.9))), null);
  assert.equal(linkDoubt(checks(rising(20, 1.5), 4)), null);
  assert.equal(linkDoubt(checks(rising(7, 1.5))), null);
});

test('the drift of many checks is that of all, not of those that are looked at', () => {
  const many = Array.from({ length: 1200 }, (_, i) => 50 + (2 * i) / 1199 + (i % 5) / 100);
  assert.match(linkDoubt(checks(many)) ?? '', /grew by 2\.0 ms/);
});
