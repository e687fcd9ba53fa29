// Pronghorn's half: visits by its default engine, from the fresh context to the verdict, SpeedIndex included.
import { defaultLimits } from '../../../packages/core/src/schemas/index.ts';
import { deriveOutcome } from '../../../packages/runner/src/derive/outcome.ts';
import { openLink, puppeteerEngine } from '../../../packages/runner/src/index.ts';
import type { Page, TestedProtocol } from './site.ts';

/** As browsertime is tuned to wait here: how long a page is looked at after load is each user's choice, and no overhead. */
const limits = { ...defaultLimits, quietMs: 100 };

export interface PronghornVisit {
  /** From the context to the verdict. */
  wallMs: number;
  /** loadEventEnd. */
  loadMs: number;
  /** From the load event until network, main thread and picture had been quiet for long enough. */
  settledMs: number;
  speedIndexMs: number;
}

/**
 * Cold visits one after another in a Chrome that is already running, as a campaign makes them; the start of that Chrome
 * and its warm-up visits are not among them. As in a campaign, an invalid visit is made again, a bounded number of times.
 *
 * @returns `visits` valid ones
 * @throws Error with the last reason when too many were invalid or had no SpeedIndex
 */
export async function pronghornVisits(
  url: string,
  trust: Page['trust'],
  visits: number,
  protocol: TestedProtocol,
): Promise<PronghornVisit[]> {
  const { hostname, host } = new URL(url);
  // browsertime has no link, so here is none either.
  const link = await openLink({ choice: 'direct', conditions: [], outside: true });
  const engine = puppeteerEngine({ trust, serves: (name) => name === hostname, settings: {} }, link.vantagePoint);
  const choices = { url, protocol, discovery: 'forced', view: 'cold', forced: protocol === 'h3' ? [host] : [] } as const;
  const visit = async (): Promise<PronghornVisit | string> => {
    const started = performance.now();
    const { evidence } = await engine.load({ ...choices, isolation: 'context', browser: 'chrome', limits });
    const { outcome } = await deriveOutcome(
      { ...choices, expectStatus: 200, finalUrl: choices.url, usual: null },
      evidence,
      defaultLimits.foreignCpuShare,
    );
    const wallMs = performance.now() - started;
    if (outcome.verdict === 'invalid') return `${outcome.reason}: ${outcome.detail}`;
    const { loadEventEnd, speedIndex } = outcome.metrics;
    if (speedIndex === null || speedIndex <= 0) return `SpeedIndex is ${speedIndex}, expected above 0`;
    return { wallMs, loadMs: loadEventEnd, settledMs: evidence.settled?.ms ?? 0, speedIndexMs: speedIndex };
  };
  try {
    await visit();
    const valid: PronghornVisit[] = [];
    const invalid: string[] = [];
    while (valid.length < visits) {
      const performed = await visit();
      if (typeof performed !== 'string') valid.push(performed);
      else if (invalid.push(performed) > visits * defaultLimits.retries)
        throw new Error(`${invalid.length} invalid visits, the last: ${performed}`);
    }
    return valid;
  } finally {
    await engine.close();
    await link.close();
  }
}
