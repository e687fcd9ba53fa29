// Whether the machine's clock can be believed. What removes things by their age asks first: a machine that boots in 2036, before it asked
// the network for the time, would remove everything.
import { counted } from '@pronghorn/core/text';
import fp from 'fastify-plugin';
import { runLoop } from '../../../shared/loop.ts';
import type { Database } from '../../../storage/database.ts';

/** A clock that is farther from its last believed time is doubted. A service that stood still for longer doubts a right one, too. */
export const believedMs = 86_400_000;
/** A doubted clock is believed once a service has run by it for so long: long enough for somebody to notice, and not for ever. */
export const probationMs = 86_400_000;

/** Why a clock is not believed: how far it is from its last believed time (negative: behind), and for how long it is doubted yet. */
export type Doubt = { byMs: number; leftMs: number };

type Row = { believedAt: number; doubtedAt: number | null; ranMs: number };

export type Clock = ReturnType<typeof createClock>;

/**
 * Owns the table clock.
 *
 * @param now whole milliseconds since 1970, by the machine's clock.
 * @param elapsed milliseconds by a clock that nobody sets; default the process's own.
 */
export function createClock(database: Database, now: () => number, elapsed: () => number = () => performance.now()) {
  const select = database.prepare<[], Row>('SELECT believedAt, doubtedAt, ranMs FROM clock');
  const upsert = database.prepare<Row>(
    `INSERT INTO clock (id, believedAt, doubtedAt, ranMs) VALUES (1, @believedAt, @doubtedAt, @ranMs)
     ON CONFLICT (id) DO UPDATE SET believedAt = excluded.believedAt, doubtedAt = excluded.doubtedAt, ranMs = excluded.ranMs`,
  );
  const believe = () => void upsert.run({ believedAt: now(), doubtedAt: null, ranMs: 0 });
  let lookedAt = elapsed();

  function doubt(): Doubt | null {
    const row = select.get();
    const byMs = row === undefined ? 0 : now() - row.believedAt;
    if (row === undefined || Math.abs(byMs) <= believedMs) return null;
    return { byMs, leftMs: Math.max(0, probationMs - row.ranMs) };
  }

  function look(): void {
    const [row, time, ranMs] = [select.get(), now(), elapsed() - lookedAt];
    lookedAt += ranMs;
    if (row === undefined || doubt() === null) {
      believe();
      return;
    }
    const { believedAt, doubtedAt } = row;
    // Several processes may look: together they run no longer than the clock went on. Back is another doubt.
    const goesOn = doubtedAt !== null && time >= doubtedAt;
    const sum = goesOn ? row.ranMs + Math.round(Math.min(ranMs, time - doubtedAt)) : 0;
    if (sum >= probationMs) believe();
    else upsert.run({ believedAt, doubtedAt: time, ranMs: sum });
  }

  return {
    /** Null: the clock is believed. */
    doubt,
    /** Writes down what the clock says; every minute. Part of a transaction. */
    look,
    /** Believes the clock as it is: somebody has looked at it. */
    believe,
    /** Now; by a clock that fell behind, the last believed time: what is leased meanwhile shall not look old when the clock is right again. */
    leaseTime(): number {
      const row = select.get();
      return row !== undefined && now() < row.believedAt - believedMs ? row.believedAt : now();
    },
  };
}

/** @returns a sentence. */
export function doubtWords({ byMs, leftMs }: Doubt): string {
  const days = (ms: number) => `${Math.round(ms / 8_640_000) / 10} days`;
  const hours = Math.ceil(leftMs / 3_600_000);
  return (
    `The clock of this machine is ${days(Math.abs(byMs))} ${byMs > 0 ? 'ahead of' : 'behind'} the time that the service last saw. ` +
    `Nothing is removed by its age until the service has run for ${counted(hours, 'more hour')}. ` +
    'Check it; if it is right, there is nothing to do.'
  );
}

/** Looks at the clock at the start, before anybody asks, and then every minute. */
export default fp(async (app) => {
  const { clock } = app.store;
  let isDoubted = false;
  const tick = async () => {
    await clock.look();
    const doubt = await clock.doubt();
    if (doubt !== null && !isDoubted) app.log.warn({ event: 'clock-doubted', ...doubt }, doubtWords(doubt));
    if (doubt === null && isDoubted) app.log.info({ event: 'clock-believed' }, 'The clock is believed again.');
    isDoubted = doubt !== null;
  };
  runLoop(app, { name: 'clock', tick });
});
