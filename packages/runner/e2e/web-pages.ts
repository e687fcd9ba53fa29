// What a test may ask of a visit to a page of the web.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { defaultLimits, type Limits, type PageMetrics, pageMetrics, type Resource } from '@pronghorn/core/schemas';
import type { InvalidReason, Protocol } from '@pronghorn/core/vocabulary';
import type { PerformedVisit } from '../src/lease/visit.ts';
import type { Laboratory } from './laboratory.ts';

export const urlOf = ({ origin }: Laboratory, site: string): string => origin.sites.find(({ name }) => name === site)?.url ?? '';

/** A page that a visitor can load, and what has to be so in a valid visit. */
export interface Row {
  site: string;
  protocol?: Protocol;
  /** True for a visit by a full Chrome that is started for it. */
  ownChrome?: true;
  discovered?: true;
  limits?: Partial<Limits>;
  so?: (performed: Valid) => void | Promise<void>;
}

export interface Valid {
  metrics: PageMetrics;
  resources: readonly Resource[];
}

export async function isMeasured(
  context: TestContext,
  laboratory: Laboratory,
  { site, protocol = 'h2', ownChrome, discovered, limits, so }: Row,
): Promise<void> {
  const url = urlOf(laboratory, site);
  const performed = await laboratory.visit(url, protocol, {
    ...(discovered ? { discovery: await laboratory.discover(url) } : {}),
    spec: {
      limits: { settleMaxMs: 4_000, quietMs: defaultLimits.quietMs, ...limits },
      ...(ownChrome ? ({ browser: 'chrome', isolation: 'process' } as const) : {}),
    },
  });
  const { outcome, resources } = performed.visit;
  const metrics = pageMetrics(outcome);
  assert.ok(metrics, JSON.stringify(outcome));
  const { onLoad, speedIndex, requests, transferBytes } = metrics;
  context.diagnostic(`onLoad ${onLoad}, SpeedIndex ${speedIndex}, ${requests} requests, ${transferBytes} bytes`);
  await so?.({ metrics, resources });
}

/** When the application's content was there by its own clock, and its last change on the screen, in milliseconds. */
export function lastShown({ metrics, resources }: Valid): { shown: number; last: number; words: string } {
  const shown = Number(resources.find(({ url }) => url.includes('/seen?content='))?.url.split('=')[1]);
  const last = metrics.lastVisualChange ?? 0;
  return { shown, last, words: `content was shown at ${shown} ms, last change at ${last} ms` };
}

/** The article, with all that it has; a wall in front of it has a quarter. */
export function isWhole({ metrics }: Valid): void {
  assert.ok(metrics.requests >= 30, `${metrics.requests} requests: another page`);
}

export function atLeast(resources: readonly Resource[], path: string, bytes: number): void {
  const found = resources.find(({ url }) => new URL(url).pathname === path);
  assert.ok((found?.transferBytes ?? 0) >= bytes, `${path} has ${found?.transferBytes} bytes`);
}

export function reasonIs({ visit: { outcome } }: PerformedVisit, reason: InvalidReason): void {
  assert.ok(outcome.verdict === 'invalid', JSON.stringify(outcome));
  assert.equal(outcome.reason, reason, outcome.detail);
}
