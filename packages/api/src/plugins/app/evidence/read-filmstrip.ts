// Frames and visual progress out of a visit's evidence, read as it comes, so that a large one holds up nobody else.
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import type { Filmstrip, FilmstripFrame, ProgressPoint } from '@pronghorn/core';
import { JSONParser } from '@streamparser/json';
import { chosenFrames } from './chosen-frames.ts';

/** Unpacked; the frames of a minute at 60 a second are less. */
export const maxUnpackedBytes = 256 * 2 ** 20;

/** What in the evidence is of no use, for whoever reads it. */
export class UnreadableEvidence extends Error {}

/**
 * @param gzip the document that a runner stored: `evidence.frames`, `evidence.page`, and `progress` where it has that.
 * @param most frames.
 * @throws UnreadableEvidence when it is not JSON in gzip, or unpacks to too much.
 */
export async function readFilmstrip(gzip: Readable, most: number): Promise<Filmstrip> {
  const seen = new Seen();
  let bytes = 0;
  try {
    await pipeline(gzip, createGunzip({ chunkSize: 65_536 }), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > maxUnpackedBytes) throw new Error(`it unpacks to more than ${maxUnpackedBytes} bytes`);
        seen.parser.write(chunk);
        await setImmediate(); // parsing is work: whoever else asks is answered in between
      }
      if (!seen.parser.isEnded) throw new Error('it ends before its last bracket');
    });
  } catch (error) {
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

  #addFrame(value: unknown): void {
    const timestamp = numberIn(value, 'timestamp');
    const { jpegBase64 } = (value ?? {}) as Partial<Recorded>;
    if (timestamp !== null && typeof jpegBase64 === 'string') this.#frames.push({ timestamp, jpegBase64 });
  }

  #addProgress(value: unknown): void {
    const [atMs, completeness] = [numberIn(value, 'atMs'), numberIn(value, 'completeness')];
    if (atMs !== null && completeness !== null) this.#progress.push({ atMs, completeness: Math.min(1, Math.max(0, completeness)) });
  }
}

function numberIn(value: unknown, name: string): number | null {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof found === 'number' ? found : null;
}
