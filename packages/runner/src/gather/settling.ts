// From the load event to rest: when a page has ended that goes on by scripts, requests and pictures.

import { setImmediate } from 'node:timers/promises';
import { type BusyPart, type Limits, maxNotAwaited, type Settled } from '@pronghorn/core/schemas';
import type { CDPSession } from 'puppeteer-core';
import type { OpenRequests } from './open-requests.ts';
import { evaluateApart } from './page-session.ts';

/** Pictures alone (a video, a canvas, a moving GIF) keep a visit open for this time after the last request and script. */
const picturesAloneMs = 2_000;
/** Milliseconds within which a painted frame reaches us (measured: 10 to 25). */
export const frameLagMs = 50;
export const lookEveryMs = 50;

/** Where this process was kept waiting, events lie unread: one turn of the event loop reads them, the next hands them over. */
async function afterWhatCame(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

export class Settling {
  readonly #session: CDPSession;
  readonly #frameId: string;
  readonly #requests: OpenRequests;
  readonly #lastFrame: () => number;
  readonly #limits: Pick<Limits, 'quietMs' | 'settleMaxMs'>;
  readonly #thread = new MainThread();
  readonly #loadedAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** True if all that moves on the page moves for ever; undefined: not yet known. */
  #endless: boolean | undefined;

  /** @param lastFrame when the last frame came, of `performance.now()` */
  constructor(
    page: { session: CDPSession; frameId: string },
    requests: OpenRequests,
    lastFrame: () => number,
    limits: Pick<Limits, 'quietMs' | 'settleMaxMs'>,
  ) {
    this.#session = page.session;
    this.#frameId = page.frameId;
    this.#requests = requests;
    this.#lastFrame = lastFrame;
    this.#limits = limits;
  }

  /** @param onEnd called once, unless `stop` is called before */
  start(onEnd: (settled: Settled) => void): void {
    void this.#thread.watch(this.#session);
    const look = () => {
      const now = performance.now();
      const over = now - this.#loadedAt >= this.#limits.settleMaxMs;
      const rest = this.#atRest(now);
      if (!rest && !over) {
        this.#timer = setTimeout(() => void afterWhatCame().then(() => !this.#isStopped && look()), this.#nextLookMs(now));
        return;
      }
      this.stop();
      const notAwaited = this.#requests.notAwaited(now).slice(0, maxNotAwaited);
      onEnd({ ms: now - this.#loadedAt, busy: this.#busy(now), cut: !rest, ...(notAwaited.length > 0 && { notAwaited }) });
    };
    look();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#thread.end();
  }

  #atRest(now: number): boolean {
    const { quietMs } = this.#limits;
    if (this.#requests.loading(now) || !this.#thread.answered(now)) return false;
    const worked = this.#lastWork();
    if (now - worked < quietMs) return false;
    const painted = this.#lastFrame();
    // One that is on its way is awaited even where nothing else is.
    if (now - painted >= Math.max(quietMs, frameLagMs) || now - worked >= quietMs + picturesAloneMs) return true;
    if (this.#endless === undefined) {
      this.#endless = false;
      void this.#movesForEver().then((endless) => {
        this.#endless = endless;
      });
    }
    return this.#endless;
  }

  /** No longer than until all would have been quiet for long enough. */
  #nextLookMs(now: number): number {
    const { quietMs } = this.#limits;
    const quietAt = Math.max(this.#lastWork() + quietMs, this.#lastFrame() + Math.max(quietMs, frameLagMs));
    return quietAt > now ? Math.min(lookEveryMs, Math.ceil(quietAt - now)) : lookEveryMs;
  }

  /** Last activity of requests or the main thread. */
  #lastWork(): number {
    return Math.max(this.#loadedAt, this.#requests.lastActivity, this.#thread.lastBusy);
  }

  #busy(now: number): BusyPart[] {
    const lately = (at: number) => at > this.#loadedAt && now - at < this.#limits.quietMs;
    const isSilent = !this.#thread.answered(now) && now - this.#loadedAt > idleAnswerMs;
    return [
      ...(this.#requests.loading(now) || lately(this.#requests.lastActivity) ? (['network'] as const) : []),
      ...(isSilent || lately(this.#thread.lastBusy) ? (['script'] as const) : []),
      ...(lately(this.#lastFrame()) ? (['paint'] as const) : []),
    ];
  }

  /** True if only animations move, and each of them repeats without end. What scripts paint is not among them. */
  async #movesForEver(): Promise<boolean> {
    try {
      const { result } = await evaluateApart(this.#session, this.#frameId, script);
      return result.value === true;
    } catch {
      return false;
    }
  }
}

const script = `(() => {
  const running = document.getAnimations().filter(({ playState }) => playState === 'running');
  return running.length > 0 && running.every(({ effect }) => effect?.getComputedTiming().iterations === Infinity);
})()`;

// Checks if the page's main thread works. Only after load: until then nothing of ours runs in the page.

/** Interval of its questions. */
const everyMs = 100;
/** An idle thread answers sooner. */
const idleAnswerMs = 50;
/** A thread that works for more of the time than this is busy: an animation on it takes 5 to 30 % (Chromium 156, 60 frames a second). */
const busyShare = 0.5;

class MainThread {
  /** Time of its last activity; of `performance.now()`. */
  lastBusy = 0;
  #ended = false;
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** True where it can't be asked. */
  #gone = false;

  /**
   * True if it answered lately, or never will. Where this process was kept waiting, nobody asked: a task that began meanwhile shows only once it is
   * asked again.
   */
  answered(now: number): boolean {
    return this.#gone || now - this.#answeredAt <= everyMs + idleAnswerMs;
  }

  /** Asks until `end`. Never throws: a page may be gone. */
  async watch(session: CDPSession): Promise<void> {
    await this.#ask(() => session.send('Performance.enable'));
    let before: { at: number; workedMs: number } | undefined;
    while (!this.#ended) {
      const answer = await this.#ask(() => session.send('Performance.getMetrics'));
      this.#gone = answer === undefined;
      if (answer === undefined || this.#ended) return;
      const at = performance.now();
      this.#answeredAt = at;
      const workedMs = 1_000 * (answer.metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
      // Another document may have another process, whose sum restarts.
      if (before !== undefined && (workedMs < before.workedMs || workedMs - before.workedMs > busyShare * (at - before.at)))
        this.lastBusy = at;
      before = { at, workedMs };
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  /** A busy thread answers when it is done. */
  async #ask<Answer>(send: () => Promise<Answer>): Promise<Answer | undefined> {
    const askedAt = performance.now();
    const answer = await send().catch(() => undefined);
    if (performance.now() - askedAt > idleAnswerMs) this.lastBusy = performance.now();
    return answer;
  }

  end(): void {
    this.#ended = true;
  }
}
