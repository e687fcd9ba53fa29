// A round: one site, one condition, one view; every slot once in the round's order, back to back.
import type { Lease, SiteDiscovery } from '@pronghorn/core';
import type { Engine } from './engines/engine.ts';
import { untilCalm } from './machine/calm.ts';
import { type PerformedVisit, performVisit, worthRetrying } from './visit.ts';

/** The longest wait for a busy machine to become calm. */
const calmMs = 10_000;

/**
 * Performs the visits of a round. An invalid visit that may succeed is tried again at once, within its place in the block.
 *
 * @param onVisit stores a visit before the next one starts
 * @param signal stops before the next visit
 * @returns whether every slot had its turn
 */
export async function performRound(
  engine: Engine,
  lease: Lease,
  site: { discovery: SiteDiscovery; forced: readonly string[] },
  onVisit: (performed: PerformedVisit) => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  let position = 0;
  for (const slot of lease.round.order) {
    const protocol = lease.spec.protocols[slot];
    if (protocol === undefined)
      throw new Error(`Round ${lease.round.id} names slot ${slot}; the campaign has ${lease.spec.protocols.length}.`);
    for (let retry = 0; retry <= lease.spec.limits.retries; retry++) {
      if (signal.aborted) return false;
      const performed = await performVisit(engine, { lease, slot, protocol, position, retry, ...site });
      if (signal.aborted) return false;
      position += 1;
      await onVisit(performed);
      if (!worthRetrying(performed.visit)) break;
      // At once it would most likely meet the same work again; for ever, a block would not be a block.
      const { outcome } = performed.visit;
      if (outcome.verdict === 'invalid' && outcome.reason === 'busy-machine') {
        await untilCalm(lease.spec.limits.foreignCpuShare, calmMs, signal);
      }
    }
  }
  return true;
}
