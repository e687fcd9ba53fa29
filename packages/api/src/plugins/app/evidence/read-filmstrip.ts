// Frames and visual progress out of a visit's evidence, read as it comes, so that a large one holds up nobody else.
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import type { Filmstrip, FilmstripFrame, ProgressPoint } from '@pronghorn/core/schemas';
import { JSONParser } from '@streamparser/json';
import pLimit from 'p-limit';

/** Unpacked; the frames of a minute at 60 a second are less. */
export const maxUnpackedBytes = 256 * 2 ** 20;

/** Of frames, and of points of the curve: a minute at 60 a second has 3,600. */
export const maxMoments = 10_000;
/** Of one frame: a picture of a whole 4K screen is less. */
export const maxFrameCharacters = 2 * 2 ** 20;
/** Each holds what it has met so far, up to what unpacked may be large. */
const readsAtOnce = 2;

/** What in the evidence is of no use, for whoever reads it. */
export class UnreadableEvidence extends Error {}

/**
 * @param gzip the document that a runner stored: `evidence.frames`, `evidence.page`, and `progress` where it has that.
 * @param most frames.
 * @param signal ends the waiting and the reading.
 * @throws UnreadableEvidence when it is not JSON in gzip, unpacks to too much, or has too many or too large frames; the signal's reason.
 */
export async function readFilmstrip(gzip: Readable, most: number, signal?: AbortSignal): Promise<Filmstrip> {
  gzip.on('error', () => {}); // while it waits nobody else listens: whoever reads it is told
  try {
    return await inTurn(() => readNow(gzip, most, signal));
  } finally {
    gzip.destroy();
  }
}

const inTurn = pLimit(readsAtOnce);

async function readNow(gzip: Readable, most: number, signal: AbortSignal | undefined): Promise<Filmstrip> {
  signal?.throwIfAborted();
  const seen = new Seen();
  let bytes = 0;
  try {
    const unpack = createGunzip({ chunkSize: 65_536 });
    const parse = async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > maxUnpackedBytes) throw new Error(`it unpacks to more than ${maxUnpackedBytes} bytes`);
        seen.parser.write(chunk);
        await setImmediate(); // parsing is work: whoever else asks is answered in between
      }
      if (!seen.parser.isEnded) throw new Error('it ends before its last bracket');
    };
    await pipeline(gzip, unpack, parse, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw new UnreadableEvidence((error as Error).message.slice(0, 200), { cause: error });
  }
  return seen.filmstrip(most);
}

type Recorded = { timestamp: number; jpegBase64: string };

/** What has been met of a document so far. It is a runner's word: whatever has another form is passed over. */
class Seen {
  readonly parser = new JSONParser({
    paths: ['$.evidence.startedAt', '$.evidence.page', '$.evidence.frames.*', '$.progress.*'],
    keepStack: false,
  });
  #timeOrigin: number | null = null;
  #startedAt = 0;
  readonly #frames: Recorded[] = [];
  readonly #progress: ProgressPoint[] = [];
  #met = { frames: 0, progress: 0 };

  constructor() {
    this.parser.onValue = ({ value, key, stack }) => {
      if (key === 'startedAt') this.#startedAt = Date.parse(String(value)) || 0;
      else if (key === 'page') this.#timeOrigin = numberIn(value, 'timeOrigin');
      else if (stack.at(-1)?.key === 'frames') this.#addFrame(value);
      else this.#addProgress(value);
    };
  }

  filmstrip(most: number): Filmstrip {
    const origin = this.#timeOrigin ?? this.#startedAt;
    const completenessAt = new Map(this.#progress.map(({ atMs, completeness }) => [atMs, completeness]));
    const frames = this.#frames
      .filter(({ timestamp }) => timestamp >= origin)
      .sort((a, b) => a.timestamp - b.timestamp)
      .map(({ timestamp, jpegBase64 }): FilmstripFrame => {
        const atMs = timestamp - origin;
        return { atMs, completeness: completenessAt.get(atMs) ?? null, jpegBase64 };
      });
    const different = frames.filter(({ jpegBase64 }, index) => jpegBase64 !== frames[index - 1]?.jpegBase64);
    return {
      frames: chosenFrames(different, most),
      recorded: different.length,
      progress: this.#progress.length === 0 ? null : this.#progress,
      missing: null,
    };
  }

  #count(what: 'frames' | 'progress'): void {
    this.#met[what] += 1;
    if (this.#met[what] > maxMoments) throw new Error(`it has more than ${maxMoments} ${what === 'frames' ? what : 'points of progress'}`);
  }

  #addFrame(value: unknown): void {
    this.#count('frames');
    const timestamp = numberIn(value, 'timestamp');
    const { jpegBase64 } = (value ?? {}) as Partial<Recorded>;
    if (timestamp === null || typeof jpegBase64 !== 'string') return;
    if (jpegBase64.length > maxFrameCharacters) throw new Error(`a frame has more than ${maxFrameCharacters} characters`);
    this.#frames.push({ timestamp, jpegBase64 });
  }

  #addProgress(value: unknown): void {
    this.#count('progress');
    const [atMs, completeness] = [numberIn(value, 'atMs'), numberIn(value, 'completeness')];
    if (atMs !== null && completeness !== null) this.#progress.push({ atMs, completeness: Math.min(1, Math.max(0, completeness)) });
  }
}

function numberIn(value: unknown, name: string): number | null {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof found === 'number' ? found : null;
}

/**
 * At most so many of them, evenly chosen, the first and the last among them. Evenly by their places, not by their times: Chrome makes a
 * frame when something changed, so that most are where most happens.
 */
export function chosenFrames<Frame>(frames: readonly Frame[], most: number): Frame[] {
  if (frames.length <= most) return [...frames];
  if (most <= 1) return frames.slice(-most);
  return Array.from({ length: most }, (_, index) => frames[Math.round((index * (frames.length - 1)) / (most - 1))] as Frame);
}
