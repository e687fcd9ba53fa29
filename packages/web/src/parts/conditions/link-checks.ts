// Link checks under one condition: measured beside requested values.
import type { RoundLinkCheck } from '@pronghorn/core/schemas';
import type { ChartTable } from '../../charts/frame/table.ts';
import { percent, quantity, rate, time } from '../../text/format.ts';

type Direction = 'up' | 'down';
/** Null where nothing was requested or measured. */
type Measured = { measured: string; requested: string } | null;

const lossOf = (check: RoundLinkCheck, direction: Direction): Measured => {
  const loss = check[direction]?.loss;
  if (loss === undefined || loss.sent === 0 || (loss.requestedShare === 0 && loss.lost === 0)) return null;
  return { measured: percent(loss.lost / loss.sent), requested: percent(loss.requestedShare) };
};
const rateOf = (check: RoundLinkCheck, direction: Direction): Measured => {
  const pair = check[direction]?.rates.find(({ transport, requestedKbps }) => transport === 'udp' && requestedKbps !== null);
  return pair?.requestedKbps == null ? null : { measured: rate(pair.measuredKbps), requested: rate(pair.requestedKbps) };
};
const measures: readonly { name: string; of: (check: RoundLinkCheck) => Measured }[] = [
  { name: 'RTT, median', of: ({ rtt }) => rtt && { measured: quantity(rtt.p50Ms, 'ms'), requested: quantity(rtt.requestedMs, 'ms') } },
  { name: 'Rate down', of: (check) => rateOf(check, 'down') },
  { name: 'Rate up', of: (check) => rateOf(check, 'up') },
  { name: 'Loss down', of: (check) => lossOf(check, 'down') },
  { name: 'Loss up', of: (check) => lossOf(check, 'up') },
];
const verdictOf = ({ faults }: RoundLinkCheck) => (faults.length === 0 ? 'within tolerance' : faults.join(' '));

/** Measured values, with requested ones in brackets, without columns that no check requested. */
export function linkCheckTable(checks: readonly RoundLinkCheck[]): ChartTable {
  const used = measures.filter(({ of }) => checks.some((check) => of(check) !== null));
  return {
    columns: [{ name: 'Checked' }, { name: 'Link' }, ...used.map(({ name }) => ({ name, align: 'right' as const })), { name: 'Verdict' }],
    rows: checks.map((check) => [
      ...[time(check.checkedAt), check.backend],
      ...used.map(({ of }) => {
        const pair = of(check);
        return pair && `${pair.measured} (${pair.requested})`;
      }),
      verdictOf(check),
    ]),
  };
}

/** Such as: RTT, median: 51 ms (requested: 50 ms). Loss down: 1.1 % (requested: 1 %). Verdict: within tolerance. */
export function linkCheckWords(check: RoundLinkCheck): string {
  const numbers = measures.flatMap(({ name, of }) => {
    const pair = of(check);
    return pair ? [`${name}: ${pair.measured} (requested: ${pair.requested}).`] : [];
  });
  return [...numbers, `Verdict: ${verdictOf(check).replace(/\.$/, '')}.`].join(' ');
}
