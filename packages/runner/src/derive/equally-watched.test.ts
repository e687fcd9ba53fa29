import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageTimings } from '../gather/evidence.ts';
import { longer, missed, type Seen, seenBy } from './equally-watched.ts';
import { resource } from './resource.fixture.ts';

/** A picture of so many pixels of each of two colours. */
function picture(red: number, blue = 0): Uint32Array {
  const histogram = new Uint32Array(3 * 256);
  histogram[200] = red;
  histogram[2 * 256 + 200] = blue;
  return histogram;
}
const header = picture(10_000);
const whole = picture(10_000, 90_000);

const seen = (given: Partial<Omit<Seen, 'requests'>> & { requests?: Record<string, number> }): Seen => ({
  ...{
    endMs: 800,
    idleMs: 500,
    pauseMs: 0,
    pictures: [{ atMs: 80, histogram: header }],
    motion: 0,
    cycle: [],
    isEndless: false,
    cyclesFromMs: Number.POSITIVE_INFINITY,
    moves: false,
  },
  ...{ largest: null, blocked: [], shifted: [], loadMs: 300, movedOnMs: 0, isFed: false },
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
  const sooner = seen({ pauseMs: 700, requests: { '/': 0, '/a.js': 100, '/after-load.json': 600 } });
  assert.deepEqual(missed(seen({}), sooner)?.pauseMs, 875, 'it may come later, by as long a pause, where the load ends later');
  assert.equal(missed(shown, seen({})), null);
});

test('what a page does a while after its load is missed by a visit that did not wait for as long after its own', () => {
  const pictures = [{ atMs: 80, histogram: header }];
  const fast = seen({ endMs: 2_000, idleMs: 1_000, pauseMs: 700, pictures: [...pictures, { atMs: 1_000, histogram: whole }] });
  const slow = seen({ endMs: 1_700, idleMs: 500, pictures: [{ atMs: 1_200, histogram: header }] });
  assert.deepEqual(missed(slow, fast), { untilMs: 1_200, pauseMs: 875 });
  assert.equal(missed({ ...slow, idleMs: 900 }, fast), null, 'it waited, and has another picture: not for a lack of time');
});

test('a picture that went again is missed by a visit that ended before it came, and by no other', () => {
  const toast = seen({
    endMs: 2_400,
    pictures: [...seen({}).pictures, { atMs: 1_300, histogram: whole }, { atMs: 1_800, histogram: header }],
  });
  assert.equal(Math.round(missed(seen({}), toast)?.untilMs ?? 0), 1_530);
  // It was there: what shows a visit between two of a page's pictures is chance.
  assert.equal(missed(seen({ endMs: 1_400, idleMs: 100 }), { ...toast, pauseMs: 900 }), null);
});

test('a visit is idle from its last request or picture on, and beacons are no requests', () => {
  const page = { url: 'https://a.test/', timeOrigin: 0, readAt: 3_000, layoutShifts: null, longTasks: null, largestContentfulPaint: null };
  const of = (startMs: number, endMs: number | null, type = 'Fetch') => resource({ url: `https://a.test/${type}`, type, startMs, endMs });
  const got = (resources: ReturnType<typeof of>[]) =>
    seenBy({ ...page, navigation: { loadEventEnd: 500 } } as PageTimings, undefined, resources, [{ atMs: 700, histogram: header }]);
  assert.deepEqual([got([]).idleMs, got([of(900, 1_100)]).idleMs, got([of(1_200, null)]).idleMs], [2_300, 1_900, 1_800]);
  const beacon = got([of(900, 1_000), of(2_000, 2_100, 'Ping')]);
  assert.deepEqual([[...beacon.requests.keys()], beacon.idleMs], [['https://a.test/Fetch'], 2_000]);
});

test('who is watched for as long as two others is watched as long as each of them', () => {
  const [late, quiet] = [
    { untilMs: 2_000, pauseMs: 0 },
    { untilMs: 900, pauseMs: 700 },
  ];
  for (const one of [longer(late, quiet), longer(quiet, late)]) assert.deepEqual(one, { untilMs: 2_000, pauseMs: 700 });
});

test('a page that reloads itself by the clock, after the end of a visit, is missed by it though it shows the same again', () => {
  const renewed = seen({ endMs: 4_000, loadMs: 3_430, movedOnMs: 3_300 });
  assert.equal(Math.round(missed(seen({}), renewed)?.untilMs ?? 0), 3_730);
  assert.equal(missed(seen({ endMs: 3_900, loadMs: 3_400, movedOnMs: 3_290 }), renewed), null);
  assert.equal(missed(renewed, seen({})), null);
  const moved = (movedOnMs: number, endMs = 4_000) => seen({ endMs, movedOnMs });
  assert.notEqual(missed(seen({ endMs: 900 }), moved(850)), null, 'it may have had just too little time');
  assert.notEqual(missed(moved(300, 2_500), moved(3_300)), null, 'both moved on, one of them again');
  assert.equal(missed(moved(300, 2_500), moved(2_400)), null, 'both moved on, one of them later');
  const page = { url: 'https://a.test/', timeOrigin: 0, readAt: 900, layoutShifts: null, longTasks: null, largestContentfulPaint: null };
  const movedOnMs = (more: object) =>
    seenBy({ ...page, ...more, navigation: { loadEventEnd: 500 } } as PageTimings, undefined, [], []).movedOnMs;
  assert.deepEqual([movedOnMs({}), movedOnMs({ documentAt: 300 })], [0, 300]);
});

test('what a stream brings may come as much later as the load did', () => {
  const pushed = seen({ endMs: 3_500, isFed: true, pictures: [...seen({}).pictures, { atMs: 2_600, histogram: whole }] });
  const until = (loadMs: number, other = pushed) => Math.round(missed(seen({ endMs: 2_970, loadMs }), other)?.untilMs ?? 0);
  assert.deepEqual([until(300), until(250), until(390), until(3_000)], [0, 0, 3_818, 5_820]);
  assert.equal(until(390, { ...pushed, isFed: false }), 0, 'a timer does not wait for the network');
  const page = { url: 'https://a.test/', timeOrigin: 0, readAt: 900, layoutShifts: null, longTasks: null, largestContentfulPaint: null };
  const isFed = (type: string, settled?: object) =>
    seenBy({ ...page, navigation: { loadEventEnd: 500 } } as PageTimings, settled as never, [resource({ type })], []).isFed;
  assert.deepEqual(
    [isFed('Fetch'), isFed('EventSource'), isFed('WebSocket'), isFed('Fetch', { polls: true }), isFed('Fetch', { notAwaited: ['a'] })],
    [false, true, true, true, true],
  );
});

test('content beside an animation counts from its first picture', () => {
  const phases = [0, 1_000, 0, 1_000, 0, 1_000];
  const at = (fromMs: number, blue: number) => phases.map((red, n) => ({ atMs: fromMs + 500 * n, histogram: picture(10_000 + red, blue) }));
  const shown = seen({ endMs: 5_000, motion: 0.004, pictures: [...at(80, 0).slice(0, 3), ...at(2_000, 30_000)] });
  assert.equal(Math.round(missed(seen({ motion: 0.004 }), shown)?.untilMs ?? 0), 2_300);
});

test('a banner beside what pulses is missed, though it is smaller than that, and what pulses is not', () => {
  const motion = { share: 0.4, cycleMs: 1_200, isVideo: false };
  const page = { url: 'https://a.test/', timeOrigin: 0, layoutShifts: null, longTasks: null, largestContentfulPaint: null };
  // As many frames as a browser paints, of an animation that begins a little later each time.
  const seenTo = (readAt: number, restMs: number, bannerMs: number, frames = 60) => {
    const pulses = Array.from({ length: Math.floor((readAt * frames) / 1_000) }, (_, n) => (n * 1_000) / frames + 50).map((atMs) => ({
      atMs,
      histogram: picture(50_000 + Math.round(40_000 * Math.sin((2 * Math.PI * (atMs + restMs)) / 1_200)), atMs >= bannerMs ? 6_000 : 0),
    }));
    const settled = { ms: readAt - 300, restMs, busy: [], cut: false, motion };
    return seenBy({ ...page, readAt, navigation: { loadEventEnd: 300 } } as PageTimings, settled, [], pulses);
  };
  const [late, early] = [seenTo(7_900, 5_100, 4_200), seenTo(4_000, 1_237, 4_200)];
  assert.ok((missed(early, late)?.untilMs ?? 0) > 4_600);
  for (const frames of [30, 60]) assert.equal(missed(early, seenTo(7_900, 5_100, 60_000, frames)), null, `${frames}`);
  const cycle = missed(seenTo(4_800, 1_237, 4_200), late)?.untilMs ?? 0;
  assert.ok(cycle > 4_800 && cycle < 6_200, `${cycle}: until it saw the rest of a cycle with it`);
  assert.equal(missed(seenTo(5_500, 1_237, 4_200), late), null);
});

test('a banner is missed beside a larger box that changes in steps, and beside a pulse in whose last cycle it came', () => {
  const page = { url: 'https://a.test/', timeOrigin: 0, layoutShifts: null, longTasks: null, largestContentfulPaint: null };
  const seenTo = (readAt: number, cycleMs: number, stepMs: number, boxOf: (atMs: number) => [level: number, pixels: number]) => {
    const frames = Array.from({ length: Math.floor(readAt / stepMs) }, (_, n) => n * stepMs + 50).map((atMs) => {
      const histogram = picture(50_000, atMs >= 6_000 ? 8_000 : 0);
      const [level, pixels] = boxOf(atMs);
      for (let channel = 0; channel < 3; channel++) (histogram[256 * channel + level] as number) += pixels;
      return { atMs, histogram };
    });
    const settled = { ms: readAt - 300, restMs: readAt - 2_500, busy: [], cut: false, motion: { share: 0.1, cycleMs, isVideo: false } };
    return seenBy({ ...page, readAt, navigation: { loadEventEnd: 300 } } as PageTimings, settled, [], frames);
  };
  const steps = (atMs: number): [number, number] => [[40, 80, 120, 160][Math.floor(atMs / 300) % 4] as number, 14_000];
  assert.ok((missed(seenTo(4_000, 1_200, 300, steps), seenTo(9_000, 1_200, 300, steps))?.untilMs ?? 0) > 6_600);
  const pulse = (atMs: number): [number, number] => [Math.round(110 + 50 * Math.sin((2 * Math.PI * atMs) / 1_000)), 14_000];
  for (const untilMs of [6_300, 7_220, 8_900])
    assert.ok(
      (missed(seenTo(4_000, 1_000, 1_000 / 30, pulse), seenTo(untilMs, 1_000, 1_000 / 60, pulse))?.untilMs ?? 0) > 6_600,
      `${untilMs}`,
    );
});

test('a little that comes late is missed beside a box that turns', () => {
  const fuller = (blue: number) => picture(100_000, blue);
  const shown = seen({
    endMs: 5_000,
    motion: 0.001,
    pictures: [
      { atMs: 80, histogram: fuller(0) },
      { atMs: 4_200, histogram: fuller(1_700) },
    ],
  });
  assert.ok(missed(seen({ motion: 0.001, pictures: [{ atMs: 80, histogram: fuller(0) }] }), shown) !== null);
});

test('what moves without end is not missed', () => {
  const slides = seen({ endMs: 1_500, pictures: [...seen({}).pictures, { atMs: 880, histogram: picture(0, 10_000) }], motion: 1 });
  assert.equal(missed(seen({ motion: 1 }), slides), null);
  assert.notEqual(missed(seen({}), { ...slides, motion: 0 }), null);
});

test('what comes a while after load beside an animation is missed by a visit that did not wait for as long after its own', () => {
  const pictures = [...seen({}).pictures, { atMs: 3_200, histogram: whole }];
  const fast = seen({ endMs: 3_400, loadMs: 800, requests: { '/': 0, '/a.js': 400 }, moves: true, pictures });
  const slow = seen({ endMs: 3_700, idleMs: 2_000, loadMs: 1_700, moves: true });
  assert.deepEqual(missed(slow, fast)?.pauseMs, 3_000);
  assert.equal(missed({ ...slow, endMs: 4_800, idleMs: 3_100 }, fast), null);
  const page = { url: 'https://a.test/', timeOrigin: 0, readAt: 3_000, layoutShifts: null, longTasks: null, largestContentfulPaint: null };
  const settled = { ms: 2_500, restMs: 1_000, busy: [], cut: false, motion: { share: 0.001, cycleMs: 800, isVideo: false } };
  const { idleMs } = seenBy(
    { ...page, navigation: { loadEventEnd: 500 } } as PageTimings,
    settled as never,
    [],
    [{ atMs: 2_990, histogram: header }],
  );
  assert.equal(idleMs, 2_500);
});

test('a visit in whose last two cycles the content came is made once more where another one saw it in time', () => {
  const at = (ms: number) => [...seen({}).pictures, { atMs: ms, histogram: whole }];
  const late = seen({ endMs: 6_390, isEndless: true, moves: true, cyclesFromMs: 4_390, pictures: at(5_200) });
  const early = seen({ endMs: 6_390, moves: true, cyclesFromMs: 4_390, pictures: at(3_900) });
  assert.equal(Math.round(missed(late, early)?.untilMs ?? 0), 5_820);
  assert.equal(missed({ ...late, endMs: 7_820, cyclesFromMs: 5_820 }, early), null);
  assert.equal(missed(late, { ...early, isEndless: true }), null);
  assert.equal(missed(early, late), null);
});

test('a banner is missed beside a sprite of twenty pictures a second', () => {
  const page = { url: 'https://a.test/', timeOrigin: 0, layoutShifts: null, longTasks: null, largestContentfulPaint: null };
  const motion = { share: 0.1, cycleMs: 1_000, isVideo: false };
  const seenTo = (readAt: number) => {
    const frames = Array.from({ length: Math.floor(readAt / 50) }, (_, n) => 50 * n + 50).map((atMs) => {
      const histogram = picture(50_000, atMs >= 5_000 ? 7_000 : 0);
      for (let channel = 0; channel < 3; channel++) (histogram[256 * channel + 20 + 11 * ((atMs / 50) % 20)] as number) += 14_000;
      return { atMs, histogram };
    });
    const settled = { ms: readAt - 300, restMs: readAt - 2_050, busy: [], cut: false, motion };
    return seenBy({ ...page, readAt, navigation: { loadEventEnd: 300 } } as PageTimings, settled, [], frames);
  };
  assert.ok((missed(seenTo(3_500), seenTo(7_600))?.untilMs ?? 0) > 5_500);
});

test('of two visits without SpeedIndex, as a canvas moves, neither misses what the other painted', () => {
  const canvas = (endMs: number, isEndless: boolean) =>
    seen({ endMs, isEndless, pictures: [...seen({}).pictures, { atMs: endMs - 50, histogram: picture(10_000, 5 * endMs) }] });
  assert.equal(missed(canvas(3_200, true), canvas(3_500, true)), null);
  assert.notEqual(missed(canvas(3_200, true), canvas(3_500, false)), null);
  const larger = { ...canvas(3_500, true), largest: { atMs: 3_400, size: 40_000 } };
  assert.notEqual(missed({ ...canvas(3_200, true), largest: { atMs: 60, size: 10_000 } }, larger), null, 'it may have another LCP');
});

test('content that is as colourful but larger, a task and a shift that come by the clock are missed, too', () => {
  const headline = seen({ endMs: 800, largest: { atMs: 60, size: 10_000 } });
  const replaced = seen({ endMs: 1_900, largest: { atMs: 1_300, size: 40_000 } });
  assert.equal(Math.round(missed(headline, replaced)?.untilMs ?? 0), 1_530);
  const again = seen({ endMs: 1_900, largest: { atMs: 1_300, size: 10_100 } });
  assert.notEqual(missed(headline, again), null, 'Chrome takes what is larger by a pixel');
  assert.equal(missed({ ...headline, endMs: 1_540 }, again), null, 'it had the time');
  assert.equal(missed(headline, seen({ endMs: 1_900 })), null, 'unknown');
  assert.equal(missed(headline, seen({ endMs: 1_900, largest: { atMs: 1_300, size: 10_000 } })), null, 'the same, later');

  const worked = seen({ endMs: 1_900, blocked: [{ atMs: 1_300, amount: 300 }] });
  assert.equal(Math.round(missed(seen({}), worked)?.untilMs ?? 0), 1_530);
  assert.equal(missed(seen({ blocked: [{ atMs: 300, amount: 280 }] }), worked), null, 'it has worked as much, sooner');
  const at = (atMs: number, amount: number) => ({ atMs, amount });
  assert.equal(missed(seen({}), seen({ endMs: 1_900, blocked: [at(1_300, 15)] })), null, 'a busy machine');
  assert.equal(missed(seen({}), seen({ endMs: 1_900, blocked: [at(1_240, 15), at(1_300, 30)] })), null, 'one of several tasks');
  assert.equal(Math.round(missed(seen({}), seen({ endMs: 1_900, blocked: [at(1_300, 30)] }))?.untilMs ?? 0), 1_530, 'by a timer');
  assert.equal(missed(seen({}), seen({ endMs: 1_900, blocked: [at(200, 400), at(1_300, 30)] })), null, 'little of its work');
  const collapsed = { endMs: 1_900, shifted: [at(1_300, 0.02)], pictures: [...seen({}).pictures, { atMs: 1_295, histogram: whole }] };
  assert.equal(Math.round(missed(seen({ pictures: collapsed.pictures }), seen(collapsed))?.untilMs ?? 0), 1_530, 'a slot that collapses');
  const early = { atMs: 300, amount: 280 };
  assert.equal(missed(seen({}), seen({ endMs: 1_900, blocked: [early, { atMs: 1_300, amount: 30 }] })), null, 'what it had the time for');
  assert.notEqual(missed(seen({}), seen({ endMs: 1_900, shifted: [{ atMs: 1_300, amount: 0.2 }] })), null);
});

test('a splash that only one visit still showed is another picture, however much of it moves', () => {
  const splash = seen({ endMs: 900, pictures: [{ atMs: 60, histogram: header }], motion: 0.99 });
  const content = seen({
    endMs: 2_000,
    pictures: [
      { atMs: 60, histogram: header },
      { atMs: 1_300, histogram: whole },
    ],
  });
  assert.equal(Math.round(missed(splash, content)?.untilMs ?? 0), 1_530);
});

test('a request that a page repeats for ever counts from its first time', () => {
  const page = { url: 'https://a.test/', timeOrigin: 0, readAt: 9_000, layoutShifts: null, longTasks: null, largestContentfulPaint: null };
  for (const [path, name] of [
    ['poll?at=', 'poll'],
    ['poll/1764500000', 'poll/#'],
    ['poll/0b0e7a3c-8a1f-4a52-9d61-3d4b8f0c', 'poll/#'],
  ]) {
    const poll = (startMs: number) => resource({ url: `https://a.test/${path}${startMs}`, type: 'Fetch', startMs, endMs: startMs + 20 });
    const { requests } = seenBy(
      { ...page, navigation: { loadEventEnd: 500 } } as PageTimings,
      undefined,
      [1_300, 1_700, 8_900].map(poll),
      [],
    );
    assert.deepEqual([...requests], [[`https://a.test/${name}`, 1_300]]);
  }
});

test('a button as small as a box that turns, on a white page, is content', () => {
  const frames = (upToMs: number, buttonMs: number) =>
    Array.from({ length: Math.floor(upToMs / 50) }, (_, n) => 50 * n + 50).map((atMs) => ({
      atMs,
      histogram: picture(atMs < 400 ? 800 : 2_400 + (atMs % 200 === 0 ? 20 : 0), atMs >= buttonMs ? 1_200 : 0),
    }));
  const motion = { share: 0.0061, cycleMs: 800, isVideo: false };
  const page = { url: 'https://a.test/', timeOrigin: 0, layoutShifts: null, longTasks: null, largestContentfulPaint: null };
  const seenTo = (readAt: number) =>
    seenBy(
      { ...page, readAt, navigation: { loadEventEnd: 300 } } as PageTimings,
      { ms: readAt - 300, restMs: readAt, workMs: readAt - 510, busy: ['paint'], cut: false, motion },
      [],
      frames(readAt, 1_300),
    );
  assert.ok((missed(seenTo(920), seenTo(1_770))?.untilMs ?? 0) > 1_500);
  assert.equal(missed(seenTo(1_600), seenTo(1_770)), null);
});

test('a box that moves on a white page is none, nor is a picture that came before', () => {
  // 80 × 80 pixels of 1366 × 768 are 0.6 % of the viewport, and two thirds of all that is not white: too little to be reported as motion.
  const box = (red: number, blue: number) => [
    { atMs: 60, histogram: picture(400, 0) },
    { atMs: 300, histogram: picture(400 + red, blue) },
  ];
  assert.equal(missed(seen({ pictures: box(860, 0) }), seen({ endMs: 1_500, pictures: box(0, 860) })), null);
  const turned = [whole, header].map((histogram, i) => ({ atMs: 60 + 400 * i, histogram }));
  assert.equal(missed(seen({ pictures: turned }), seen({ endMs: 1_500, pictures: [{ atMs: 1_200, histogram: whole }] })), null);
});
