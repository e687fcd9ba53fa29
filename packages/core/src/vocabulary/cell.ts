export const views = ['cold', 'warm'] as const;
/**
 * Cold: nothing kept (cache, connections, tickets, DNS, Alt-Svc). Warm: the repeat view in the same browser context, or the view after
 * other pages.
 */
export type View = (typeof views)[number];

/** The unit of every result: one site, under one condition, in one view. A campaign is cells × rounds × protocols. */
export interface Cell<Id extends string | number = string> {
  siteId: Id;
  condition: string;
  view: View;
}

/** A text that identifies a cell. */
export const cellKey = ({ siteId, condition, view }: Cell<string | number>): string => `${siteId} ${condition} ${view}`;

/** The cells of a campaign, in its own order: by site, condition and view. */
export function cellsOf<Id extends string | number>({
  sites,
  conditions,
  views,
}: {
  sites: readonly { id: Id }[];
  conditions: readonly { name: string }[];
  views: readonly View[];
}): Cell<Id>[] {
  return sites.flatMap(({ id: siteId }) => conditions.flatMap(({ name: condition }) => views.map((view) => ({ siteId, condition, view }))));
}
