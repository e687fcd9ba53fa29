// Which connections requests opened, by the times of Resource Timing.
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { PageRequest } from './page.ts';

export interface Opened {
  start: number;
  end: number;
}

/**
 * Counts the connections of one page. Over HTTP/1.1 each request that tells of a handshake opened one. Over HTTP/2 and HTTP/3 a page has
 * one at a time, and each request that waited for it tells of the same handshake: those that overlap are one. Connections that Chrome
 * opened side by side and used for no request are not told.
 */
export class Connections {
  /** Since the run began. */
  opened: Opened[] = [];
  readonly #isShared: boolean;

  constructor(protocol: Protocol) {
    this.#isShared = protocol !== 'h1';
  }

  /** What was opened before is no part of the run. */
  begin(): void {
    this.opened = [];
  }

  /** @returns whether the request waited for a handshake */
  add({ connectStart: start, connectEnd: end }: Pick<PageRequest, 'connectStart' | 'connectEnd'>): boolean {
    if (end <= start) return false;
    const same = this.#isShared ? this.opened.find((one) => start <= one.end && one.start <= end) : undefined;
    if (same === undefined) this.opened.push({ start, end });
    else Object.assign(same, { start: Math.min(same.start, start), end: Math.max(same.end, end) });
    return true;
  }
}
