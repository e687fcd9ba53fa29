// Where the dots of a live campaign stand: a row for each condition, view and slot, a dot for each visit.
import type { CampaignSpec, MetricName, Protocol, View } from '@pronghorn/core';
import type { ScaleKind } from '../../charts/scale.ts';
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
    const [along, across] = scatter(visit.id);
    const y = row.y + (across * 2 - 1) * spread;
    if (visit.outcome.verdict === 'invalid') {
      dots.push({ x: 0.1 + along * 0.8, y, visit, isInvalid: true });
      continue;
    }
    const value = visit.outcome.metrics[metric];
    if (value === null || (scale === 'log' && value <= 0)) continue;
    dots.push({ x: value, y, visit, isInvalid: false });
  }
}

/** Two numbers in [0, 1) that belong to a visit: its dot stands at the same place each time. By FNV-1a. */
function scatter(id: string): [number, number] {
  let hash = 0x811c9dc5;
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return [(hash >>> 16) / 65_536, (hash & 0xffff) / 65_536];
}
