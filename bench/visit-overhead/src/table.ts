// The table and the goals, as plain text.
import type { Row } from './overhead.ts';

const heads = ['', 'visits', 'invalid', 'load ms', 'SpeedIndex ms', 'one more visit s', '÷ ours', 'one-visit command s', '÷ ours'];

/** @param ours overhead of one of Pronghorn's visits, which both ratios are made with; null when there is none */
export function table(rows: readonly Row[], ours: number | null): string {
  const seconds = (ms: number | null) => (ms === null ? '-' : (ms / 1_000).toFixed(2));
  const ratio = (ms: number | null) => (ms === null || ours === null ? '-' : (ms / ours).toFixed(1));
  const lines = rows.map((row) => [
    row.name,
    `${row.visits}`,
    `${row.invalid}`,
    row.loadMs?.toFixed(0) ?? '-',
    row.speedIndexMs?.toFixed(0) ?? '-',
    seconds(row.oneMoreMs),
    ratio(row.oneMoreMs),
    seconds(row.oneCommandMs),
    ratio(row.oneCommandMs),
  ]);
  const widths = heads.map((_, column) => Math.max(...[heads, ...lines].map((cells) => cells[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ');
  return [heads, ...lines].map(line).join('\n');
}

/** Of the time that no page asked for. */
const goalMs = 250;
const goalRatio = 20;

/** How the goals of the project were met, one line each: against the cheaper way of counting browsertime, one more visit. */
export function goals(rows: readonly Row[]): string[] {
  const { oneMoreMs: ours = null, apartMs = null } = rows.find(({ name }) => name === 'pronghorn') ?? {};
  if (ours === null || apartMs === null) return ['No valid visit of Pronghorn: no goal can be judged.'];
  const met = (is: boolean) => (is ? 'met' : 'missed');
  const lines = [
    `${met(apartMs <= goalMs)}: a visit costs ${(apartMs / 1_000).toFixed(3)} s beyond its load and settling, goal at most ${goalMs / 1_000} s`,
  ];
  for (const { name, oneMoreMs } of rows.filter((row) => row.name.startsWith('video'))) {
    if (oneMoreMs === null) continue;
    const share = oneMoreMs / ours;
    lines.push(`${met(share >= goalRatio)}: with settling it is 1/${share.toFixed(1)} of browsertime ${name}, goal at most 1/${goalRatio}`);
  }
  return lines;
}
