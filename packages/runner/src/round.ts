// A round: one site, one condition, one view; every slot once in the round's order, back to back.
import type { Lease, SiteDiscovery } from '@pronghorn/core';
import { CalmGate } from './machine/calm.ts';
import { type PerformedVisit, performVisit, type Tools, worthRetrying } from './visit.ts';

/**
 * Performs the visits of a round, each once the machine is calm. A visit that failed by the measurement itself is tried again at once,
 * within its place in the block; one that failed by the page or its protocol is an outcome.
 *
 * @param onVisit stores a visit before the next one starts
 * @param signal stops before the next visit
 * @returns whether every slot had its turn
 */
export async function performRound(
  { engine, link }: Tools,
  lease: Lease,
  site: { discovery: SiteDiscovery; forced: readonly string[] },
  onVisit: (performed: PerformedVisit) => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  const gate = new CalmGate();
  let position = 0;
  for (const slot of lease.round.order) {
    const protocol = lease.spec.protocols[slot];
    if (protocol === undefined)
      throw new Error(`Round ${lease.round.id} names slot ${slot}; the campaign has ${lease.spec.protocols.length}.`);
    for (let retry = 0; retry <= lease.spec.limits.retries; retry++) {
      await gate.pass(lease.spec.limits.foreignCpuShare, signal);
      if (signal.aborted) return false;
      const performed = await performVisit({ engine, link }, { lease, slot, protocol, position, retry, ...site });
      gate.close();
      if (signal.aborted) return false;
      position += 1;
      await onVisit(performed);
      if (!worthRetrying(performed.visit)) break;
    }
  }
  return true;
}
