import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { picturesOf, visualProgress } from '../derive/visual-progress.ts';
import { boundFrames } from './frames.ts';

const timeOrigin = 1_000_000;

/** A page that is drawn from the top, in colours that no two frames have in common. */
async function drawn(count: number) {
  const width = 60;
  const height = 40;
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const pixels = Buffer.alloc(width * height * 3, 255);
      for (let at = 0; at < (pixels.length * (index + 1)) / count; at++) pixels[at] = (at * (index + 7)) % 240;
      const jpeg = await sharp(pixels, { raw: { width, height, channels: 3 } })
        .jpeg({ quality: 80 })
        .toBuffer();
      return { timestamp: timeOrigin + 100 + index * 16, jpegBase64: jpeg.toString('base64') };
    }),
  );
}

test('frames that are few bytes are kept as they are', async () => {
  const frames = await drawn(5);
  assert.deepEqual(await boundFrames(frames), { frames });
});

test('of more only some pictures are kept, the first and the last among them, and SpeedIndex stays what it was', async () => {
  const frames = await drawn(41);
  const bytes = frames.reduce((sum, { jpegBase64 }) => sum + jpegBase64.length, 0);
  const bounded = await boundFrames(frames, bytes / 5);
  const kept = bounded.frames.reduce((sum, { jpegBase64 }) => sum + jpegBase64.length, 0);
  assert.ok(kept <= bytes / 5 && bounded.frames.length >= 5, `${kept} of ${bytes}, ${bounded.frames.length} frames`);
  assert.equal(bounded.frames[0], frames[0]);
  assert.equal(bounded.frames.at(-1), frames.at(-1));
  assert.equal(bounded.frames.length + (bounded.dropped?.length ?? 0), frames.length);
  const progressOf = async (shown: Parameters<typeof picturesOf>[0]) => visualProgress(await picturesOf(shown, timeOrigin));
  assert.deepEqual(await progressOf([...bounded.frames, ...(bounded.dropped ?? [])]), await progressOf(frames));
});
