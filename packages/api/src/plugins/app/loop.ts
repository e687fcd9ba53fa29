// Work that comes up at times that the database knows, done by whichever process looks first.
import type { FastifyBaseLogger } from 'fastify';

export type Loop = {
  /** Looks at once, or as soon as the look that is going on is over. */
  wake(): void;
  /** No look begins any more; settled when the one that is going on is over. */
  stop(): Promise<void>;
};

/** However far the next time is: another process may have stored an earlier one, and clocks are set. */
const longestWaitMs = 60_000;
/** A look that leaves work undone (the database is in use) shall not become a busy loop. */
const shortestWaitMs = 200;

/**
 * Looks now, then whenever there may be something to do.
 *
 * @param work.tick does what is due by now.
 * @param work.nextAt when there will be something to do, milliseconds since 1970; null: nothing is known of.
 */
export function startLoop(
  work: { name: string; tick(): Promise<void>; nextAt(): number | null },
  { now, log }: { now: () => number; log: FastifyBaseLogger },
): Loop {
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let [stopped, again] = [false, false];

  function waitMs(): number {
    const at = work.nextAt();
    return at === null ? longestWaitMs : Math.min(longestWaitMs, Math.max(shortestWaitMs, at - now()));
  }

  async function look(): Promise<void> {
    let wait = longestWaitMs;
    try {
      await work.tick();
      wait = waitMs();
    } catch (error) {
      log.error({ err: error }, `${work.name}: a look failed; the next one is in a minute`);
    }
    looking = undefined;
    if (stopped) return;
    timer = setTimeout(begin, again ? 0 : wait).unref();
    again = false;
  }

  function begin(): void {
    clearTimeout(timer);
    looking = look();
  }

  begin();
  return {
    wake() {
      if (stopped) return;
      if (looking !== undefined) again = true;
      else {
        clearTimeout(timer);
        timer = setTimeout(begin, 0).unref(); // after the transaction that this may be called in
      }
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await looking;
    },
  };
}
