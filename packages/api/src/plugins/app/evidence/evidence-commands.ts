// Files of evidence and their index. However a process ends, a file that the index names is there: it gets its name before the index does, and goes
// after it. Each step that changes both, or decides by one about the other, is one command: it holds the database's write lock, which is every
// process's.
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { markOutliers } from '@pronghorn/core/math';
import type { EvidenceKind, MetricName, VisitEvidence } from '@pronghorn/core/schemas';
import { found, ProblemError } from '../../../shared/problems.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';
import { hasEnded } from '../../../tables/campaigns-repository.ts';
import { type EvidenceRow, type Rank, ranks } from '../../../tables/evidence-repository.ts';
import { evidencePath, incomingPath, sizeOf, staleMs } from './evidence-folder.ts';

export type EvidenceSettings = {
  directory: string;
  /** What all evidence may take, what is being received included; null: as much as the disk has. */
  budgetBytes: number | null;
};

/** Files that go, or make room, in one transaction: a few milliseconds. */
const atOnce = 50;
/** Visits that a policy decides on in one transaction. */
const judgedAtOnce = 200;
/** How long what is kept on demand waits for somebody to ask for it, after the last of it came. */
export const onDemandMs = 86_400_000;

type Received = {
  kind: EvidenceKind;
  mediaType: string;
  /** In the folder of what is being received. */
  name: string;
  hash: string;
  bytes: number;
};

/** Refusals are ProblemErrors. */
export function evidenceCommands(tables: Tables) {
  const { now, settings, effects, clock, audit, evidence, retention } = tables;
  const { directory, budgetBytes } = settings.evidence;
  const pathOf = (hash: string) => evidencePath(directory, hash);
  const remove = (path: string) => rmSync(path, { force: true });
  const placeOf = (visitId: string, more = '') => found(evidence.placeOf(visitId), `visit ${visitId}${more}`);

  /** @returns whether that were all. */
  function removeUnused(): boolean {
    const unused = evidence.unused(atOnce);
    for (const { hash } of unused) {
      remove(pathOf(hash));
      evidence.deleteFile(hash); // a process that dies before this is stored leaves a row that nobody needs, which goes next time
    }
    return unused.length < atOnce;
  }

  function removeStale(): void {
    for (const name of evidence.stale(Date.now() - staleMs)) {
      remove(incomingPath(directory, name));
      evidence.endPromise(name);
    }
  }

  return {
    /** Promises room within the budget to what is being received. @param bytes of it in all. @returns false: there is not enough. */
    promise(name: string, bytes: number): boolean {
      if (budgetBytes === null) return true;
      if (evidence.usedBytes() - evidence.promised(name) + bytes > budgetBytes) return false;
      evidence.promise(name, bytes, Date.now());
      return true;
    },
    endPromise: (name: string): void => evidence.endPromise(name),

    /**
     * Lets go of what is worth least until something finds room, some of it: the index no longer names it, and `removeUnused` removes its files.
     * Two commands, so that the index names no file that is gone, whenever the process ends.
     * @param incoming what needs room, of so many bytes in all; null: nothing does, but there may be more than the budget.
     * @returns how many went.
     */
    letGo(incoming: { name: string; bytes: number } | null): number {
      if (budgetBytes === null) return 0;
      removeStale();
      const bytes = incoming === null ? 0 : incoming.bytes - evidence.promised(incoming.name);
      let gone = 0;
      while (gone < atOnce && evidence.usedBytes() - evidence.unusedBytes() + bytes > budgetBytes) {
        const next = evidence.next(budgetBytes);
        if (next === undefined) break;
        evidence.markGone('budget', next);
        gone += 1;
      }
      return gone;
    },

    /** Removes files that nobody needs, some of them. */
    removeUnused(): { isLast: boolean; freedBytes: number } {
      const before = evidence.usedBytes();
      const isLast = removeUnused();
      return { isLast, freedBytes: before - evidence.usedBytes() };
    },

    /** What processes that died were receiving has no room any more. */
    removeStale,

    /** Gives what was received its name, and tells the index. @returns whether there was none before. @throws ProblemError not-found, already-different. */
    store(visitId: string, { kind, mediaType, name, hash, bytes }: Received): boolean {
      const place = placeOf(visitId, '; its evidence comes after it'); // it may have been deleted meanwhile
      assertSame(visitId, kind, evidence.find(place.visitSeq, kind), hash);
      mkdirSync(dirname(pathOf(hash)), { recursive: true });
      renameSync(incomingPath(directory, name), pathOf(hash)); // onto equal content, if that is there
      const isNew = evidence.store({ ...place, kind, mediaType, hash, bytes, storedAt: now() });
      evidence.endPromise(name);
      return isNew;
    },

    /** Removes what got its name while the index failed to get it. */
    removeUnindexed(hash: string): void {
      if (evidence.file(hash) === undefined) remove(pathOf(hash));
    },

    /** Content whose file is not what it shall be is lost. @param inode of the file that was read; null: there was none. */
    markDamaged(hash: string, inode: number | null): void {
      if ((statSync(pathOf(hash), { throwIfNoEntry: false })?.ino ?? null) !== inode) return; // sent again meanwhile
      if (inode !== null) remove(pathOf(hash));
      const count = evidence.markLost(hash);
      removeUnused();
      const words = `The file of ${count === 1 ? 'the evidence of a visit' : `the evidence of ${count} visits`} is ${inode === null ? 'missing' : 'damaged'}: it is lost.`;
      effects.log('warn', { event: 'evidence-lost', sha256: hash }, words);
    },

    /** Content whose file is missing or of another size is lost. @returns whether it is. */
    markMissing(hash: string, bytes: number): boolean {
      const file = evidence.file(hash);
      if (file === undefined || file.refs === 0 || sizeOf(pathOf(hash)) === bytes) return false;
      evidence.markLost(hash);
      return true;
    },

    /**
     * A file that the index does not know: it is known again where it was lost before, or removed.
     * @param bytes of what was lost and the file has again; null: it has not. @returns null: it was uploaded meanwhile.
     */
    takeStray(hash: string, bytes: number | null): 'found' | 'stray' | null {
      if (evidence.file(hash) !== undefined) return null;
      if (bytes === null) remove(pathOf(hash));
      else evidence.markFound(hash, bytes);
      return bytes === null ? 'stray' : 'found';
    },

    /** Keeps what there is of a visit, and what will be, until it is unpinned. @throws ProblemError not-found. */
    pin(visitId: string, caller: Caller): void {
      const { visitSeq } = placeOf(visitId);
      evidence.pin(visitSeq, now(), caller.access.name);
      evidence.setRank(visitSeq, ranks.pinned);
      audit.of(caller, 'visit.pin', visitId);
    },
    /** What is too old to be kept without its pin is forgotten. @throws ProblemError not-found. */
    unpin(visitId: string, caller: Caller): void {
      const { visitSeq } = placeOf(visitId);
      evidence.unpin(visitSeq);
      evidence.setRank(visitSeq, placeOf(visitId).rank);
      if (retention.isRemoved('evidence', visitSeq)) evidence.deleteOfVisit(visitSeq);
      audit.of(caller, 'visit.unpin', visitId);
    },

    /** Ranks the valid visits of a campaign that is over, some of them. @param kept by their seqs: as invalid ones. @returns whether there were any. */
    judge(campaignId: number, kept: ReadonlySet<number>): boolean {
      const some = evidence.ofRank(ranks.valid, campaignId, judgedAtOnce);
      for (const { visitSeq } of some) evidence.setRank(visitSeq, kept.has(visitSeq) ? ranks.invalid : ranks.dispensable);
      return some.length > 0;
    },

    /** Lets go of what a campaign that is over does without, some of it; of what is kept on demand, a day after the last of it came. @returns whether there was any. */
    letGoDispensable(campaignId: number): boolean {
      if (tables.campaigns.evidencePolicyOf(campaignId)?.policy === 'on-demand') {
        const isYoung = (evidence.lastStored(ranks.dispensable, campaignId) ?? 0) + onDemandMs > now();
        if (isYoung || clock.doubt() !== null) return false;
      }
      const some = evidence.ofRank(ranks.dispensable, campaignId, judgedAtOnce);
      for (const place of some) evidence.markGone('policy', place);
      return some.length > 0;
    },
  };
}

/** Also of what is gone by now: its hash is known. @throws ProblemError already-different. */
function assertSame(visitId: string, kind: EvidenceKind, before: { hash: string } | undefined, hash: string): void {
  if (before === undefined || before.hash === hash) return;
  throw new ProblemError(
    'already-different',
    `The ${kind} of visit ${visitId} has the SHA-256 ${before.hash}; what arrived has ${hash}. Evidence never changes.`,
  );
}

/** Of a visit's id each @throws ProblemError not-found. */
export function createEvidenceReads(tables: Tables) {
  const { campaigns, evidence, leases, retention, rounds, visits } = tables;
  const seqOf = (visitId: string) => found(evidence.placeOf(visitId), `visit ${visitId}`).visitSeq;
  return {
    /** Undefined: it never was there, or is too old. */
    find: (visitId: string, kind: EvidenceKind): EvidenceRow | undefined => evidence.find(seqOf(visitId), kind),
    /** What there is of a visit, and what became of the rest. */
    ofVisit: (visitId: string): VisitEvidence => evidence.ofVisit(seqOf(visitId)),
    /** Who may send evidence of a visit: the token that leased its round, null: any; and whether it is too old to be kept. */
    uploadOf(visitId: string): { leasedWith: number | null; isTooOld: boolean } {
      const { roundId, attempt } = found(visits.find(visitId), `visit ${visitId}; its evidence comes after it`);
      return {
        leasedWith: leases.ofAttempt(Number(roundId), attempt)?.tokenId ?? null,
        isTooOld: retention.isRemoved('evidence', seqOf(visitId)),
      };
    },

    /** Of all files, of those that are being received, and of what each rank refers to. */
    usage: evidence.usage,
    filesOf: evidence.filesOf,
    lostBytes: evidence.lostBytes,
    anyVisit: evidence.anyVisit,
    campaignAfter: evidence.campaignAfter,

    /** Whether a campaign is over and keeps only some of its evidence. */
    isSettleable: (campaignId: number): boolean => {
      const { policy, state } = campaigns.evidencePolicyOf(campaignId) ?? {};
      return hasEnded(state) && (policy === 'outliers' || policy === 'on-demand');
    },

    /**
     * The valid visits whose evidence a campaign that is over keeps by its policy, as seqs; null: all, or it is not over.
     *
     * - outliers: those whose value of the primary metric is marked by `markOutliers` among the counted visits of their site, condition, view and
     *   slot; of groups of fewer than five, which mark none, all.
     * - on-demand: none.
     */
    keptByPolicy(campaignId: number): Set<number> | null {
      const ofRank = (rank: Rank) => evidence.campaignAfter(rank, campaignId - 1) === campaignId;
      if (!ofRank(ranks.valid) && !ofRank(ranks.dispensable)) return null;
      const { policy, state, primaryMetric } = campaigns.evidencePolicyOf(campaignId) ?? {};
      if (!hasEnded(state) || rounds.anyOpen(campaignId) || primaryMetric === undefined) return null;
      if (policy === 'on-demand') return new Set();
      return policy === 'outliers' ? outliersOf(visits, campaignId, primaryMetric) : null;
    },
  };
}

/** Seqs of the visits that are outliers, and of those among too few to tell. */
function outliersOf(visits: Tables['visits'], campaignId: number, metric: MetricName): Set<number> {
  const groups = Map.groupBy(visits.countedValues(campaignId, metric), ({ group }) => group);
  return new Set(
    [...groups.values()].flatMap((group) => {
      const { fences, outliers } = markOutliers(group.map(({ value }) => value));
      return (fences === null ? group : outliers.flatMap(({ index }) => group[index] ?? [])).map(({ seq }) => seq);
    }),
  );
}
