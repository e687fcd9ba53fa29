// Removes what is too old, in steps so short that uploads need not wait for them. Visits, their metrics and results stay for ever; pages
// of the database that become free are filled again by what comes, so the file stops growing and does not shrink.
import { setTimeout as delay } from 'node:timers/promises';
import type { EvidenceGone } from '@pronghorn/core/schemas';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { ProblemError } from '../../../problems.ts';
import type { Mended } from '../evidence/mend-evidence.ts';
import { runLoop } from '../loop.ts';
import { createRetentionRepository, dayMs, extendEveryMs, type RetentionRepository } from './retention-repository.ts';

declare module 'fastify' {
  interface FastifyInstance {
    retention: Retention;
  }
}

/** Days for which something is kept; null: for ever. */
export type RetentionPolicy = { resourcesDays: number | null; evidenceDays: number | null; logDays: number | null };

/** What was removed, or would be. */
export type Removed = {
  /** Visits whose resources, whose evidence. */
  resources: number;
  evidence: number;
  /** Of campaigns' logs. */
  logLines: number;
  /** What was wrong between the files of evidence and their index. */
  mended: Mended;
  /** Longest time for which one step kept everything else waiting, milliseconds. */
  longestStepMs: number;
};

type Parts = Pick<FastifyInstance, 'now' | 'write' | 'resources' | 'evidence' | 'campaignLog'>;

/** Asked before each step: whether it is taken. */
type GoesOn = () => Promise<boolean>;

export type Retention = ReturnType<typeof createRetention>;

/** A step should take about so long, ... */
const stepMs = 8;
/** ... after which everybody else comes first for a while. */
const pauseMs = 8;
const visitsAtOnce = 50;

export function createRetention({ now, write, resources, evidence, campaignLog }: Parts, marks: RetentionRepository) {
  const timeNow = () => new Date(now()).toISOString();

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

  async function removeResources(before: number, removed: Omit<Removed, 'mended'>, goesOn: GoesOn): Promise<void> {
    await inSteps(removed, goesOn, async (size) => {
      const old = marks.oldAfter(marks.mark('resources'), before, size, now());
      const last = old.at(-1);
      if (last === undefined) return true;
      await write(() => {
        removed.resources += resources.deleteThrough(last.seq, size);
        marks.setMark('resources', last.seq, timeNow());
      });
      return old.length < size;
    });
  }

  async function removeUnusedTexts(removed: Pick<Removed, 'longestStepMs'>, goesOn: GoesOn): Promise<void> {
    const sweep = resources.sweep(write);
    if (sweep !== undefined) await inSteps(removed, goesOn, sweep);
  }

  async function removeEvidence(before: number, removed: Omit<Removed, 'mended'>, goesOn: GoesOn): Promise<void> {
    while (await goesOn()) {
      const mark = marks.mark('evidence');
      const last = marks.oldAfter(mark, before, visitsAtOnce, now()).at(-1);
      if (last === undefined) return;
      removed.evidence += evidence.countThrough(mark, last.seq);
      await evidence.forgetThrough(mark, last.seq, () => marks.setMark('evidence', last.seq, timeNow()));
      await delay(pauseMs);
    }
  }

  return {
    /** Whether the contents of a visit were removed. */
    isRemoved: (what: 'resources' | 'evidence', seq: number): boolean => seq <= marks.mark(what),

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
      if (resourcesDays !== null) await removeResources(before(resourcesDays), removed, goesOn);
      if (evidenceDays !== null) await removeEvidence(before(evidenceDays), removed, goesOn);
      if (logDays !== null) {
        const time = new Date(before(logDays)).toISOString();
        let campaignId = 0;
        await inSteps(removed, goesOn, async (size) => {
          const next = campaignLog.nextWithLines(campaignId);
          if (next === undefined) return true;
          const from = next;
          const lines = await write(() => campaignLog.removeBefore(from, time, size));
          removed.logLines += lines;
          if (lines < size) campaignId = next;
          return false;
        });
      }
      await removeUnusedTexts(removed, goesOn);
      return { ...removed, mended: await evidence.mend(signal) };
    },

    /** Removes texts that nothing uses since resources were removed, or campaigns deleted. @param goesOn is asked before each step. */
    removeUnusedTexts: (goesOn: () => boolean): Promise<void> => removeUnusedTexts({ longestStepMs: 0 }, async () => goesOn()),

    /** What `run` would remove now; changes nothing. */
    async preview({ resourcesDays, evidenceDays, logDays }: RetentionPolicy): Promise<Omit<Removed, 'mended' | 'longestStepMs'>> {
      const old = (what: 'resources' | 'evidence', days: number | null) => {
        let count = 0;
        if (days === null) return count;
        for (let after = marks.mark(what); ; ) {
          const some = marks.oldAfter(after, now() - days * dayMs, 1_000, now());
          const last = some.at(-1);
          if (last === undefined) return count;
          count += what === 'evidence' ? evidence.countThrough(after, last.seq) : some.length;
          after = last.seq;
        }
      };
      const logLines = logDays === null ? 0 : campaignLog.countBefore(new Date(now() - logDays * dayMs).toISOString());
      return { resources: old('resources', resourcesDays), evidence: old('evidence', evidenceDays), logLines };
    },
  };
}

type Job = Pick<FastifyInstance, 'now' | 'log'> & {
  clock: Pick<FastifyInstance['clock'], 'doubt'>;
  retention: Retention;
  retentionMarks: RetentionRepository;
};

/**
 * Removes what is too old, unless that was done within a day, or another process is at it. What is cut off, by the signal or by an error, is
 * due at once: for the next process, or for this one's next look. Who was held up so long that another took over leaves it to that one. By a
 * clock that is doubted nothing is old.
 */
export async function removeOld(
  { retention, retentionMarks: marks, clock, now, log }: Job,
  policy: RetentionPolicy,
  signal: AbortSignal,
): Promise<void> {
  if (clock.doubt() !== null) return;
  let extendedAt = now();
  const claim = await marks.claim('retention', extendedAt);
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

/** What is answered in place of contents that were there. */
export const contentsRemoved = (what: 'resources' | 'evidence', visitId: string, why: EvidenceGone = 'age') =>
  new ProblemError('contents-removed', `${removedWords(what, visitId, why)} Its metrics stay.`);

function removedWords(what: 'resources' | 'evidence', visitId: string, why: EvidenceGone): string {
  switch (why) {
    case 'age':
      return `The ${what} of visits as old as ${visitId} are not kept so long (retention.${what}Days).`;
    case 'budget':
      return `The ${what} of visit ${visitId} made room for others’ (evidence.budgetMb). Pin what shall stay.`;
    case 'policy':
      return `The ${what} of visit ${visitId} was kept until its campaign was over, which keeps only other visits’ (evidence).`;
    case 'lost':
      return `The ${what} of visit ${visitId} is lost: its file was missing or damaged. A backup of the folder brings it back.`;
  }
}

/** Removes what is too old, once a day, by whichever process comes first. @param options.policy null: nothing is removed. */
export default fp<{ policy: RetentionPolicy | null }>(async (app, { policy }) => {
  const { clock, now, log } = app;
  const retentionMarks = createRetentionRepository(app.database, app.write);
  const retention = createRetention(app, retentionMarks);
  app.decorate('retention', retention);
  if (policy === null) return;
  const stop = new AbortController();
  app.addHook('preClose', async () => stop.abort());
  const tick = () => removeOld({ retention, retentionMarks, clock, now, log }, policy, stop.signal);
  const nextAt = () => (clock.doubt() === null ? retentionMarks.dueAt('retention', now()) : null);
  runLoop(app, { name: 'retention', tick, nextAt });
});
