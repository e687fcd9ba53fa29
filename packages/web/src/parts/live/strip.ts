// The strip of a live campaign: a row for each condition, view and slot, a dot for each visit; picking a dot; counts and medians.

import { median } from '@pronghorn/core/math';
import type { CampaignSpec, MetricName } from '@pronghorn/core/schemas';
import { type InvalidKind, invalidKinds, type Protocol, type View } from '@pronghorn/core/vocabulary';
import type { ScaleKind } from '../../charts/axis/scale.ts';
import { jitterOf } from '../../charts/frame/points.ts';
import { type ChartTable, quantityColumn } from '../../charts/frame/table.ts';
import { invalidReasons, kindOf, metricOf, protocolNames, type Unit } from '../../text/vocabulary.ts';
import type { LiveVisit } from './live-campaign.ts';

export type StripRow = { condition: string; view: View; slot: number; protocol: Protocol /** Middle of the row. */; y: number };
export type StripGroup = { label: string; top: number; bottom: number };
/** For an invalid visit, x is a position from 0 to 1 beside the axis, not a value. */
export type Dot = { x: number; y: number; visit: LiveVisit; isInvalid: boolean };

/** Between two groups, in rows. */
const gap = 0.5;
/** The largest distance of a dot from the middle of its row, in rows. */
const spread = 0.34;

export const rowKey = ({ condition, view, slot }: Pick<LiveVisit, 'condition' | 'view' | 'slot'>) => `${view} ${slot} ${condition}`;

/** In the order of the campaign, from the top. */
export function stripRows({ conditions, views, protocols }: Pick<CampaignSpec, 'conditions' | 'views' | 'protocols'>): {
  rows: ReadonlyMap<string, StripRow>;
  groups: StripGroup[];
  height: number;
} {
  const rows = new Map<string, StripRow>();
  const groups: StripGroup[] = [];
  let y = 0;
  for (const { name } of conditions) {
    for (const view of views) {
      const top = y;
      protocols.forEach((protocol, slot) => {
        const row = { condition: name, view, slot, protocol, y: y + 0.5 };
        rows.set(rowKey(row), row);
        y++;
      });
      groups.push({ label: views.length > 1 ? `${name}, ${view}` : name, top, bottom: y });
      y += gap;
    }
  }
  return { rows, groups, height: Math.max(1, y - gap) };
}

/** Adds the dots of these visits. Visits without a row, a number or a place on the axis get none. */
export function addDots(
  dots: Dot[],
  visits: readonly LiveVisit[],
  { rows, metric, scale, siteId }: { rows: ReadonlyMap<string, StripRow>; metric: MetricName; scale: ScaleKind; siteId: string | null },
): void {
  for (const visit of visits) {
    if (siteId !== null && visit.siteId !== siteId) continue;
    const row = rows.get(rowKey(visit));
    if (!row) continue;
    const y = row.y + jitterOf(visit.id) * spread;
    if (visit.outcome.verdict === 'invalid') {
      dots.push({ x: 0.5 + 0.4 * jitterOf(`x ${visit.id}`), y, visit, isInvalid: true });
      continue;
    }
    const value = metricOf(visit.outcome.metrics, metric);
    if (value === null || (scale === 'log' && value <= 0)) continue;
    dots.push({ x: value, y, visit, isInvalid: false });
  }
}

/** What became of visits without a number, and why, the most frequent reason first. Empty where all have one. */
export function withoutNumbers(visits: readonly Pick<LiveVisit, 'outcome'>[]): { kind: InvalidKind; words: string }[] {
  const reasons = visits.flatMap(({ outcome }) => (outcome.verdict === 'invalid' ? [outcome.reason] : []));
  return invalidKinds.flatMap((kind) => {
    const its = reasons.filter((reason) => kindOf(reason) === kind);
    if (its.length === 0) return [];
    const counts = [...Map.groupBy(its, (reason) => reason)].sort((a, b) => b[1].length - a[1].length);
    const why = counts.map(([reason, all]) => `${invalidReasons[reason]}${counts.length > 1 ? ` (${all.length})` : ''}`).join('; ');
    const consequence = kind === 'failure' && reasons.length === visits.length ? 'failed, no load succeeded' : consequences[kind];
    return [{ kind, words: `${its.length} ${consequence}: ${why}` }];
  });
}
const consequences: Readonly<Record<InvalidKind, string>> = {
  failure: 'failed, slower than every load',
  measurement: 'discarded and tried again',
  unfit: 'discarded, not what was to be measured',
};

/** The dot nearest to the pointer within that many pixels. @param placeOf a dot on the chart */
export function nearest(
  dots: readonly Dot[],
  at: { x: number; y: number },
  reach: number,
  placeOf: (dot: Dot) => { x: number; y: number },
): Dot | null {
  let [closest, least]: [Dot | null, number] = [null, reach ** 2];
  for (const dot of dots) {
    const { x, y } = placeOf(dot);
    const distance = (x - at.x) ** 2 + (y - at.y) ** 2;
    if (distance > least) continue;
    [closest, least] = [dot, distance];
  }
  return closest;
}

const steps: Readonly<Record<string, readonly [along: number, across: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The next dot by arrow keys: along its row by value with invalid visits last, or the nearest dot in the rows above and below. Null: no such key, or no dot. */
export function stepped(key: string, from: Dot | null, dots: readonly Dot[], rows: ReadonlyMap<string, StripRow>): Dot | null {
  const step = steps[key];
  if (step === undefined || dots.length === 0) return null;
  const [along, across] = step;
  const byRow = Map.groupBy(dots, ({ visit }) => rowKey(visit));
  const order = [...rows.keys()].filter((row) => byRow.has(row));
  const inRow = (row: string | undefined) =>
    (byRow.get(row ?? '') ?? []).toSorted((a, b) => Number(a.isInvalid) - Number(b.isInvalid) || a.x - b.x);
  if (from === null || !byRow.has(rowKey(from.visit))) return inRow(order[0])[0] ?? null;
  const row = rowKey(from.visit);
  if (along !== 0) {
    const all = inRow(row);
    const at = all.findIndex(({ visit }) => visit.id === from.visit.id);
    return all[Math.min(all.length - 1, Math.max(0, at + along))] ?? null;
  }
  const next = order[order.indexOf(row) + across];
  if (next === undefined) return from;
  const same = inRow(next).filter(({ isInvalid }) => isInvalid === from.isInvalid);
  return (same.length > 0 ? same : inRow(next)).reduce((a, b) => (Math.abs(b.x - from.x) < Math.abs(a.x - from.x) ? b : a));
}

/** Each row's count of visits, and their range. @param choice as in `addDots` */
export function stripTable(
  visits: readonly LiveVisit[],
  choice: Parameters<typeof addDots>[2],
  { name, unit }: { name: string; unit: Unit },
): ChartTable {
  const dots: Dot[] = [];
  addDots(dots, visits, choice);
  const byRow = Map.groupBy(dots, ({ visit }) => rowKey(visit));
  const right = 'right' as const;
  return {
    columns: [
      ...[{ name: 'condition' }, { name: 'view' }, { name: 'protocol' }],
      ...[
        { name: 'visits', align: right },
        { name: 'invalid', align: right },
      ],
      ...['lowest', 'median', 'highest'].map((which) => quantityColumn(`${which} ${name}`, unit)),
    ],
    rows: [...choice.rows].map(([key, { condition, view, protocol }]) => {
      const [invalid, valid] = [true, false].map((isInvalid) => (byRow.get(key) ?? []).filter((dot) => dot.isInvalid === isInvalid));
      const sorted = (valid ?? []).map(({ x }) => x).sort((a, b) => a - b);
      const counts = [sorted.length, invalid?.length ?? 0];
      return [
        condition,
        view,
        protocolNames[protocol],
        ...counts,
        sorted[0] ?? null,
        sorted.length === 0 ? null : median(sorted),
        sorted.at(-1) ?? null,
      ];
    }),
  };
}
