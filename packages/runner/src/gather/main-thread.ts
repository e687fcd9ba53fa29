// Whether the page's main thread works. Asked only after load: until then nothing of ours runs in the page.
import type { CDPSession } from 'puppeteer-core';

/** How often it is asked. */
const everyMs = 100;
/** An idle thread answers sooner. */
const idleAnswerMs = 50;
/** A thread that works for more of the time than this is busy: an animation on it takes 5 to 30 % (Chromium 156, 60 frames a second). */
const busyShare = 0.5;

export class MainThread {
  /** When it was last seen at work; of `performance.now()`. */
  lastBusy = 0;
  #ended = false;
  #askedAt: number | undefined;

  /** Whether an answer is due for longer than an idle thread takes. */
  held(now: number): boolean {
    return this.#askedAt !== undefined && now - this.#askedAt > idleAnswerMs;
  }

  /** Asks until `end`. Never throws: a page that is gone is nobody's business here. */
  async watch(session: CDPSession): Promise<void> {
    await this.#ask(() => session.send('Performance.enable'));
    let before: { at: number; workedMs: number } | undefined;
    while (!this.#ended) {
      const answer = await this.#ask(() => session.send('Performance.getMetrics'));
      if (answer === undefined || this.#ended) return;
      const at = performance.now();
      const workedMs = 1_000 * (answer.metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
      // Another document may have another process, whose sum begins anew.
      if (before !== undefined && (workedMs < before.workedMs || workedMs - before.workedMs > busyShare * (at - before.at)))
        this.lastBusy = at;
      before = { at, workedMs };
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  /** A thread that is at work answers when it is done. */
  async #ask<Answer>(send: () => Promise<Answer>): Promise<Answer | undefined> {
    const askedAt = performance.now();
    this.#askedAt = askedAt;
    const answer = await send().catch(() => undefined);
    this.#askedAt = undefined;
    if (performance.now() - askedAt > idleAnswerMs) this.lastBusy = performance.now();
    return answer;
  }

  end(): void {
    this.#ended = true;
  }
}
