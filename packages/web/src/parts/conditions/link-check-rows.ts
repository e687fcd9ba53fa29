// What links were measured to do under one condition, beside what was asked for.
import type { RoundLinkCheck } from '@pronghorn/core';
import type { ChartTable } from '../../charts/table.ts';
import { percent, quantity, rate, time } from '../../text/format.ts';

type Direction = 'up' | 'down';

const lossOf = (check: RoundLinkCheck, direction: Direction): string | null => {
  const loss = check[direction]?.loss;
  if (loss === undefined || (loss.requestedShare === 0 && loss.lost === 0)) return null;
  return loss.sent === 0 ? null : `${percent(loss.lost / loss.sent)} (${percent(loss.requestedShare)})`;
};
const rateOf = (check: RoundLinkCheck, direction: Direction): string | null => {
  const found = check[direction]?.rates.find(({ transport, requestedKbps }) => transport === 'udp' && requestedKbps !== null);
  return found?.requestedKbps == null ? null : `${rate(found.measuredKbps)} (${rate(found.requestedKbps)})`;
};

/** Measured first, what was asked for in brackets. Columns of what nobody asked for are left out. */
export function linkCheckTable(checks: readonly RoundLinkCheck[]): ChartTable {
  const columns: { name: string; align?: 'right'; of: (check: RoundLinkCheck) => string | null }[] = [
    { name: 'Checked', of: ({ checkedAt }) => time(checkedAt) },
    { name: 'Link', of: ({ backend }) => backend },
    {
      name: 'RTT, median',
      align: 'right',
      of: ({ rtt }) => (rtt === null ? null : `${quantity(rtt.p50Ms, 'ms')} (${quantity(rtt.requestedMs, 'ms')})`),
    },
    { name: 'Rate down', align: 'right', of: (check) => rateOf(check, 'down') },
    { name: 'Rate up', align: 'right', of: (check) => rateOf(check, 'up') },
    { name: 'Loss down', align: 'right', of: (check) => lossOf(check, 'down') },
    { name: 'Loss up', align: 'right', of: (check) => lossOf(check, 'up') },
    { name: 'Verdict', of: ({ faults }) => (faults.length === 0 ? 'within tolerance' : faults.join(' ')) },
  ];
  const used = columns.filter(({ of }) => checks.some((check) => of(check) !== null));
  return {
    columns: used.map(({ name, align }) => ({ name, ...(align && { align }) })),
    rows: checks.map((check) => used.map(({ of }) => of(check))),
  };
}
