// Removes what is too old, in steps so short that uploads need not wait for them. Visits, their metrics and results stay for ever; pages
// of the database that become free are filled again by what comes, so the file stops growing and does not shrink.
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { runLoop } from '../../../shared/loop.ts';
import type { Store } from '../../../store/store.ts';
import { dayMs, extendEveryMs } from '../../../tables/retention-repository.ts';
import type { EvidenceStore } from '../evidence/evidence-store.ts';
import type { Mended } from '../evidence/mend-evidence.ts';
import type { RemovedCounts, RetentionPolicy } from './retention-commands.ts';
import { createSweep } from './unused-texts.ts';

declare module 'fastify' {
  interface FastifyInstance {
    retention: Retention;
  }
}

export type Removed = RemovedCounts & {
  /** What was wrong between the files of evidence and their index. */
  mended: Mended;
  /** Longest time that one step took, and kept other changes waiting, milliseconds. */
  longestStepMs: number;
};

type Parts = { store: Pick<Store, 'retention' | 'texts'>; evidence: Pick<EvidenceStore, 'removeUnused' | 'mend'>; now: () => number };

/** Asked before each step: whether it is taken. */
type GoesOn = () => Promise<boolean>;

export type Retention = ReturnType<typeof createRetention>;

/** A step should take about so long, ... */
const stepMs = 8;
/** ... after which everybody else comes first for a while. */
const pauseMs = 8;
const visitsAtOnce = 50;

export function createRetention({ store: { retention, texts }, evidence, now }: Parts) {
  /** Takes steps of `size` things each until one says that it was the last; the size follows from how long steps take. */
  async function inSteps(removed: Pick<Removed, 'longestStepMs'>, goesOn: GoesOn, step: (size: number) => Promise<boolean>): Promise<void> {
    for (let size = 20; await goesOn(); ) {
      const began = performance.now();
      const isLast = await step(size);
      const ms = performance.now() - began;
      removed.longestStepMs = Math.max(removed.longestStepMs, ms);
      if (isLast) return;
      size = Math.max(5, Math.min(5_000, Math.round(size * Math.min(2, stepMs / ms))));
      await delay(pauseMs);
    }
  }

  async function removeUnusedTexts(removed: Pick<Removed, 'longestStepMs'>, goesOn: GoesOn): Promise<void> {
    const step = await createSweep(texts);
    if (step !== undefined) await inSteps(removed, goesOn, step);
  }

  async function removeEvidence(before: number, removed: Pick<Removed, 'evidence'>, goesOn: GoesOn): Promise<void> {
    while (await goesOn()) {
      const step = await retention.forgetEvidence(before, visitsAtOnce);
      removed.evidence += step.removed;
      await evidence.removeUnused();
      if (step.isLast) return;
      await delay(pauseMs);
    }
  }

  return {
    /**
     * Removes what a policy doesn't keep. What is stopped by the signal goes on with the next call.
     * @param beforeStep is called before each step, and may end it by the signal.
     */
    async run(
      { resourcesDays, evidenceDays, logDays }: RetentionPolicy,
      signal: AbortSignal = new AbortController().signal,
      beforeStep: () => Promise<void> | void = () => {},
    ): Promise<Removed> {
      const goesOn = async () => {
        await beforeStep();
        return !signal.aborted;
      };
      const removed: Omit<Removed, 'mended'> = { resources: 0, evidence: 0, logLines: 0, longestStepMs: 0 };
      const before = (days: number) => now() - days * dayMs;
      if (resourcesDays !== null) {
        const time = before(resourcesDays);
        await inSteps(removed, goesOn, async (size) => {
          const step = await retention.removeResources(time, size);
          removed.resources += step.removed;
          return step.isLast;
        });
      }
      if (evidenceDays !== null) await removeEvidence(before(evidenceDays), removed, goesOn);
      if (logDays !== null) {
        const time = before(logDays);
        let after = 0;
        await inSteps(removed, goesOn, async (size) => {
          const step = await retention.removeLogLines(after, time, size);
          if (step === null) return true;
          removed.logLines += step.removed;
          if (step.isLast) after = step.campaignId;
          return false;
        });
      }
      await removeUnusedTexts(removed, goesOn);
      return { ...removed, mended: await evidence.mend(signal) };
    },

    /** Removes texts that nothing uses since resources were removed, or campaigns deleted. @param goesOn is asked before each step. */
    removeUnusedTexts: (goesOn: () => boolean): Promise<void> => removeUnusedTexts({ longestStepMs: 0 }, async () => goesOn()),

    /** What `run` would remove now; changes nothing. */
    preview: retention.preview,
  };
}

export type JobClaim = {
  /** Says that this process is still at it. @param at milliseconds since 1970. @returns false: it is another's by now. */
  extend(at: number): Promise<boolean>;
  /** It was done to its end: a day from when it was claimed it is due again. */
  finish(): Promise<void>;
  /** It was cut off: whoever looks next goes on with it. */
  release(): Promise<void>;
};

/** A job that is this process's to do now: it was not done for a day, and nobody is at it; else undefined. */
export async function claimJob({ retention }: Pick<Store, 'retention'>, name: string, now: number): Promise<JobClaim | undefined> {
  if (!(await retention.claimJob(name, now))) return undefined;
  let extendedAt = now;
  return {
    async extend(at) {
      const isOwn = await retention.extendJob(name, extendedAt, at);
      if (isOwn) extendedAt = at;
      return isOwn;
    },
    finish: () => retention.finishJob(name, now, extendedAt),
    release: () => retention.releaseJob(name, extendedAt),
  };
}

type Job = Pick<FastifyInstance, 'now' | 'log' | 'retention'> & { store: Pick<Store, 'retention' | 'clock'> };

/**
 * Removes what is too old, unless that was done within a day, or another process is at it. What is cut off, by the signal or by an error, is
 * due at once: for the next process, or for this one's next look. Who was held up so long that another took over leaves it to that one. By a
 * clock that is doubted nothing is old.
 */
export async function removeOld({ retention, store, now, log }: Job, policy: RetentionPolicy, signal: AbortSignal): Promise<void> {
  if ((await store.clock.doubt()) !== null) return;
  let extendedAt = now();
  const claim = await claimJob(store, 'retention', extendedAt);
  if (claim === undefined) return;
  const overtaken = new AbortController();
  const ending = AbortSignal.any([signal, overtaken.signal]);
  let finished = false;
  try {
    const removed = await retention.run(policy, ending, async () => {
      if ((await store.clock.doubt()) !== null) overtaken.abort();
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
export default fp<{ policy: RetentionPolicy | null }>(async (app, { policy }) => {
  const { store, now } = app;
  app.decorate('retention', createRetention(app));
  if (policy === null) return;
  const stop = new AbortController();
  app.addHook('preClose', async () => stop.abort());
  const tick = () => removeOld(app, policy, stop.signal);
  const nextAt = async () => ((await store.clock.doubt()) === null ? store.retention.jobDueAt('retention', now()) : null);
  runLoop(app, { name: 'retention', tick, nextAt });
});
