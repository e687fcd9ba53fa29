// Where the dots of a live campaign stand: a row for each condition, view and slot, a dot for each visit.
import type { CampaignSpec, MetricName } from '@pronghorn/core/schemas';
import type { Protocol, View } from '@pronghorn/core/vocabulary';
import type { ScaleKind } from '../../charts/axis/scale.ts';
import { jitterOf } from '../../charts/frame/points.ts';
import { metricOf } from '../../text/vocabulary.ts';
import type { LiveVisit } from './live-visits.ts';

export type StripRow = { condition: string; view: View; slot: number; protocol: Protocol /** Middle of the row. */; y: number };
export type StripGroup = { label: string; top: number; bottom: number };
/** Of an invalid visit x is no value: from 0 to 1, beside the axis. */
export type Dot = { x: number; y: number; visit: LiveVisit; isInvalid: boolean };

/** Between two groups, in rows. */
const gap = 0.5;
/** How far dots lie from the middle of their row, in rows. */
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

/** Adds the dots of these visits; what has no row, no number or no place on the axis gets none. */
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
