// Uploads that the api could not take, on disk, in their order. They live as long as the process that made them: another process would
// have other leases, and nothing to send them under.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Upload } from './uploads.ts';

/** There is no room for another upload: the disk is full, or the spool's own bound is reached. */
export class SpoolFull extends Error {}

type SpooledUpload = Omit<Upload, 'body'> & { file: string; bytes: number };

export class Spool {
  readonly #folder: string;
  readonly #maxBytes: number;
  #uploads: SpooledUpload[] = [];
  #next = 1;

  /**
   * @param folder that exists and is empty
   * @param maxBytes of all uploads together
   */
  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#uploads.length;
  }

  get bytes(): number {
    return this.#uploads.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * Keeps an upload behind all others.
   * @throws SpoolFull when there is no room; then nothing of it is kept.
   */
  put({ body, ...upload }: Upload): void {
    if (this.bytes + body.length > this.#maxBytes) {
      throw new SpoolFull(`The spool holds ${this.bytes} of at most ${this.#maxBytes} bytes: there is no room for ${body.length} more.`);
    }
    const file = join(this.#folder, `${String(this.#next).padStart(8, '0')}-${upload.what.replace(' ', '-')}`);
    try {
      writeFileSync(file, body, { mode: 0o600 });
    } catch (error) {
      rmSync(file, { force: true });
      const { code = '', message } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EDQUOT') throw new SpoolFull(`The disk of ${this.#folder} is full.`, { cause: error });
      throw new SpoolFull(`${file} cannot be written: ${message}.`, { cause: error });
    }
    this.#next += 1;
    this.#uploads.push({ ...upload, file, bytes: body.length });
  }

  /** The oldest upload; undefined when there is none. */
  first(): Upload | undefined {
    const [oldest] = this.#uploads;
    if (oldest === undefined) return undefined;
    const { file, bytes: _, ...upload } = oldest;
    return { ...upload, body: readFileSync(file) };
  }

  removeFirst(): void {
    const oldest = this.#uploads.shift();
    if (oldest !== undefined) rmSync(oldest.file, { force: true });
  }

  /** Removes what is chosen. @returns how many were. */
  remove(isChosen: (upload: Omit<Upload, 'body'>) => boolean): number {
    const chosen = this.#uploads.filter(isChosen);
    this.#uploads = this.#uploads.filter((upload) => !chosen.includes(upload));
    for (const { file } of chosen) rmSync(file, { force: true });
    return chosen.length;
  }
}
