// Sends uploads to the api in their order, and keeps them while it is unavailable.
import { ApiDenied, ApiRefusal, ApiUnavailable, backoffMs, pause } from '@pronghorn/core/client';
import { Faults } from './faults.ts';
import { type Spool, SpoolFull } from './spool.ts';
import type { Upload } from './uploads.ts';

export interface OutboxOptions {
  /** One try. @throws ApiUnavailable, ApiRefusal or ApiDenied */
  send(upload: Upload): Promise<void>;
  spool: Spool;
  /** Called with uploads that could not be kept, or became useless. */
  warned(message: string): void;
  /** Milliseconds, of a clock that never goes back. */
  now?(): number;
}

/**
 * It sends only within `deliver`, between two visits, and within `flush`, after the last. So what is sent
 * never disturbs a visit.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #now: () => number;
  /** Failed tries in a row, which decide the pause between them. */
  #attempts = 0;
  readonly #faults = new Faults();
  #notBefore = 0;

  constructor(options: OutboxOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Sends an upload, or keeps it behind earlier ones. Without room it drops evidence first; when not even a visit finds room, it
   * waits until the api takes what there is.
   *
   * @throws ApiRefusal when the api refuses it or its lease: what else is kept of that lease is dropped
   */
  async deliver(upload: Upload, signal: AbortSignal): Promise<void> {
    const { spool, warned } = this.#options;
    if (await this.#trySending(upload)) return;
    try {
      spool.put(upload);
      return;
    } catch (error) {
      if (!(error instanceof SpoolFull)) throw error;
      if (upload.what === 'evidence') return warned(`Evidence of a visit is dropped. ${error.message}`);
      const dropped = spool.remove(({ what }) => what === 'evidence');
      if (dropped > 0) warned(`Evidence of ${dropped} visits is dropped, so that visits find room. ${error.message}`);
      if (dropped > 0 && this.#keep(upload)) return;
      warned(`A ${upload.what} can't be kept, so the runner waits for the api. ${error.message}`);
    }
    await this.flush(signal);
    while (!signal.aborted && !(await this.#trySending(upload))) await pause(this.#notBefore - this.#now(), signal);
  }

  /**
   * Sends all that is kept, however long the api is away.
   * @throws ApiRefusal as `deliver`.
   */
  async flush(signal: AbortSignal): Promise<void> {
    while (this.#options.spool.length > 0 && !signal.aborted) {
      await pause(this.#notBefore - this.#now(), signal);
      await this.#sendKept();
    }
  }

  #keep(upload: Upload): boolean {
    try {
      this.#options.spool.put(upload);
      return true;
    } catch (error) {
      if (error instanceof SpoolFull) return false;
      throw error;
    }
  }

  /** @returns true if it was sent; false: others come first, or the api is unavailable */
  async #trySending(upload: Upload): Promise<boolean> {
    if (this.#now() < this.#notBefore) return false;
    await this.#sendKept();
    if (this.#options.spool.length > 0 || this.#now() < this.#notBefore) return false;
    return await this.#sendOne(upload);
  }

  /** Sends until the api is unavailable or nothing is left. */
  async #sendKept(): Promise<void> {
    const { spool } = this.#options;
    for (let upload = spool.first(); upload !== undefined; upload = spool.first()) {
      if (!(await this.#sendOne(upload))) return;
      spool.removeFirst();
    }
  }

  /** @returns true if the api has it, or never will. @throws ApiRefusal */
  async #sendOne(upload: Upload): Promise<boolean> {
    try {
      await this.#options.send(upload);
      this.#attempts = 0;
      this.#faults.forget();
      this.#notBefore = 0;
      return true;
    } catch (error) {
      if (error instanceof ApiUnavailable) {
        this.#attempts += 1;
        this.#assertNotFaulty(upload, error);
        this.#notBefore = this.#now() + backoffMs(this.#attempts, error.retryAfterMs);
        return false;
      }
      if (!(error instanceof ApiRefusal) || error instanceof ApiDenied) throw error;
      if (upload.what === 'evidence') {
        this.#options.warned(`Evidence of a visit is dropped: ${error.message}`);
        return true;
      }
      this.#dropUseless(upload, error);
      throw error;
    }
  }

  #assertNotFaulty(upload: Upload, error: ApiUnavailable): void {
    try {
      this.#faults.count(error);
    } catch (refusal) {
      this.#attempts = 0;
      this.#dropUseless(upload, refusal as ApiRefusal);
      throw refusal;
    }
  }

  /** Drops the uploads of a lease that refuses one of them. */
  #dropUseless({ leaseId, path }: Upload, error: ApiRefusal): void {
    const { spool, warned } = this.#options;
    let visits = 0;
    spool.remove((waiting) => {
      const useless = leaseId === null ? waiting.path === path : waiting.leaseId === leaseId;
      if (useless && waiting.what === 'visit') visits += 1;
      return useless;
    });
    if (visits > 0) warned(`${visits} visits that waited for the api are dropped: ${error.message}`);
  }
}
