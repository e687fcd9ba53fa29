// What is too old goes in steps, each of them one command, so short that uploads need not wait for it.
import type { EvidenceGone } from '@pronghorn/core/schemas';
import { found, ProblemError } from '../../../shared/problems.ts';
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
