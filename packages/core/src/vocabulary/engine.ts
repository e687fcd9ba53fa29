/** What loads pages. */
export const pageEngines = ['puppeteer', 'browsertime', 'firefox'] as const;
export const engines = [...pageEngines, 'transaction'] as const;
/** What performs a visit: Chrome driven by puppeteer, Chrome driven by browsertime, Firefox, or what sends REST calls, whose visit is a run of many. */
export type Engine = (typeof engines)[number];

export const isolations = ['auto', 'context', 'process', 'container'] as const;
/**
 * What separates one visit from the next: a fresh browser context, a fresh Chrome with a fresh profile, or that and a fresh container. auto: a
 * context, but a Chrome for all visits of a page with hints (preconnect, dns-prefetch, speculation rules), which do nothing in a context.
 */
export type Isolation = (typeof isolations)[number];

export const browsers = ['chrome', 'headless-shell', 'firefox', 'none'] as const;
/** Chrome, its headless shell, which is faster with less variance and is not what people use, Firefox, or none: Pronghorn's own client of REST calls. */
export type Browser = (typeof browsers)[number];

/** What each engine can drive; the first is what it does where nothing is said. */
export const browsersOf = {
  puppeteer: ['chrome', 'headless-shell'],
  browsertime: ['chrome'],
  firefox: ['firefox'],
  transaction: ['none', 'chrome', 'headless-shell'],
} as const satisfies Record<Engine, readonly Browser[]>;

/** The engine that a campaign’s request means: Firefox, or a workload, has one engine only. */
export const requestedEngine = ({ engine, browser, workload }: { engine?: Engine; browser?: Browser; workload?: unknown }): Engine =>
  engine ?? (workload !== undefined ? 'transaction' : browser === 'firefox' ? 'firefox' : 'puppeteer');
