import type { Adoption } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import { table } from './terminal.ts';

/** Of a month, what is shown of its versions, providers and servers. */
const maxShown = 8;

/** The adoption table as text: how it grew, and who stands behind it in the last month. */
export function adoptionReport({ unit, months }: Adoption): string {
  const last = months.at(-1);
  if (last === undefined) return 'No HAR was imported yet: ./pronghorn import har FILE…';
  const growth = months.map(({ month, units, adopting, adoptingShare, http3, http3Share, versions }) => [
    month,
    String(units),
    `${http3} (${percent(http3Share)})`,
    `${adopting} (${percent(adoptingShare)})`,
    versions
      .slice(0, maxShown)
      .map(({ version, share }) => `${version} ${percent(share)}`)
      .join(', '),
  ]);
  const groups = (
    name: string,
    rows: readonly { name: string; units: number; adopting: number; share: number; shareOfAdopting: number }[],
  ) =>
    table(
      [name, `${unit}s`, 'advertise', 'of its own', 'of all'],
      rows
        .slice(0, maxShown)
        .map((row) => [row.name, String(row.units), String(row.adopting), percent(row.share), percent(row.shareOfAdopting)]),
      [0],
    );
  return [
    table(['month', `${unit}s`, 'HTTP/3', 'HTTP/3 or QUIC', 'versions'], growth, [0, 4]),
    `${last.month}, ${counted(last.adopting, unit)} that ${last.adopting === 1 ? 'advertises' : 'advertise'} HTTP/3 or QUIC:`,
    groups(
      'provider',
      last.providers.map(({ provider, ...row }) => ({ name: provider, ...row })),
    ),
    groups(
      'server',
      last.servers.map(({ server, ...row }) => ({ name: server === '' ? '(none)' : server, ...row })),
    ),
  ].join('\n\n');
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
