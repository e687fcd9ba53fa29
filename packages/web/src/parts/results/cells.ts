// A cell is one site under one condition in one view; its slots are those of the campaign's protocols.
import type { Campaign, CellResults, Comparison, SlotResults } from '@pronghorn/core/schemas';
import { type Cell, cellKey, type Protocol } from '@pronghorn/core/vocabulary';
import { protocolNames } from '../../text/vocabulary.ts';

/** Readers look for HTTP/3 first. */
const order: readonly Protocol[] = ['h3', 'h2', 'h1'];

export type NamedSlot = SlotResults & { name: string };

/** The slots in the order of all tables and charts. A protocol with two slots (A/A) gets numbers that set them apart. */
export function namedSlots({ slots }: Pick<CellResults, 'slots'>): NamedSlot[] {
  return slots
    .toSorted((a, b) => order.indexOf(a.protocol) - order.indexOf(b.protocol) || a.slot - b.slot)
    .map((slot) => {
      const isTwice = slots.filter(({ protocol }) => protocol === slot.protocol).length > 1;
      const name = protocolNames[slot.protocol];
      return { ...slot, name: isTwice ? `${name} (slot ${slot.slot + 1})` : name };
    });
}

export { type Cell, cellKey };

/** The comparison that answers the campaign's question; undefined where its protocols or metric have none. */
export const questionOf = ({ comparisons }: Pick<CellResults, 'comparisons'>): Comparison | undefined =>
  comparisons.find(({ confirmatory }) => confirmatory);

export const pairName = ({ candidate, baseline }: Pick<Comparison, 'candidate' | 'baseline'>): string =>
  `${protocolNames[candidate]} against ${protocolNames[baseline]}`;

export const roleOf = ({ confirmatory }: Pick<Comparison, 'confirmatory'>): string => (confirmatory ? 'primary metric' : 'secondary');

/** Why two protocols have no H3-Delta or other delta although both were measured: failed loads. Null: there is another reason. */
export function missingDelta({ delta, failures }: Pick<Comparison, 'delta' | 'failures'>): string | null {
  return delta === null && failures.candidate + failures.baseline > 0 ? failures.words : null;
}

export const siteOf = ({ sites }: Pick<Campaign, 'sites'>, siteId: string): Campaign['sites'][number] | undefined =>
  sites.find(({ id }) => id === siteId);

export const siteName = (campaign: Pick<Campaign, 'sites'>, siteId: string): string => siteOf(campaign, siteId)?.name ?? siteId;

/** The parts that distinguish the campaign's cells, such as `shop, warm view`; empty where there is only one cell. */
export function cellName(campaign: Pick<Campaign, 'sites' | 'spec'>, { siteId, condition, view }: Cell): string {
  const { sites, spec } = campaign;
  return [
    ...(sites.length > 1 ? [siteName(campaign, siteId)] : []),
    ...(spec.conditions.length > 1 ? [condition] : []),
    ...(spec.views.length > 1 ? [`${view} view`] : []),
  ].join(', ');
}
