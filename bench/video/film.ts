// A film of the screen as frames: those that differ, lossless, with the time at which they were seen.
import { execFileSync, spawn } from 'node:child_process';
import { encodePng } from '../../nginx/src/content/png.ts';
import type { Frame } from '../../packages/runner/src/gather/evidence.ts';
import type { Region } from './screen.ts';

/**
 * Frames that differ from the one before, of a span in milliseconds since the epoch.
 *
 * @returns with them the longest time before one of them in which the film has no frame: by so much what it shows may have come earlier
 */
export async function framesOf(file: string, [from, to]: readonly [number, number]): Promise<{ frames: Frame[]; gapMs: number }> {
  const { width, height, times } = readHead(file);
  let gapMs = to - (times.findLast((ms) => ms <= to) ?? from);
  const frames: Frame[] = [];
  let before: Buffer | undefined;
  let n = 0;
  for await (const rgb of pictures(file, width * height)) {
    const timestamp = times[n++] ?? Number.POSITIVE_INFINITY;
    if (timestamp > to) break;
    if (timestamp < from || before?.equals(rgb)) continue;
    if (before !== undefined) gapMs = Math.max(gapMs, timestamp - (times[n - 2] ?? from));
    before = rgb;
    frames.push({ timestamp, jpegBase64: (await encodePng({ width, height, rgb }, 1)).toString('base64') });
  }
  return { frames, gapMs };
}

/** Where a page is that is one colour all over, in the last frame until then. @throws Error when it isn't there */
export async function regionOf(file: string, colour: readonly [number, number, number], untilMs: number): Promise<Region> {
  const { width, height, times } = readHead(file);
  let last: Buffer | undefined;
  let n = 0;
  for await (const rgb of pictures(file, width * height)) {
    if ((times[n++] ?? Number.POSITIVE_INFINITY) > untilMs) break;
    last = rgb;
  }
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = 3 * (y * width + x);
      if (!colour.every((value, channel) => last?.[at + channel] === value)) continue;
      [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
    }
  }
  if (right < 0) throw new Error('The page that tells where pages are was not on the screen.');
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** Size of the picture, and when each frame was taken, milliseconds since the epoch. */
function readHead(file: string): { width: number; height: number; times: number[] } {
  const probed = execFileSync('ffprobe', ['-v', 'error', '-show_entries', 'stream=width,height:packet=pts_time', '-of', 'json', file], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const { streams, packets } = JSON.parse(probed) as { streams: { width: number; height: number }[]; packets: { pts_time: string }[] };
  const { width, height } = streams[0] ?? { width: 0, height: 0 };
  return { width, height, times: packets.map(({ pts_time }) => Number.parseFloat(pts_time) * 1_000) };
}

/** Red, green, blue of each pixel, frame by frame. */
async function* pictures(file: string, pixels: number): AsyncGenerator<Buffer> {
  const size = 3 * pixels;
  // Each frame once, whatever its time.
  const each = ['-vf', 'setpts=N/60/TB', '-fps_mode', 'passthrough', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
  const ffmpeg = spawn('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-i', file, ...each], {
    // Where nobody wants more of it, it complains.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    let picture = Buffer.allocUnsafe(size);
    let filled = 0;
    for await (const chunk of ffmpeg.stdout as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; ) {
        const copied = chunk.copy(picture, filled, at);
        at += copied;
        filled += copied;
        if (filled < size) continue;
        yield picture;
        picture = Buffer.allocUnsafe(size);
        filled = 0;
      }
    }
  } finally {
    ffmpeg.kill('SIGKILL');
  }
}
