// A campaign of a study whose visits are made up, for tests of its numbers and its report.
import { type Campaign, type CampaignSpec, type Condition, defaultLimits, type Metrics, type SiteDiscovery } from '@pronghorn/core/schemas';
import { type Protocol, pageMetricNames } from '@pronghorn/core/vocabulary';
import type { Measured, StudyVisit } from './measured.ts';

/** What a visit measures; null: its load failed. */
export type MadeVisit = (place: { site: number; condition: string; protocol: Protocol; round: number }) => Partial<Metrics> | null;

interface Made {
  sites: number;
  conditions: readonly Condition[];
  rounds: number;
  spec?: Partial<CampaignSpec>;
  /** Name of a site, and the Server header of its document. */
  site?: (site: number) => { name?: string; url?: string; server?: string | null };
}

const protocols: Protocol[] = ['h1', 'h2', 'h3'];
/** A visit every two seconds, from this moment on. */
const start = Date.parse('2026-11-23T08:00:00Z');

export function madeStudy(
  visit: MadeVisit,
  { sites: count, conditions, rounds, spec: given = {}, site: described = () => ({}) }: Made,
): Measured {
  const zero = Object.fromEntries(pageMetricNames.map((name) => [name, 0])) as Metrics;
  const sites = Array.from({ length: count }, (_, i) => {
    const { url = `https://site-${i}.example/`, name = url } = described(i);
    return { id: String(i + 1), url, name, expectStatus: 200 };
  });
  const spec: CampaignSpec = {
    name: 'made up',
    conditions: [...conditions],
    protocols,
    views: ['cold'],
    rounds,
    engine: 'puppeteer',
    discovery: 'forced',
    isolation: 'context',
    browser: 'chrome',
    primaryMetric: 'onLoad',
    margin: 0.05,
    adjustment: 'hommel',
    maximumRounds: null,
    seed: 1,
    limits: defaultLimits,
    ...given,
  };
  const visits: StudyVisit[] = [];
  for (const [place, { id: siteId }] of sites.entries()) {
    for (const { name: condition } of conditions) {
      for (let round = 1; round <= rounds; round++) {
        for (const [slot, protocol] of protocols.entries()) {
          const at = { id: `v${visits.length}`, startedAt: new Date(start + 2000 * visits.length).toISOString(), wallMs: 1500 };
          const where = { ...at, siteId, condition, view: 'cold' as const, roundNumber: round, slot };
          const metrics = visit({ site: place, condition, protocol, round });
          visits.push(
            metrics === null
              ? { ...where, verdict: 'invalid', reason: 'load-timeout', counted: true }
              : { ...where, verdict: 'valid', metrics: { ...zero, ...metrics }, receiveDrops: null },
          );
        }
      }
    }
  }
  const campaign: Campaign = {
    id: '7',
    createdAt: '2026-11-23T08:00:00.000Z',
    finishedAt: null,
    createdBy: null,
    createdByKind: null,
    priority: 'interactive',
    location: null,
    annotations: {},
    state: 'done',
    spec,
    sites,
    progress: {
      rounds: count * conditions.length * rounds,
      roundsDone: count * conditions.length * rounds,
      visitsValid: visits.length,
      visitsInvalid: 0,
    },
  };
  const discoveries = sites.map(({ id, url }, i): SiteDiscovery => {
    const { server = null } = described(i);
    const host = {
      host: `${new URL(url).hostname}:443`,
      ...{ requests: 1, transferBytes: 1, protocol: 'h2', server, altSvc: null, remoteAddress: null },
      ...{ offersH3: true, h3: 'proven' as const, probeError: null },
    };
    return {
      ...{ id: `d${id}`, campaignId: '7', siteId: id, runner: 'r', discoveredAt: '2026-11-23T08:00:00.000Z', finalUrl: url, redirects: [] },
      ...{ hosts: [host], forced: [host.host], objectCoverage: 1, byteCoverage: 1, failure: null },
    };
  });
  return { campaign, visits, discoveries, linkChecks: [], environment: undefined, adoption: { unit: 'site', months: [] } };
}
