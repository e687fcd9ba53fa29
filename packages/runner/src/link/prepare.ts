// Before every round: the condition on the link, and the proof that it does what it says.
import type { Condition, LinkCheck } from '@pronghorn/core';

/** What of a link is needed to prove it. */
export interface Provable {
  apply(condition: Condition): Promise<void>;
  /** Seconds: loss, delays and rates of both directions. */
  checkFully(condition: Condition): Promise<LinkCheck>;
  /** Little more than a round trip. */
  checkRtt(condition: Condition): Promise<LinkCheck>;
  rebuild(): Promise<void>;
}

/** The link doesn't do what a condition says, and building it anew didn't help. */
export class LinkOutOfTolerance extends Error {}

const tries = 3;

/** Remembers what was proven, so that only the first round of a condition pays for a full check. */
export class Preparation {
  readonly #link: Provable;
  readonly #proven = new Set<string>();
  #applied: string | undefined;

  constructor(link: Provable) {
    this.#link = link;
  }

  /**
   * Puts a condition on the link and checks it: fully when it is first used and whenever its round trips have drifted, else
   * its round trips alone. A link out of tolerance is built anew.
   *
   * @param report is given every check, also the failed ones
   * @returns the check that the link passed
   * @throws LinkOutOfTolerance after three links that did not do what the condition says
   */
  async prepare(condition: Condition, report: (check: LinkCheck) => Promise<void>): Promise<LinkCheck> {
    const key = JSON.stringify(condition);
    let last: LinkCheck | undefined;
    for (let attempt = 1; attempt <= tries; attempt++) {
      if (attempt > 1) await this.#renew();
      await this.#put(condition, key);
      for (const how of this.#proven.has(key) ? (['checkRtt', 'checkFully'] as const) : (['checkFully'] as const)) {
        last = await this.#link[how](condition);
        await report(last);
        if (last.faults.length === 0) {
          this.#proven.add(key);
          return last;
        }
      }
    }
    throw new LinkOutOfTolerance(
      `The link (${last?.backend}, kernel ${last?.kernel}) does not do what condition ${condition.name} says, built anew ${tries - 1} times: ` +
        `${last?.faults.join('; ')}. Other work on this machine may disturb it; \`pronghorn link check ${condition.name}\` tells more.`,
    );
  }

  /** Puts a condition on without a proof: for what isn't measured. */
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
