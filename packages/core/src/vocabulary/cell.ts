export const views = ['cold', 'warm'] as const;
/** Cold: nothing kept (cache, connections, tickets, DNS, Alt-Svc). Warm: the repeat view in the same browser context, or the view after other pages. */
export type View = (typeof views)[number];
