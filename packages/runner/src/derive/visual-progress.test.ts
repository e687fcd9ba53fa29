import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import speedline from 'speedline-core';
import type { Frame } from '../gather/evidence.ts';
import { lastNewsMs, picturesOf, visualProgress, type Watched } from './visual-progress.ts';

const width = 320;
const height = 200;
const timeOrigin = 1_700_000_000_000;

/** A frame with coloured columns from the left: as many pixels wide as said. */
async function frame(atMs: number, columns: { colour: string; pixels: number }[]): Promise<Frame> {
  let left = 0;
  const rectangles = columns.map(({ colour, pixels }) => {
    const rectangle = `<rect x="${left}" width="${pixels}" height="${height}" fill="${colour}"/>`;
    left += pixels;
    return rectangle;
  });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="white"/>${rectangles.join('')}</svg>`;
  const jpeg = await sharp(Buffer.from(svg)).jpeg({ quality: 90, chromaSubsampling: '4:4:4' }).toBuffer();
  return { timestamp: timeOrigin + atMs, jpegBase64: jpeg.toString('base64') };
}

const progressOf = async (frames: Frame[], watched?: Watched) => visualProgress(await picturesOf(frames, timeOrigin), watched);

const near = (actual: number | null | undefined, expected: number, tolerance: number) =>
  assert.ok(actual != null && Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected} ± ${tolerance}`);

test('a viewport that is filled at once has its moment as SpeedIndex', async () => {
  const got = await progressOf([await frame(0, []), await frame(700, [{ colour: '#0a6', pixels: width }])]);
  assert.deepEqual(got, {
    ...{ speedIndex: 700, firstVisualChange: 700, lastVisualChange: 700 },
    curve: [
      { atMs: 0, completeness: 0 },
      { atMs: 700, completeness: 1 },
    ],
  });
});

test('steps count by their area and their wait', async () => {
  const first = { colour: '#08f', pixels: 80 };
  const second = { colour: '#f80', pixels: 240 };
  const got = await progressOf([await frame(200, [first]), await frame(1_000, [first, second])]);
  // 200 ms at 0, then 800 ms at a quarter.
  near(got?.speedIndex, 200 + 800 * 0.75, 5);
  assert.equal(got?.firstVisualChange, 200);
  assert.equal(got?.lastVisualChange, 1_000);
  near(got?.curve[0]?.completeness, 0.25, 0.01);
  assert.deepEqual(got?.curve[1], { atMs: 1_000, completeness: 1 });
});

test('what was painted before navigation does not count, nor does a repeat of the last frame', async () => {
  const full = await frame(500, [{ colour: '#333', pixels: width }]);
  const before = await frame(-100, [{ colour: '#333', pixels: width }]);
  const got = await progressOf([before, full, { ...full, timestamp: full.timestamp + 300 }]);
  assert.deepEqual(got, {
    ...{ speedIndex: 500, firstVisualChange: 500, lastVisualChange: 500 },
    curve: [
      { atMs: 500, completeness: 1 },
      { atMs: 800, completeness: 1 },
    ],
  });
});

test('nothing seen is nothing measured', async () => {
  assert.equal(await progressOf([]), null);
  assert.equal(await progressOf([await frame(100, [])]), null);
});

test('it agrees with speedline, which rounds progress down to whole percents', async () => {
  let seed = 42;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const colours = ['#123456', '#fedc98', '#9a3', '#c0ffee', '#f0f', '#210'];
  for (let page = 0; page < 12; page++) {
    const columns: { colour: string; pixels: number }[] = [];
    const frames: Frame[] = [];
    let at = 50;
    for (let left = width; left > 0; at += 20 + Math.floor(random() * 400)) {
      const pixels = Math.min(left, 8 * (1 + Math.floor(random() * 12)));
      columns.push({ colour: colours[Math.floor(random() * colours.length)] ?? '#000', pixels });
      left -= pixels;
      frames.push(await frame(at, columns));
    }
    const events = frames.map(({ timestamp, jpegBase64 }) => ({
      name: 'Screenshot',
      cat: 'disabled-by-default-devtools.screenshot',
      tid: 1,
      ts: timestamp * 1_000,
      dur: 0,
      args: { snapshot: jpegBase64 },
    }));
    const reference = await speedline(events, { timeOrigin: timeOrigin * 1_000, include: 'speedIndex' });
    const got = await progressOf(frames);
    const last = (frames.at(-1)?.timestamp ?? 0) - timeOrigin;
    // Rounding down makes speedline's index larger, by at most 1 % of the time until the last frame.
    assert.ok(
      got?.speedIndex != null && reference.speedIndex - got.speedIndex >= -0.002 * last,
      `${got?.speedIndex} against ${reference.speedIndex}`,
    );
    near(got.speedIndex, reference.speedIndex, 0.012 * last);
  }
});

const red = { colour: '#c00', pixels: width };
const blue = { colour: '#00c', pixels: width };

test('a page whose pictures alternate for ever has no SpeedIndex, unless they hardly differ or a whole cycle was seen', async () => {
  const slides = async (count: number, second = blue) =>
    await Promise.all(Array.from({ length: count }, (_, i) => frame(i === 0 ? 60 : 40 + 800 * i, [i % 2 === 0 ? red : second])));
  for (const count of [4, 5, 8, 9]) {
    const moving = await progressOf(await slides(count), { restMs: 1_300 });
    assert.deepEqual([moving?.speedIndex, moving?.lastVisualChange, moving?.firstVisualChange], [null, null, 60], `${count} slides`);
  }
  near((await progressOf(await slides(8, { colour: '#ca0000', pixels: width }), { restMs: 1_300 }))?.speedIndex, 60, 1);
  const cycle = { share: 0.9, cycleMs: 1_600 };
  for (const restMs of [600, 1_400, 2_300]) {
    const whole = (await slides(9)).filter(({ timestamp }) => timestamp - timeOrigin <= restMs + 3_200);
    near((await progressOf(whole, { restMs, endMs: restMs + 3_200, motion: cycle }))?.speedIndex, 60, 1);
    const cut = await progressOf(whole.slice(0, -1), { restMs, endMs: restMs + 3_000, motion: cycle });
    assert.equal(cut?.speedIndex, null, 'content that came in its first cycle, and stayed, would be taken for one of its pictures');
  }
  const unseen = { motion: { share: 0.5, cycleMs: null } };
  assert.equal((await progressOf(await slides(1), { restMs: 600, ...unseen }))?.speedIndex, null, 'it repeats too late to be seen');
  near((await progressOf(await slides(1), { restMs: 600, motion: { share: 0.02, cycleMs: null } }))?.speedIndex, 60, 1);
});

test('what comes before the page, such as a splash with a spinner, is no picture of its animation', async () => {
  const splash = (spinner: string) => [
    { colour: '#113355', pixels: 280 },
    { colour: spinner, pixels: 20 },
  ];
  const frames = await Promise.all([
    ...[60, 460, 860, 1_260].map((at, i) => frame(at, splash(i % 2 === 0 ? '#ff0000' : '#00ff00'))),
    frame(1_300, [{ colour: '#cc8800', pixels: 300 }]),
  ]);
  const motion = { share: 0.07, cycleMs: 800 };
  // At rest before the page came, or after it.
  for (const restMs of [1_020, 1_450]) near((await progressOf(frames, { restMs, endMs: 3_050, motion }))?.speedIndex, 1_300, 30);
  const again = [...frames, ...(await Promise.all([frame(1_500, splash('#ff0000')), frame(1_700, [{ colour: '#cc8800', pixels: 300 }])]))];
  assert.equal(
    (await progressOf(again, { restMs: 1_020, endMs: 2_620, motion }))?.speedIndex,
    null,
    'it comes again: which picture is the last one is not known',
  );
});

test('what comes while an animation goes on, and stays, is none of its pictures', async () => {
  const stripes = (n: number, banner: string) => [
    { colour: '#3355aa', pixels: 200 },
    { colour: n % 2 === 0 ? '#ff0000' : '#00ff00', pixels: 60 },
    { colour: banner, pixels: 60 },
  ];
  const motion = { share: 0.9, cycleMs: 1_000, isVideo: false };
  for (const bannerMs of [1_200, 1_800, 2_400, 2_900, 3_600, 4_500]) {
    const frames = await Promise.all(
      Array.from({ length: 21 }, (_, n) => 100 + 250 * n).map((at, n) =>
        frame(at, stripes(Math.floor(n / 2), at >= bannerMs ? '#ffee00' : '#ffffff')),
      ),
    );
    // However soon the page was at rest, the banner is a fifth of it.
    const [early, late] = await Promise.all([900, 1_150].map((restMs) => progressOf(frames, { restMs, endMs: 5_150, motion })));
    const [a, b] = [early?.speedIndex, late?.speedIndex];
    // A fifth is missing until the banner; its animation has to be seen with it twice, too.
    const expected = bannerMs < 3_000 ? 100 + (60 / 320) * (Math.ceil((bannerMs - 100) / 250) * 250) : null;
    for (const speedIndex of [a, b])
      if (expected === null) assert.equal(speedIndex, null, `${bannerMs}`);
      else near(speedIndex, expected, 20);
  }
});

test('what comes late beside a pulse of sixty frames a second is missing until then, and no phase of the pulse is', () => {
  const filled = (...areas: [level: number, pixels: number][]) => {
    const histogram = new Uint32Array(3 * 256);
    for (const [level, pixels] of areas) for (let channel = 0; channel < 3; channel++) histogram[256 * channel + level] = pixels;
    return histogram;
  };
  const pictures = Array.from({ length: 400 }, (_, n) => 100 + (n * 1_000) / 60).map((atMs) => ({
    atMs,
    histogram: filled(
      [180 + Math.round(40 * Math.sin((2 * Math.PI * atMs) / 1_200)), 60_000],
      ...(atMs > 3_700 ? [[60, 40_000] as [number, number]] : []),
    ),
  }));
  const motion = { share: 0.4, cycleMs: 1_200, isVideo: false };
  near(visualProgress(pictures, { restMs: 1_200, endMs: 6_760, motion })?.speedIndex, 0.6 * 100 + 0.4 * 3_710, 15);
});

/** Pictures of areas of one level each, sixty a second. */
function painted(fromMs: number, untilMs: number, areas: (atMs: number) => [level: number, pixels: number][]) {
  return Array.from({ length: Math.floor(((untilMs - fromMs) * 60) / 1_000) + 1 }, (_, n) => fromMs + (n * 1_000) / 60).map((atMs) => {
    const histogram = new Uint32Array(3 * 256);
    for (const [level, pixels] of areas(atMs)) for (let channel = 0; channel < 3; channel++) histogram[256 * channel + level] = pixels;
    return { atMs, histogram };
  });
}
const wave = (atMs: number, cycleMs: number) => 0.5 - 0.5 * Math.cos((2 * Math.PI * atMs) / cycleMs);

test('a pulse of strong colours is complete from its first picture, however long it was watched', () => {
  const motion = { share: 0.4, cycleMs: 1_000, isVideo: false };
  for (const endMs of [2_830, 4_520, 6_020, 10_020]) {
    const pulse = painted(400, endMs, (atMs) => [
      [20, 20_000],
      [70 + Math.round(111 * wave(atMs, 1_000)), 90_000],
    ]);
    near(visualProgress(pulse, { restMs: 810, endMs, motion })?.speedIndex, 400, 5);
  }
});

test('a pulse whose frames came at other phases before its last cycles is complete, or has no SpeedIndex', () => {
  const motion = { share: 0.4, cycleMs: 1_000, isVideo: false };
  const of = (amplitude: number, slipMs: number) => {
    const pictures = Array.from({ length: 190 }, (_, n) => 400 + (n * 1_000) / 30).map((ms) => {
      const atMs = ms < slipMs ? ms : ms + 1_000 / 60;
      const histogram = new Uint32Array(3 * 256);
      for (let channel = 0; channel < 3; channel++) {
        histogram[256 * channel + 20] = 20_000;
        histogram[256 * channel + 70 + Math.round(amplitude * wave(atMs, 1_000))] = 90_000;
      }
      return { atMs, histogram };
    });
    return visualProgress(pictures, { restMs: 910, workMs: 400, endMs: 6_700, motion })?.speedIndex ?? null;
  };
  for (const slipMs of [1_500, 3_000]) assert.equal(of(140, slipMs), null, `${slipMs}`);
  for (const [amplitude, slipMs] of [
    [140, 600],
    [60, 1_500],
    [60, 3_000],
  ] as const)
    near(of(amplitude, slipMs), 400, 5);
});

test('content between two of the pictures by which an animation is told is none of it', () => {
  const motion = { share: 0.05, cycleMs: 2_000, isVideo: false };
  for (let lateMs = 930; lateMs < 1_300; lateMs += 17) {
    const pictures = painted(200, 5_430, (atMs) => [
      [60 + Math.round(60 * wave(atMs, 2_000)), 12_000],
      [140, 80_000],
      ...(atMs >= lateMs ? [[30, 80_000] as [number, number]] : []),
    ]);
    const shown = pictures.find(({ atMs }) => atMs >= lateMs)?.atMs ?? 0;
    near(visualProgress(pictures, { restMs: 810, endMs: 5_430, motion })?.speedIndex, 200 + ((shown - 200) * 80) / 172, 15);
  }
});

test('of two things that come beside an animation, the one of its last cycle counts, or there is no SpeedIndex', () => {
  const motion = { share: 0.02, cycleMs: 1_200, isVideo: false };
  for (const first of [950, 1_372]) {
    for (const second of [2_221, 2_563, 2_905, 3_076]) {
      const pictures = painted(200, 3_220, (atMs) => [
        [60 + Math.round(60 * wave(atMs, 1_200)), 4_000],
        [140, 80_000],
        ...(atMs >= first ? [[30, 10_000] as [number, number]] : []),
        ...(atMs >= second ? [[220, 20_000] as [number, number]] : []),
      ]);
      const got = visualProgress(pictures, { restMs: 810, endMs: 3_230, motion })?.speedIndex ?? null;
      if (got !== null) near(got, 200 + ((first - 200) * 10 + (second - 200) * 20) / 114, 40);
    }
  }
});

test('what slides in late is one change', async () => {
  const slide = Array.from({ length: 12 }, (_, n) =>
    frame(1_000 + 33 * n, [
      { colour: '#3355aa', pixels: 200 },
      { colour: '#ffcc00', pixels: 10 * n + 10 },
    ]),
  );
  const frames = await Promise.all([frame(100, [{ colour: '#3355aa', pixels: 200 }]), ...slide]);
  near((await progressOf(frames, { restMs: 700 }))?.speedIndex, 550, 120);
});

/** Pictures of a page with a strip that moves, one each 100 ms, and from the one of this number on a banner. */
const strip = async (count: number, bannerFrom = Number.POSITIVE_INFINITY) =>
  await Promise.all(
    Array.from({ length: count }, (_, n) =>
      frame(100 + 100 * n, [
        { colour: '#3355aa', pixels: 220 },
        { colour: n % 2 === 0 ? '#aa3355' : '#aa3356', pixels: 30 },
        ...(n >= bannerFrom ? [{ colour: '#cc7711', pixels: 50 }] : []),
      ]),
    ),
  );

test('of a long animation that goes on as it did, as much is unknown as was seen to change', async () => {
  const marquee = await strip(10);
  const motion = { share: 0.1, cycleMs: null };
  const watched = { restMs: 700, workMs: 150, endMs: 1_050, paints: true };
  const still = marquee.slice(0, 3);
  assert.equal(
    (await progressOf(still, { restMs: 700, endMs: 1_050, motion: { ...motion, isVideo: false } }))?.speedIndex,
    null,
    'what stands still may be between two slides',
  );
  near((await progressOf(marquee, { ...watched, motion: { ...motion, isVideo: false } }))?.speedIndex, 100, 20);
  assert.equal((await progressOf(marquee, { ...watched, motion: { ...motion, isVideo: true } }))?.speedIndex, null);
});

test('a page that shows two things late, and stays, has a SpeedIndex; one that goes on three times has none', async () => {
  const bar = (n: number) => ({ colour: ['#3355aa', '#aa3355', '#33aa55', '#aaaa33'][n] as string, pixels: 80 });
  const steps = async (count: number) =>
    await Promise.all(
      Array.from({ length: count }, (_, n) =>
        frame(
          100 + 800 * n,
          Array.from({ length: n + 1 }, (_, i) => bar(i)),
        ),
      ),
    );
  for (const count of [2, 3]) assert.ok(((await progressOf(await steps(count), { restMs: 650 }))?.speedIndex ?? 0) > 100, `${count}`);
  assert.equal((await progressOf(await steps(4), { restMs: 650 }))?.speedIndex, null);
});

test('a page that still painted at its end has no last visual change, though what moved was too little to lose its SpeedIndex', async () => {
  const frames = [await frame(100, [{ colour: '#3355aa', pixels: 300 }]), await frame(900, [{ colour: '#3456ab', pixels: 300 }])];
  const of = async (paints: boolean) => await progressOf(frames, { restMs: 700, workMs: 150, endMs: 1_000, paints });
  const [still, moving] = [await of(false), await of(true)];
  assert.deepEqual(
    [still?.lastVisualChange, moving?.lastVisualChange].map((ms) => typeof ms),
    ['number', 'object'],
  );
  near(moving?.speedIndex, still?.speedIndex ?? 0, 1);
});

test('a banner that comes beside a strip that moves, and stays, is content', async () => {
  const frames = await strip(24, 14);
  const motion = { share: 0.2, cycleMs: null, isVideo: false };
  for (const workMs of [150, 1_300])
    near((await progressOf(frames, { restMs: workMs + 550, workMs, endMs: 2_450, paints: true, motion }))?.speedIndex, 100 + 1_400 / 6, 20);
});

test('a carousel beside a strip that moves has no SpeedIndex', async () => {
  const heroes = ['#3355aa', '#aaaa33', '#33aa55'];
  const frames = Array.from({ length: 40 }, (_, n) =>
    frame(100 + 100 * n, [
      { colour: heroes[Math.floor(n / 8) % 3] as string, pixels: 220 },
      { colour: n % 2 === 0 ? '#aa3355' : '#aa3356', pixels: 30 },
    ]),
  );
  const motion = { share: 0.2, cycleMs: null, isVideo: false };
  const watched = { restMs: 700, workMs: 150, endMs: 4_050, paints: true, motion };
  assert.equal((await progressOf(await Promise.all(frames), watched))?.speedIndex, null);
});

test('a small box that turns without end, and content that came before the page was idle, leave a SpeedIndex', async () => {
  const turning = (count: number) =>
    Array.from({ length: count }, (_, n) => [
      { colour: '#008844', pixels: 240 },
      { colour: n % 2 === 0 ? '#ff0000' : '#00ff00', pixels: 2 },
    ]);
  const frames = await Promise.all([
    frame(60, [{ colour: '#0088ff', pixels: 8 }]),
    ...turning(8).map((parts, n) => frame(760 + 80 * n, parts)),
  ]);
  const painting = { restMs: 1_300, paints: true };
  near((await progressOf(frames, { ...painting, workMs: 700 - 40 }))?.speedIndex, 760, 20);
  assert.equal((await progressOf(frames, painting))?.speedIndex, null, 'nobody knows when it was idle');
  // The page says that nothing else moves; what it gave way to came after rest.
  const splash = [...frames, await frame(1_350, [{ colour: '#cc4411', pixels: 300 }])];
  const known = { ...painting, workMs: 700 - 40, motion: { share: 0.007, cycleMs: 800 } };
  const whole = await progressOf(splash, known);
  near(whole?.speedIndex, 1_350, 20);
  assert.equal(whole?.lastVisualChange, null, 'the box’s last picture is that of the visit’s end');
  assert.equal((await progressOf(splash, { ...known, motion: undefined }))?.speedIndex, null);
});

test('a small spinner that goes leaves a SpeedIndex, whenever the visit ended', async () => {
  // Its phases a quarter of a second apart look alike.
  const spinner = (n: number) => ({ colour: `#${(128 + 8 * Math.round(15 * Math.sin((Math.PI * n) / 5))).toString(16)}0000`, pixels: 2 });
  const title = { colour: '#113355', pixels: 8 };
  const turning = Array.from({ length: 25 }, (_, n) => frame(60 + 50 * n, [title, spinner(n)]));
  const frames = await Promise.all([...turning, frame(1_320, [{ colour: '#cc8800', pixels: 300 }])]);
  const motion = { share: 0.006, cycleMs: 500, isVideo: false };
  for (let endMs = 1_850; endMs <= 2_150; endMs += 20)
    near((await progressOf(frames, { restMs: 900, workMs: 300, endMs, motion }))?.speedIndex, 1_320, 30);
});

test('an animation that shows nothing for a while has no SpeedIndex', async () => {
  const blinks = Array.from({ length: 10 }, (_, n) => frame(100 + 600 * n, n % 2 === 0 ? [{ colour: '#333333', pixels: 40 }] : []));
  for (const count of [9, 10]) {
    const got = await progressOf(await Promise.all(blinks.slice(0, count)), {
      ...{ restMs: 900, workMs: 150, endMs: 100 + 600 * count, paints: true, motion: { share: 0.2, cycleMs: 1_200, isVideo: false } },
    });
    assert.equal(got?.speedIndex ?? null, null);
    for (const { completeness } of got?.curve ?? []) assert.ok(completeness >= 0 && completeness <= 1, `${completeness}`);
  }
});

test('news is what makes a page more complete than it ever was, not an animation’s pictures', () => {
  const curve = (...values: number[]) => values.map((completeness, n) => ({ atMs: 100 * n, completeness }));
  assert.equal(lastNewsMs({ speedIndex: 100, curve: curve(0, 0.9, 0.97, 0.95, 0.97, 0.96, 0.975, 0.96) }), 200);
  assert.equal(lastNewsMs({ speedIndex: 100, curve: curve(0, 0.9, 0.95, 0.9, 0.97, 0.96, 1) }), 600);
  assert.equal(lastNewsMs({ speedIndex: 100, curve: curve(0, 0.99, 0.995, 1) }), 100);
  assert.equal(lastNewsMs({ speedIndex: null, curve: curve(0, 1) }), null);
  const slide = Array.from({ length: 25 }, (_, n) => 0.88 + 0.005 * n);
  assert.ok((lastNewsMs({ speedIndex: 100, curve: curve(0, ...slide) }) ?? 0) > 2_200, 'it slides in');
});

test('on a page with little on it a little that moves is much', async () => {
  const frames = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      frame(100 + 100 * n, [
        { colour: '#333333', pixels: 4 },
        { colour: n % 2 === 0 ? '#ff0000' : '#0000ff', pixels: 2 },
      ]),
    ),
  );
  const watched = { restMs: 600, workMs: 150, endMs: 2_050, paints: true };
  assert.equal((await progressOf(frames, watched))?.speedIndex, null);
  const beside = frames.map(async (_, n) =>
    frame(100 + 100 * n, [
      { colour: '#333333', pixels: 300 },
      { colour: n % 2 === 0 ? '#ff0000' : '#0000ff', pixels: 2 },
    ]),
  );
  near((await progressOf(await Promise.all(beside), watched))?.speedIndex, 100, 20);
});

test('content that comes once, late, is the page', async () => {
  const header = { colour: '#08f', pixels: 80 };
  const got = await progressOf([await frame(60, [header]), await frame(1_000, [header, { colour: '#063', pixels: 240 }])], { restMs: 800 });
  near(got?.speedIndex, 60 + 940 * 0.75, 5);
});
