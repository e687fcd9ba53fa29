// What is too old goes in steps, each of them one command, so short that uploads need not wait for it.
import type { EvidenceGone } from '@pronghorn/core/schemas';
import { found, ProblemError } from '../../../shared/problems.ts';
import type { Store } from '../../../store/store.ts';
import type { Tables } from '../../../store/tables.ts';
import { type Content, dayMs } from '../../../tables/retention-repository.ts';

/** Days for which something is kept; null: for ever. */
export type RetentionPolicy = { resourcesDays: number | null; evidenceDays: number | null; logDays: number | null };

/** How much is removed, or would be: of how many visits the resources, the evidence; how many lines of campaigns' logs. */
export type RemovedCounts = { resources: number; evidence: number; logLines: number };

type Step = { removed: number; isLast: boolean };

/** In each of them, `before` is milliseconds since 1970: what is from before is old. */
export function retentionCommands({ now, timeNow, campaignLog, dailyJobs, evidence, resources, retention }: Tables) {
  /** The newest of the next old visits. */
  const lastOld = (what: Content, before: number, atMost: number) => {
    const old = retention.oldAfter(retention.mark(what), before, atMost, now());
    return { seq: old.at(-1)?.seq, isLast: old.length < atMost };
  };
  return {
    /** Of the next visits in the order of their arrival. */
    removeResources(before: number, atMost: number): Step {
      const { seq, isLast } = lastOld('resources', before, atMost);
      if (seq === undefined) return { removed: 0, isLast };
      const removed = resources.deleteThrough(seq, atMost);
      retention.setMark('resources', seq, timeNow());
      return { removed, isLast };
    },

    /** As `removeResources`, but for what is pinned; its files are those that the index names no longer. */
    forgetEvidence(before: number, atMost: number): Step {
      const { seq, isLast } = lastOld('evidence', before, atMost);
      if (seq === undefined) return { removed: 0, isLast };
      const mark = retention.mark('evidence');
      const removed = evidence.countThrough(mark, seq);
      evidence.deleteThrough(mark, seq);
      retention.setMark('evidence', seq, timeNow());
      return { removed, isLast };
    },

    /** Of the next campaign after one that has lines. @returns null: there is none. */
    removeLogLines(afterCampaign: number, before: number, atMost: number): (Step & { campaignId: number }) | null {
      const campaignId = campaignLog.nextWithLines(afterCampaign);
      if (campaignId === undefined) return null;
      const removed = campaignLog.removeBefore(campaignId, new Date(before).toISOString(), atMost);
      return { campaignId, removed, isLast: removed < atMost };
    },

    claimJob: dailyJobs.claim,
    extendJob: dailyJobs.extend,
    finishJob: dailyJobs.finish,
    releaseJob: dailyJobs.release,
  };
}

export function createRetentionReads({ now, campaignLog, dailyJobs, evidence, retention, visits }: Tables) {
  return {
    /** Whether the contents of a visit were removed. @throws ProblemError not-found. */
    isRemoved: (what: Content, visitId: string): boolean => retention.isRemoved(what, found(visits.findSeq(visitId), `visit ${visitId}`)),

    /** When a job is due, milliseconds since 1970. */
    jobDueAt: dailyJobs.dueAt,

    /** What a policy would remove now. */
    preview({ resourcesDays, evidenceDays, logDays }: RetentionPolicy): RemovedCounts {
      const before = (days: number) => now() - days * dayMs;
      const old = (what: Content, days: number | null) => {
        let count = 0;
        if (days === null) return count;
        for (let after = retention.mark(what); ; ) {
          const some = retention.oldAfter(after, before(days), 1_000, now());
          const last = some.at(-1);
          if (last === undefined) return count;
          count += what === 'evidence' ? evidence.countThrough(after, last.seq) : some.length;
          after = last.seq;
        }
      };
      const logLines = logDays === null ? 0 : campaignLog.countBefore(new Date(before(logDays)).toISOString());
      return { resources: old('resources', resourcesDays), evidence: old('evidence', evidenceDays), logLines };
    },
  };
}

/** What is answered in place of contents that were there. */
export const contentsRemoved = (what: Content, visitId: string, why: EvidenceGone = 'age') =>
  new ProblemError('contents-removed', `${removedWords(what, visitId, why)} Its metrics stay.`);

function removedWords(what: Content, visitId: string, why: EvidenceGone): string {
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

// Texts that no visit with resources uses any longer are deleted in two passes of many steps: the first reads what visits use, which locks nothing; the
// second deletes what was not seen, each time after reading what came meanwhile. So it is right beside uploads of this process and of others.
export const createTextReads = ({ resources }: Pick<Tables, 'resources'>) => ({
  /** What a sweep begins with; undefined: nothing was removed since the last one. @returns the removal that it is for, and the newest text. */
  unswept(): { removal: number; newest: number } | undefined {
    const removal = resources.removal();
    return removal === undefined ? undefined : { removal, newest: resources.newestText() };
  },
  usedAfter: resources.textsUsedAfter,
  after: resources.textsAfter,
});

export const textCommands = ({ resources }: Pick<Tables, 'resources'>) => ({
  /**
   * Deletes texts that visits up to one do not use, unless later ones do.
   * @param removal given with the last texts: then none is unused. @returns the last of the later visits, and all texts that they use.
   */
  deleteUnused(ids: readonly number[], usedThrough: number, removal: number | null): { through: number; used: Set<number> } {
    const used = new Set<number>();
    let through = usedThrough;
    for (let isLast = false; !isLast; ) {
      const some = resources.textsUsedAfter(through, 1_000);
      for (const id of some.ids) used.add(id);
      ({ through, isLast } = some);
    }
    for (const id of ids) if (!used.has(id)) resources.deleteText(id);
    if (removal !== null) resources.noteSwept(removal);
    return { through, used };
  },
});

/**
 * @returns undefined where nothing was removed since the last sweep; else what takes a step of so many visits or texts, and says whether it was the
 *   last.
 */
export async function createSweep(texts: Store['texts']): Promise<((size: number) => Promise<boolean>) | undefined> {
  const begin = await texts.unswept();
  if (begin === undefined) return undefined;
  const { removal, newest } = begin;
  const bits = new Uint8Array((newest >> 3) + 1); // a bit for each text; those that come later are not looked at
  const isUsed = (id: number) => ((bits[id >> 3] ?? 0) & (1 << (id & 7))) !== 0;
  const note = (ids: Iterable<number>) => {
    for (const id of ids) if (id <= newest) bits[id >> 3] = (bits[id >> 3] ?? 0) | (1 << (id & 7));
  };
  let [seen, swept, isRead] = [0, 0, false];

  async function read(atMost: number): Promise<void> {
    const { through, ids, isLast } = await texts.usedAfter(seen, atMost);
    note(ids);
    [seen, isRead] = [through, isLast];
  }
  async function deleteSome(atMost: number): Promise<boolean> {
    const ids = (await texts.after(swept, atMost)).filter((id) => id <= newest);
    const isLast = ids.length < atMost;
    const { through, used } = await texts.deleteUnused(
      ids.filter((id) => !isUsed(id)),
      seen,
      isLast ? removal : null,
    );
    note(used);
    seen = through;
    swept = ids.at(-1) ?? swept;
    return isLast;
  }
  return async (size) => {
    if (isRead) return deleteSome(size);
    await read(Math.ceil(size / 10)); // a visit has some hundred texts
    return false;
  };
}
