import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { chosenFrames, maxFrameCharacters, maxMoments, readFilmstrip, UnreadableEvidence } from './read-filmstrip.ts';

const origin = 1_700_000_000_000;
const stream = (content: Buffer) => Readable.from([content]);
const read = (document: unknown, most = 60) => readFilmstrip(stream(gzipSync(JSON.stringify(document))), most);
const frame = (atMs: number, jpegBase64 = `frame-${atMs}`) => ({ timestamp: origin + atMs, jpegBase64 });
const page = { timeOrigin: origin, url: 'https://site.example/' };

test('frames are told from navigation start on, each with the completeness of its moment', async () => {
  const frames = [frame(900), frame(-50), frame(100), frame(500, 'frame-100'), frame(700)];
  const progress = [
    { atMs: 100, completeness: 0.25 },
    { atMs: 500, completeness: 0.25 },
    { atMs: 700, completeness: 0.75 },
    { atMs: 900, completeness: 1 },
  ];
  assert.deepEqual(await read({ evidence: { page, frames }, progress }), {
    frames: [
      { atMs: 100, completeness: 0.25, jpegBase64: 'frame-100' },
      { atMs: 700, completeness: 0.75, jpegBase64: 'frame-700' },
      { atMs: 900, completeness: 1, jpegBase64: 'frame-900' },
    ],
    recorded: 3,
    progress,
    missing: null,
  });
});

test('evidence without the curve has frames without completeness', async () => {
  const { frames, progress } = await read({ evidence: { page, frames: [frame(100)] } });
  assert.deepEqual(frames, [{ atMs: 100, completeness: null, jpegBase64: 'frame-100' }]);
  assert.equal(progress, null);
  assert.equal((await read({ evidence: { page, frames: [] }, progress: null })).progress, null);
});

test('of a page that could not be read, frames count from the start of the navigation', async () => {
  const startedAt = new Date(origin).toISOString();
  const { frames } = await read({ evidence: { startedAt, page: null, frames: [frame(40)] } });
  assert.deepEqual(frames[0]?.atMs, 40);
});

test('of too many frames evenly chosen ones are told, and how many there were', async () => {
  const frames = Array.from({ length: 500 }, (_, index) => frame(index * 16));
  const strip = await read({ evidence: { page, frames } }, 5);
  assert.deepEqual(
    strip.frames.map(({ atMs }) => atMs / 16),
    [0, 125, 250, 374, 499],
  );
  assert.equal(strip.recorded, 500);
  assert.deepEqual(
    [chosenFrames([1, 2, 3], 3), chosenFrames([1, 2, 3], 1), chosenFrames([1, 2, 3], 2), chosenFrames([], 9)],
    [[1, 2, 3], [3], [1, 3], []],
  );
});

test('what is of another form is passed over, and what is no document is refused', async () => {
  const odd = [null, 7, { timestamp: 'x', jpegBase64: 'a' }, { timestamp: origin }, frame(10)];
  const strip = await read({ evidence: { page, frames: odd }, progress: [null, { atMs: 1 }, { atMs: 10, completeness: 7 }] });
  assert.deepEqual(strip.frames, [{ atMs: 10, completeness: 1, jpegBase64: 'frame-10' }]);
  for (const document of [{}, [], 'text', { evidence: 3, progress: 'x' }]) assert.deepEqual((await read(document)).frames, []);

  const cut = gzipSync(JSON.stringify({ evidence: { page, frames: [frame(1)] } }));
  for (const content of [cut.subarray(0, -12), gzipSync('{"evidence":'), gzipSync('no JSON'), Buffer.from('{}')]) {
    await assert.rejects(readFilmstrip(stream(content), 60), UnreadableEvidence);
  }
});

test('what has too many frames or points of progress, or a frame that is too large, is refused', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => frame(index, `${index}`));
  const points = (count: number) => Array.from({ length: count }, (_, atMs) => ({ atMs, completeness: 1 }));
  const whole = await read({ evidence: { page, frames: many(maxMoments) }, progress: points(maxMoments) });
  assert.deepEqual([whole.recorded, whole.progress?.length], [maxMoments, maxMoments]);
  const large = frame(1, 'x'.repeat(maxFrameCharacters + 1));
  for (const [document, why] of [
    [{ evidence: { page, frames: many(maxMoments + 1) } }, /more than 10000 frames/],
    [{ evidence: { page, frames: [] }, progress: points(maxMoments + 1) }, /more than 10000 points of progress/],
    [{ evidence: { page, frames: [frame(0), large] } }, /a frame has more than 2097152 characters/],
  ] as const) {
    await assert.rejects(read(document), (error) => error instanceof UnreadableEvidence && why.test(error.message));
  }
});

test('two are read at once; a third begins when one of them is done, however it ends', async () => {
  const content = gzipSync(JSON.stringify({ evidence: { page, frames: [frame(1)] } }));
  const begun: number[] = [];
  const sources = [0, 1, 2].map((index) => new Readable({ read: () => void (begun.includes(index) || begun.push(index)) }));
  const gone = new AbortController();
  const reads = sources.map((source, index) => readFilmstrip(source, 60, index === 1 ? gone.signal : undefined));
  await setImmediate();
  assert.deepEqual(begun, [0, 1]);
  gone.abort(new Error('Nobody waits for it.'));
  await assert.rejects(reads[1] as Promise<unknown>, /^Error: Nobody waits for it\.$/);
  await setImmediate();
  for (const index of [2, 0]) {
    sources[index]?.push(content);
    sources[index]?.push(null);
    assert.equal((await reads[index])?.recorded, 1);
  }
  assert.deepEqual(
    [begun, sources.map(({ destroyed }) => destroyed)],
    [
      [0, 1, 2],
      [true, true, true],
    ],
  );
});

test('what breaks while it waits is unreadable, and harms nobody', async () => {
  const content = gzipSync(JSON.stringify({ evidence: { page, frames: [frame(1)] } }));
  const held = [0, 1].map(() => new Readable({ read() {} }));
  const reads = held.map((source) => readFilmstrip(source, 60));
  const broken = new Readable({ read() {} });
  const refused = assert.rejects(readFilmstrip(broken, 60), UnreadableEvidence);
  broken.destroy(new Error('The file is gone.'));
  await setImmediate();
  for (const source of held) {
    source.push(content);
    source.push(null);
  }
  await Promise.all([...reads, refused]);
});

test('a real visit’s evidence has the frames that it was derived from', async () => {
  const content = readFileSync(new URL('../../../../../runner/fixtures/sharded.evidence.json.gz', import.meta.url));
  const { evidence } = JSON.parse(gunzipSync(content).toString());
  const { frames } = await readFilmstrip(stream(content), 240);
  const distinct = new Set(
    evidence.frames
      .filter((each: { timestamp: number }) => each.timestamp >= evidence.page.timeOrigin)
      .map((each: { jpegBase64: string }) => each.jpegBase64),
  );
  assert.ok(frames.length >= 2);
  assert.deepEqual(new Set(frames.map(({ jpegBase64 }) => jpegBase64)), distinct);
});
