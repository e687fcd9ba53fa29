import type { FastifyBaseLogger } from 'fastify';
import fp from 'fastify-plugin';
import type { Clock } from '../clock/clock.ts';
import { type Loop, startLoop } from '../loop.ts';
import { createRetention, type Retention, type RetentionPolicy } from './retention.ts';
import { createRetentionRepository, extendEveryMs, type RetentionRepository } from './retention-repository.ts';

declare module 'fastify' {
  interface FastifyInstance {
    retention: Retention;
  }
}

type Parts = {
  retention: Retention;
  retentionMarks: RetentionRepository;
  clock: Pick<Clock, 'doubt'>;
  now: () => number;
  log: FastifyBaseLogger;
};

/**
 * Removes what is too old, unless that was done within a day, or another process is at it. What is cut off, by the signal or by an error, is
 * due at once: for the next process, or for this one's next look. Who was held up so long that another took over leaves it to that one. By a
 * clock that is doubted nothing is old.
 */
export async function removeOld(
  { retention, retentionMarks, clock, now, log }: Parts,
  policy: RetentionPolicy,
  signal: AbortSignal,
): Promise<void> {
  if (clock.doubt() !== null) return;
  let extendedAt = now();
  const claim = await retentionMarks.claim('retention', extendedAt);
  if (claim === undefined) return;
  const overtaken = new AbortController();
  const ending = AbortSignal.any([signal, overtaken.signal]);
  let finished = false;
  try {
    const removed = await retention.run(policy, ending, async () => {
      if (clock.doubt() !== null) overtaken.abort();
      if (now() - extendedAt < extendEveryMs) return;
      extendedAt = now();
      if (!(await claim.extend(extendedAt))) overtaken.abort();
    });
    finished = !ending.aborted;
    const words = `resources of ${removed.resources} visits, evidence of ${removed.evidence}, ${removed.logLines} lines of campaigns' logs`;
    log.info(
      { event: 'retention', finished, ...removed },
      `Old contents were removed: ${words}.${endWords(finished, overtaken.signal.aborted)}`,
    );
  } finally {
    if (finished) await claim.finish();
    else await claim.release();
  }
}

function endWords(finished: boolean, overtaken: boolean): string {
  if (finished) return '';
  return overtaken ? ' Another process goes on with it.' : ' It was cut off, and goes on as soon as a process runs.';
}

/** Removes what is too old, once a day, by whichever process comes first. @param options.policy null: nothing is removed. */
export default fp<{ policy: RetentionPolicy | null; now: () => number }>(
  async (app, { policy, now }) => {
    const { database, write, resources, evidence, campaignLog, clock, log } = app;
    const retentionMarks = createRetentionRepository(database, write);
    const retention = createRetention({ write, retentionMarks, resources, evidence, campaignLog }, now);
    app.decorate('retention', retention);
    if (policy === null) return;

    const stop = new AbortController();
    let loop: Loop | undefined;
    app.addHook('onReady', async () => {
      const tick = () => removeOld({ retention, retentionMarks, clock, now, log }, policy, stop.signal);
      const nextAt = () => (clock.doubt() === null ? retentionMarks.dueAt('retention', now()) : null);
      loop = startLoop({ name: 'retention', tick, nextAt }, { now, log });
    });
    app.addHook('preClose', async () => {
      stop.abort();
      await loop?.stop();
    });
  },
  { name: 'retention', dependencies: ['clock', 'resources-repository', 'evidence-store', 'campaign-log-repository'] },
);
