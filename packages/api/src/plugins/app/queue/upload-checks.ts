// What a schema can't see of an upload: that it belongs to its lease and does not contradict itself.
import type { LinkCheck, VisitUpload } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { ProblemError } from '../../../problems.ts';
import type { LeaseRow } from '../leases/leases-repository.ts';
import type { RoundRow } from '../rounds/rounds-repository.ts';

/** @throws ProblemError invalid-visit. */
export function checkVisit(visit: VisitUpload, lease: LeaseRow, protocols: readonly Protocol[]): void {
  const refuse = (detail: string) => {
    throw new ProblemError('invalid-visit', `Visit ${visit.id} ${detail}`);
  };
  if (visit.roundId !== String(lease.roundId) || visit.attempt !== lease.attempt) {
    refuse(`is of round ${visit.roundId}, attempt ${visit.attempt}; its lease is for round ${lease.roundId}, attempt ${lease.attempt}.`);
  }
  const expected = protocols[visit.slot];
  if (expected === undefined) refuse(`is of slot ${visit.slot}; the campaign has the slots 0 to ${protocols.length - 1}.`);
  if (visit.protocol !== expected) refuse(`has protocol ${visit.protocol} in slot ${visit.slot}, which is ${expected}.`);
  const seqs = new Set<number>();
  for (const { seq } of visit.resources) {
    if (seqs.has(seq)) refuse(`has two resources with seq ${seq}; expected each place once.`);
    seqs.add(seq);
  }
}

/** @throws ProblemError invalid-link-check. */
export function checkLinkCheck(check: LinkCheck, round: RoundRow): void {
  if (check.condition === round.condition) return;
  throw new ProblemError(
    'invalid-link-check',
    `Link check ${check.id} is of condition ${check.condition}; its lease is for round ${round.id}, which is under ${round.condition}.`,
  );
}
