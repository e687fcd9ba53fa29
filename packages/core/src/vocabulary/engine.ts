/** Engines that load pages. */
export const pageEngines = ['puppeteer', 'browsertime', 'firefox'] as const;
export const engines = [...pageEngines, 'transaction'] as const;
/**
 * Performs a visit: Chrome driven by puppeteer, Chrome driven by browsertime, Firefox, or a client that sends REST calls, whose visit is a
 * run of many.
 */
export type Engine = (typeof engines)[number];

export const isolations = ['auto', 'context', 'process', 'container'] as const;
/**
 * Separates one visit from the next: a fresh browser context, a fresh Chrome with a fresh profile, or that in a fresh container. auto: a
 * context, but a Chrome for all visits of a page with hints (preconnect, dns-prefetch, speculation rules), which have no effect in a
 * context.
 */
export type Isolation = (typeof isolations)[number];

export const browsers = ['chrome', 'headless-shell', 'firefox', 'none'] as const;
/**
 * Chrome; its headless shell, which is faster with less variance, but not what people use; Firefox; or none: Pronghorn's own client of REST
 * calls.
 */
export type Browser = (typeof browsers)[number];

/** The browsers that each engine can drive; the first is the default. */
export const browsersOf = {
  puppeteer: ['chrome', 'headless-shell'],
  browsertime: ['chrome'],
  firefox: ['firefox'],
  transaction: ['none', 'chrome', 'headless-shell'],
} as const satisfies Record<Engine, readonly Browser[]>;

/** The engine that a campaign’s request implies: Firefox, or a workload, has only one engine. */
export const requestedEngine = ({ engine, browser, workload }: { engine?: Engine; browser?: Browser; workload?: unknown }): Engine =>
  engine ?? (workload !== undefined ? 'transaction' : browser === 'firefox' ? 'firefox' : 'puppeteer');
