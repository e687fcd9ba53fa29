import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missed, type Seen } from './equally-watched.ts';

/** A picture of so many pixels of each of two colours. */
function picture(red: number, blue = 0): Uint32Array {
  const histogram = new Uint32Array(3 * 256);
  histogram[200] = red;
  histogram[2 * 256 + 200] = blue;
  return histogram;
}
const header = picture(100);
const whole = picture(100, 900);

const seen = (given: Partial<Omit<Seen, 'requests'>> & { requests?: Record<string, number> }): Seen => ({
  ...{ endMs: 800, idleMs: 500, pauseMs: 0, pictures: [{ atMs: 80, histogram: header }], motion: 0 },
  ...given,
  requests: new Map(Object.entries(given.requests ?? { '/': 0, '/a.js': 100 })),
});

test('a visit of a page that came to rest sooner has missed nothing', () => {
  const slow = seen({ endMs: 2_500, requests: { '/': 0, '/a.js': 1_900 }, pictures: [{ atMs: 1_800, histogram: header }] });
  assert.equal(missed(seen({}), slow), null);
  assert.equal(missed(slow, seen({})), null);
});

test('a picture or a request that comes by the clock after the end of a visit is missed by it', () => {
  const shown = seen({ endMs: 1_570, pictures: [...seen({}).pictures, { atMs: 1_000, histogram: whole }] });
  assert.deepEqual(missed(seen({}), shown), { untilMs: 1_200, pauseMs: 0 });
  const asked = seen({ endMs: 1_570, requests: { '/': 0, '/a.js': 600, '/late.json': 1_050 } });
  assert.deepEqual(missed(seen({}), asked), { untilMs: 1_255, pauseMs: 0 });
  assert.equal(missed(shown, seen({})), null);
});

test('what a page does a while after its load is missed by a visit that did not wait for as long after its own', () => {
  const pictures = [{ atMs: 80, histogram: header }];
  const fast = seen({ endMs: 2_000, idleMs: 1_000, pauseMs: 700, pictures: [...pictures, { atMs: 1_000, histogram: whole }] });
  const slow = seen({ endMs: 1_700, idleMs: 500, pictures: [{ atMs: 1_200, histogram: header }] });
  assert.deepEqual(missed(slow, fast), { untilMs: 1_200, pauseMs: 875 });
  assert.equal(missed({ ...slow, idleMs: 900 }, fast), null, 'it waited, and has another picture: not for a lack of time');
});

test('what moves without end is not missed', () => {
  const slides = seen({ endMs: 1_500, pictures: [...seen({}).pictures, { atMs: 880, histogram: picture(0, 100) }], motion: 1 });
  assert.equal(missed(seen({ motion: 1 }), slides), null);
  assert.notEqual(missed(seen({}), { ...slides, motion: 0 }), null);
});
