// What was done by the end of each second of a run, from requests in any order.
import type { VisitRun } from '@pronghorn/core/schemas';
import type { RequestLine } from '../tally.ts';

type Second = VisitRun['seconds'][number];

export class SecondsOfRun {
  readonly #seconds: Omit<Second, 'at'>[] = [];
  #lastMs = 0;

  add({ handed, error, bytesReceived, bytesSent }: Pick<RequestLine, 'handed' | 'error' | 'bytesReceived' | 'bytesSent'>): void {
    this.#lastMs = Math.max(this.#lastMs, handed);
    const at = Math.floor(Math.max(0, handed) / 1_000);
    while (this.#seconds.length <= at) this.#seconds.push({ succeeded: 0, failed: 0, bytesReceived: 0, bytesSent: 0 });
    const second = this.#seconds[at] as Omit<Second, 'at'>;
    if (error === undefined) second.succeeded += 1;
    else second.failed += 1;
    second.bytesReceived += bytesReceived;
    second.bytesSent += bytesSent;
  }

  /** Of whole seconds, each with all that came before it. */
  told(): Second[] {
    const sum = { succeeded: 0, failed: 0, bytesReceived: 0, bytesSent: 0 };
    return this.#seconds.slice(0, Math.floor(this.#lastMs / 1_000)).map((second, n) => {
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += second[name];
      return { at: n + 1, ...sum };
    });
  }
}
