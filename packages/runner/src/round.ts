// A round: one site, one condition, one view; every slot once in the round's order, back to back.
import type { Lease, SiteDiscovery } from '@pronghorn/core/schemas';
import { CalmGate } from './machine/calm.ts';
import { type PerformedVisit, performVisit, type Tools, worthRetrying } from './visit.ts';

/**
 * Performs the visits of a round, each once the machine is calm. A visit that failed by the measurement itself is tried again at once,
 * within its place in the block; one that failed by the page or its protocol is an outcome.
 *
 * Where netlogs are asked for, the first round of a cell ends with an extra visit of each slot: behind all that count, so that it can change none.
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
  const { round, spec } = lease;
  const places = round.order.map((slot) => ({ slot, withNetlog: false }));
  const extra = spec.netlogs === true && round.number === 1 ? places.map((place) => ({ ...place, withNetlog: true })) : [];
  for (const { slot, withNetlog } of [...places, ...extra]) {
    const protocol = spec.protocols[slot];
    if (protocol === undefined) throw new Error(`Round ${round.id} names slot ${slot}; the campaign has ${spec.protocols.length}.`);
    for (let retry = 0; retry <= spec.limits.retries; retry++) {
      await gate.pass(spec.limits.foreignCpuShare, signal);
      if (signal.aborted) return false;
      const performed = await performVisit({ engine, link }, { lease, slot, protocol, position, retry, withNetlog, ...site });
      gate.close();
      if (signal.aborted) return false;
      position += 1;
      await onVisit(performed);
      if (withNetlog || !worthRetrying(performed.visit)) break;
    }
  }
  return true;
}
