// Work that comes up at times that the database knows, done by whichever process looks first.
import type { FastifyInstance } from 'fastify';

type Loop = {
  /** Looks at once, or as soon as the look that is going on is over. */
  wake(): void;
  /** No look begins any more; settled when the one that is going on is over. */
  stop(): Promise<void>;
};

/** However far the next time is: another process may have stored an earlier one, and clocks are set. */
const maxWaitMs = 60_000;
/** A look that leaves work undone (the database is in use) shall not become a busy loop. */
const minWaitMs = 200;

type Work = {
  name: string;
  /** Does what is due by now. */
  tick(): Promise<void>;
  /** When there will be something to do, milliseconds since 1970; null, or left out: nothing is known of. */
  nextAt?(): Promise<number | null>;
};

/**
 * Looks once the service is ready, then whenever there may be something to do, until it closes.
 * @returns makes it look at once.
 */
export function runLoop(app: FastifyInstance, work: Work): () => void {
  let loop: Loop | undefined;
  app.addHook('onReady', async () => {
    loop = startLoop(work, app);
  });
  app.addHook('preClose', async () => loop?.stop());
  return () => loop?.wake();
}

function startLoop(work: Work, { now, log }: Pick<FastifyInstance, 'now' | 'log'>): Loop {
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let [stopped, again] = [false, false];

  async function waitMs(): Promise<number> {
    const at = (await work.nextAt?.()) ?? null;
    return at === null ? maxWaitMs : Math.min(maxWaitMs, Math.max(minWaitMs, at - now()));
  }

  async function look(): Promise<void> {
    let wait = maxWaitMs;
    try {
      await work.tick();
      wait = await waitMs();
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
