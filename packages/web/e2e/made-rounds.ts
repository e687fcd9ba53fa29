// What a runner would upload of the rounds that it leased: made visits, and checks of made links.
import { randomUUID } from 'node:crypto';
import { type RandomSource, randomSource } from '@pronghorn/core/math';
import { delayOf, lossShareOf, needsShaping } from '@pronghorn/core/network';
import type { Lease, LinkCheck, MeasuredDirection, Outcome, Shape, VisitRun, VisitUpload } from '@pronghorn/core/schemas';
import type { Protocol, View } from '@pronghorn/core/vocabulary';
import { madeMetrics, madeResources } from './made-visits.ts';

/** Of one slot in one round, its tries in order. */
export type Outcomes = (
  protocol: Protocol,
  roundNumber: number,
  random: RandomSource,
  condition: string,
  siteUrl: string,
  view: View,
) => MadeOutcome[];
/** Of a run of REST calls: with what became of its requests, and without resources. */
export type MadeOutcome = Outcome & { run?: VisitRun; cpu?: VisitUpload['cpu'] };
/** Each visit is valid at its first try. */
export const validOnce: Outcomes = (protocol, _roundNumber, random) => [{ verdict: 'valid', metrics: madeMetrics(protocol, random) }];

/** In the order of their slots in the round. */
export function visitsOf(
  { round, site, spec }: Lease,
  outcomes: Outcomes,
  facts: Pick<VisitUpload, 'startedAt' | 'environmentId'>,
): VisitUpload[] {
  let position = 0;
  const random = randomSource(round.number);
  return round.order.flatMap((slot) => {
    const protocol = spec.protocols[slot] ?? 'h2';
    return outcomes(protocol, round.number, random, round.condition, site.url, round.view).map(
      ({ run, cpu = { ownShare: 0.4, foreignShare: 0.02 }, ...outcome }, retry) => ({
        id: randomUUID(),
        roundId: round.id,
        attempt: round.attempt,
        slot,
        protocol,
        position: position++,
        retry,
        ...facts,
        wallMs: 900,
        finalUrl: site.url,
        documentAddress: '192.0.2.1',
        cpu,
        link: {
          refused: round.number === 1 ? ['10.0.0.1 (tcp 80)'] : [],
          receiveDrops: protocol === 'h3' && round.number === 1 ? 12 : 0,
        },
        discoveryId: null,
        outcome,
        ...(run && { run }),
        resources: run ? [] : madeResources(protocol, new URL(site.url).origin, random),
      }),
    );
  });
}

/** What a runner's check would say of a link that does what it should; native is not checked here. */
export function linkCheckOf({ round, spec }: Lease, checkedAt: string): LinkCheck | null {
  const condition = spec.conditions.find(({ name }) => name === round.condition);
  if (!condition || !needsShaping(condition)) return null;
  const requestedMs = delayOf(condition, 'up') + delayOf(condition, 'down');
  const p50Ms = requestedMs + 0.6;
  const toleranceMs = Math.max(2, requestedMs * 0.05);
  return {
    id: randomUUID(),
    checkedAt,
    condition: condition.name,
    backend: 'guest',
    kernel: '7.2.1',
    tcLines: ['qdisc add dev up0 root netem'],
    rtt: { requestedMs, meanMs: p50Ms, p50Ms, p99Ms: p50Ms + 1, toleranceMs, packets: 20, within: true },
    up: measured(condition.up),
    down: measured(condition.down),
    faults: [],
  };
}

function measured(shape: Shape): MeasuredDirection {
  const requestedShare = lossShareOf(shape);
  const requestedKbps = shape.rateKbps ?? null;
  const lost = Math.round(8000 * requestedShare * 1.03);
  return {
    delay: null,
    loss: { requestedShare, sent: 8000, lost, low: 0, high: 8000, duplicates: 0, reordered: 0, within: true },
    rates: (['udp', 'tcp'] as const).map((transport) => ({
      transport,
      requestedKbps,
      measuredKbps: (requestedKbps ?? 900_000) * (transport === 'udp' ? 0.998 : 0.96),
      within: requestedKbps === null ? null : true,
    })),
  };
}
