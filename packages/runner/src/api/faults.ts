// Decides when to give up on an api that keeps failing.
import { ApiRefusal, type ApiUnavailable } from '@pronghorn/core/client';

/** An api that fails so often over one thing of a round (500) will not do better: the round is given back, and others go on. */
export const maxFaults = 8;
/**
 * The same for what is before the api and says no (4xx), such as a firewall that dislikes one visit: about ten minutes, which no deployment
 * takes.
 */
const maxForeignRefusals = 30;

/** Counts how often in a row one thing failed in the same way. An api that is unavailable, busy or full refuses nothing: that ends the row. */
export class Faults {
  #kind: 'fault' | 'foreign' | null = null;
  #times = 0;

  /** Called when a call succeeded, or another one is tried. */
  forget(): void {
    this.#kind = null;
    this.#times = 0;
  }

  /** @throws ApiRefusal when the api keeps failing by its own fault, or a proxy before it refuses this call. */
  count({ status, message, foreign }: ApiUnavailable): void {
    const kind = kindOf(status, foreign);
    if (kind !== this.#kind) this.forget();
    if (kind === null) return;
    this.#kind = kind;
    this.#times += 1;
    if (this.#times < (kind === 'foreign' ? maxForeignRefusals : maxFaults)) return;
    this.forget();
    throw new ApiRefusal(status ?? 0, message, '', foreign);
  }
}

function kindOf(status: number | null, foreign: boolean): 'fault' | 'foreign' | null {
  if (foreign) return status !== null && status < 500 ? 'foreign' : null;
  return status === 500 ? 'fault' : null;
}
