// Shared by end-to-end tests: the demo origin, an engine that trusts it, and one visit as the agent would make it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CampaignRequest,
  type CampaignSpec,
  type Condition,
  defaultLimits,
  type Lease,
  type Limits,
  type SiteDiscovery,
} from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { type AccessLogEntry, type Origin, readAccessLog, startOrigin } from '@pronghorn/origin';
import { madeSpec } from '../../core/fixtures/made-campaign.ts';
import { discoverSite } from '../src/discovery/discover.ts';
import type { DemoOrigin, Engine } from '../src/engines/engine.ts';
import { allEngines } from '../src/engines/engines.ts';
import { type PerformedVisit, performVisit } from '../src/lease/visit.ts';
import { visitingEngine } from '../src/lease/visiting-engine.ts';
import { type Link, openLink } from '../src/link/link.ts';
import { findTransaction } from '../src/machine/find.ts';
import { localSecrets } from '../src/visitor/resolve.ts';

export interface Laboratory extends Visits {
  origin: Origin;
  lab: DemoOrigin;
  link: Link;
  /**
   * What nginx has logged since a moment, in Unix seconds, once that is what a test expects: nginx answers first, and then writes. After a
   * minute whatever is there, for the test to say what is missing.
   */
  logged(from: number, isExpected: (entries: readonly AccessLogEntry[]) => boolean): Promise<AccessLogEntry[]>;
  close(): Promise<void>;
}

export interface Visits {
  engine: Engine;
  /** Discovers a page as the agent does. */
  discover(url: string, spec?: Partial<CampaignSpec>): Promise<SiteDiscovery>;
  /** One visit with its verdict; without a discovery the page is expected to end on its own host, the only forced one. */
  visit(url: string, protocol: Protocol, options?: VisitOptions): Promise<PerformedVisit>;
}

interface VisitOptions {
  spec?: Partial<Omit<CampaignSpec, 'limits'>> & { limits?: Partial<Limits> };
  discovery?: SiteDiscovery;
  view?: 'cold' | 'warm';
  /** An extra visit, which records what the browser's network stack logs. */
  withNetlog?: boolean;
}

/**
 * @param web with the sites of the web
 * @param browser that makes the visits, unless they name another
 */
export async function openLaboratory({
  web = false,
  browser = 'chrome',
}: {
  web?: boolean;
  browser?: CampaignSpec['browser'];
} = {}): Promise<Laboratory> {
  const directory = mkdtempSync(join(tmpdir(), 'pronghorn-e2e-'));
  const origin = await startOrigin({ directory, web });
  const lab: DemoOrigin = { trust: origin.trust, serves: (hostname) => hostname.endsWith('.pronghorn.test'), settings: origin.settings };
  // The link has tests of its own.
  const link = await openLink({ choice: 'direct', conditions: [], outside: false });
  const visits = visitsOver(link, lab, browser);
  return {
    ...visits,
    origin,
    lab,
    link,
    logged: async (from, isExpected) => {
      for (const deadline = performance.now() + 60_000; ; await delay(50)) {
        const entries = (await readAccessLog(origin.accessLog)).filter(({ time }) => time >= from);
        if (isExpected(entries) || performance.now() > deadline) return entries;
      }
    },
    close: async () => {
      await visits.engine.close();
      await link.close();
      await origin.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** @param link already under its condition */
export function visitsOver(link: Link, lab: DemoOrigin, browser: CampaignSpec['browser'] = 'chrome'): Visits {
  // Few of these tests make a second visit with the same Chrome.
  const engine = allEngines(lab, link.vantagePoint, { ahead: false });
  return {
    engine,
    discover: (url, spec = {}) =>
      discoverSite(engine, siteOf(url), { id: 'campaign', spec: specOf({ browser, ...spec }), verdicts: {}, replaces: null }, 'test'),
    visit: (url, protocol, { spec = {}, discovery, view = 'cold', withNetlog = false } = {}) => {
      const known = discovery ?? assumed(url);
      const lease = leaseOf(url, { ...specOf({ browser, ...spec }), protocols: [protocol] }, view);
      return performVisit(
        { engine: visitingEngine(engine, lease, [lease.site], localSecrets) ?? engine, link },
        {
          lease,
          slot: 0,
          protocol,
          position: 0,
          retry: 0,
          withNetlog,
          discovery: known,
          forced: known.forced,
        },
      );
    },
  };
}

/** An origin that answers REST calls, as an engine sees it. */
export function callsOf({ trust, settings, calls }: Origin): DemoOrigin {
  assert.ok(calls);
  return {
    trust,
    serves: (hostname) => hostname.endsWith('.pronghorn.test'),
    settings,
    calls: { hostname: new URL(calls.url).hostname, settings: calls.settings },
  };
}

/** What this machine lacks for REST calls; false: nothing. */
export function lacksTransaction(): string | false {
  try {
    findTransaction();
    return false;
  } catch (error) {
    return (error as Error).message;
  }
}

const siteOf = (url: string) => ({ id: 'site', url, name: 'site', expectStatus: 200 });

/** Other tests and builds may run beside this one: neither how busy the machine is nor when a page rests is what these tests are about. */
function specOf(different: Omit<Partial<CampaignRequest>, 'sites' | 'conditions'> & { conditions?: Condition[] }): CampaignSpec {
  const { limits, ...rest } = different;
  return madeSpec({
    ...{ protocols: ['h1', 'h2', 'h3'], rounds: 1 },
    ...rest,
    limits: { ...defaultLimits, foreignCpuShare: 1, quietMs: 100, ...limits },
  });
}

function assumed(url: string): SiteDiscovery {
  const { host } = new URL(url);
  const entry = {
    host,
    requests: 1,
    transferBytes: 1,
    protocol: 'h2',
    server: null,
    altSvc: null,
    offersH3: true,
    h3: 'proven' as const,
    probeError: null,
  };
  return {
    id: '00000000-0000-4000-8000-000000000000',
    campaignId: 'campaign',
    siteId: 'site',
    runner: 'test',
    discoveredAt: new Date().toISOString(),
    finalUrl: url,
    redirects: [],
    hosts: [entry],
    forced: [host],
    objectCoverage: 1,
    byteCoverage: 1,
    failure: null,
  };
}

function leaseOf(url: string, spec: CampaignSpec, view: 'cold' | 'warm'): Lease {
  const site = siteOf(url);
  const round = {
    id: 'round',
    campaignId: 'campaign',
    siteId: site.id,
    condition: 'native',
    view,
    number: 1,
    order: [0],
    state: 'leased' as const,
    attempt: 1,
    reason: null,
    linkCheckId: null,
  };
  return { id: 'lease', expiresAt: '', heartbeatMs: 10_000, round, site, spec };
}
