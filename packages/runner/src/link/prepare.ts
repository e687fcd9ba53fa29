// Before every round: applies the condition to the link, and proves it.
import type { Condition, LinkCheck } from '@pronghorn/core/schemas';

/** The parts of a link that are needed to prove it. */
export interface Provable {
  apply(condition: Condition): Promise<void>;
  /** Takes seconds: loss, delays and rates of both directions. */
  checkFully(condition: Condition): Promise<LinkCheck>;
  /** Takes little more than a round trip. */
  checkRtt(condition: Condition): Promise<LinkCheck>;
  rebuild(): Promise<void>;
}

/** The link doesn't match a condition, and rebuilding it didn't help. */
export class LinkOutOfTolerance extends Error {}

const tries = 3;

/** How long a proof of loss and rates holds: round trips don't show changes of these, and a runner works for months. */
const proofMs = 3_600_000;

/** Remembers what was proven, so that only one round of a condition in an hour pays for a full check. */
export class Preparation {
  readonly #link: Provable;
  readonly #now: () => number;
  readonly #proven = new Map<string, number>();
  #applied: string | undefined;

  /** @param now milliseconds, of a clock that only goes forward */
  constructor(link: Provable, now: () => number = () => performance.now()) {
    this.#link = link;
    this.#now = now;
  }

  /**
   * Applies a condition to the link and checks it: fully when it is first used, after an hour and whenever its round trips have drifted, else
   * only its round trips. A link out of tolerance is rebuilt.
   *
   * @param report is given every check, also the failed ones
   * @returns the check that the link passed
   * @throws LinkOutOfTolerance after three links that did not match the condition
   */
  async prepare(condition: Condition, report: (check: LinkCheck) => Promise<void>): Promise<LinkCheck> {
    const key = JSON.stringify(condition);
    let last: LinkCheck | undefined;
    for (let attempt = 1; attempt <= tries; attempt++) {
      if (attempt > 1) await this.#renew();
      await this.#put(condition, key);
      for (const how of this.#isProven(key) ? (['checkRtt', 'checkFully'] as const) : (['checkFully'] as const)) {
        last = await this.#link[how](condition);
        await report(last);
        if (last.faults.length === 0) {
          if (how === 'checkFully') this.#proven.set(key, this.#now());
          return last;
        }
      }
    }
    throw new LinkOutOfTolerance(
      `The link (${last?.backend}, kernel ${last?.kernel}) does not match condition ${condition.name}, even after ${tries - 1} rebuilds: ` +
        `${last?.faults.join('; ')}. Other work on this machine may disturb it; see \`pronghorn link check ${condition.name}\`.`,
    );
  }

  #isProven(key: string): boolean {
    const provenAt = this.#proven.get(key);
    return provenAt !== undefined && this.#now() - provenAt < proofMs;
  }

  /** Applies a condition without a proof, for loads that aren't measured. */
  async apply(condition: Condition): Promise<void> {
    await this.#put(condition, JSON.stringify(condition));
  }

  async #put(condition: Condition, key: string): Promise<void> {
    if (this.#applied === key) return;
    this.#applied = undefined;
    await this.#link.apply(condition);
    this.#applied = key;
  }

  async #renew(): Promise<void> {
    this.#proven.clear();
    this.#applied = undefined;
    await this.#link.rebuild();
  }
}
