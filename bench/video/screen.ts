// A screen of its own, with nobody before it: Xvfb, and ffmpeg that films it without loss.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';

/** With room for a window of 1366 × 768 and its bars. */
const whole = { x: 0, y: 0, width: 1500, height: 960 };
const framesPerSecond = 60;

export interface Screen extends AsyncDisposable {
  /** Put before Chrome's program: shows its window on this screen, where the runner's own flags would show none. */
  enter: readonly string[];
  /** Films the screen from now on, 250 MB a second. @returns what ends it */
  film(file: string, region?: Region): Promise<() => Promise<void>>;
}

/** Of a screen, in pixels. */
export interface Region {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** @throws Error when Xvfb or ffmpeg is missing or doesn't start */
export async function openScreen(): Promise<Screen> {
  for (const program of ['Xvfb', 'ffmpeg', 'ffprobe']) {
    try {
      execFileSync('sh', ['-c', 'command -v "$0"', program], { stdio: 'ignore' });
    } catch {
      throw new Error(`${program} is missing: apt-get install xvfb ffmpeg`);
    }
  }
  // Xvfb looks for a number that is free and tells it.
  const xvfb = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', `${whole.width}x${whole.height}x24`, '-ac', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [line] = await Promise.race([
    once(createInterface(xvfb.stdio[3] as NodeJS.ReadableStream), 'line') as Promise<[string]>,
    once(xvfb, 'exit').then(() => Promise.reject(new Error('Xvfb ended at once.'))),
  ]);
  first(xvfb);
  const display = `:${line.trim()}`;
  return {
    // The flags are the product's but for these two; the window is larger by its bars.
    enter: [
      'sh',
      '-c',
      `for flag; do shift; case $flag in --headless=new) ;; --window-size=*) set -- "$@" --window-size=1400,920 --window-position=0,0;; *) set -- "$@" "$flag";; esac; done; DISPLAY=${display} exec "$@"`,
      'sh',
    ],
    film: (file, region = whole) => film(display, file, region),
    [Symbol.asyncDispose]: () => ended(xvfb, 'SIGTERM'),
  };
}

async function film(display: string, file: string, { x, y, width, height }: Region): Promise<() => Promise<void>> {
  // Not compressed: it takes a fifth of a core. Codecs take time when the picture changes, and the frames behind it would come late.
  const region = ['-video_size', `${width}x${height}`, '-i', `${display}+${x},${y}`];
  const input = ['-f', 'x11grab', '-framerate', String(framesPerSecond), '-draw_mouse', '0', ...region];
  // Frames keep their wall-clock time, to the microsecond.
  const output = ['-copyts', '-fps_mode', 'passthrough', '-enc_time_base', '1:1000000', '-c:v', 'rawvideo'];
  const progress = ['-progress', 'pipe:1', '-stats_period', '0.05'];
  const ffmpeg = spawn('ffmpeg', ['-hide_banner', '-loglevel', 'error', '-nostdin', ...input, ...output, ...progress, '-y', file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // The first word of progress: it films.
  await Promise.race([once(ffmpeg.stdout, 'data'), once(ffmpeg, 'exit').then(() => Promise.reject(new Error('ffmpeg ended at once.')))]);
  ffmpeg.stdout.resume();
  first(ffmpeg);
  return () => ended(ffmpeg, 'SIGINT');
}

/** A frame that is not taken in time is lost. */
function first({ pid = 0 }: ChildProcess): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGH);
  } catch {
    // Only root may.
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill(signal);
  await exit;
}
