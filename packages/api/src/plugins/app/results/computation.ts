// The statistics of campaigns as jobs: what a thread does beside the event loop, or the service itself where its database is in memory.
import { gzipSync } from 'node:zlib';
import { verdictCounts } from '@pronghorn/core/answer';
import {
  campaignAcross,
  campaignDistributions,
  campaignFactorial,
  campaignSummary,
  measure,
  placeSetup,
  resultsVersion,
  siteTrends,
  streamComparison,
  streamResults,
} from '@pronghorn/core/campaign';
import type {
  AdoptionUnit,
  Campaign,
  CampaignComparisonPage,
  CampaignState,
  CampaignSummary,
  CellComparison,
  CellResults,
  GateResult,
  GateRules,
  MetricName,
  ProtocolOutcomes,
  SiteTrends,
} from '@pronghorn/core/schemas';
import { contentHash } from '../../../storage/canonical-json.ts';
import type { Database } from '../../../storage/database.ts';
import type { Tables } from '../../../store/tables.ts';
import { createCampaignsRepository, isPublished } from '../../../tables/campaigns-repository.ts';
import { createDiscoveriesRepository } from '../../../tables/discoveries-repository.ts';
import { createEnvironmentsRepository } from '../../../tables/environments-repository.ts';
import { type AnswerFilter, createAdoptionReads } from '../../../tables/imports-repository.ts';
import { createLinkChecksRepository } from '../../../tables/link-checks-repository.ts';
import {
  type CellRow,
  type ChangeOutline,
  type ComparisonOutline,
  type Computed,
  createResultsRepository,
  resultsOf,
  type Subject,
  type SummaryOutline,
  summaryOf,
} from '../../../tables/results-repository.ts';
import { createSiteResultsRepository, lostProtocols, type SiteResult } from '../../../tables/site-results-repository.ts';
import { createSitesRepository, createTrendsRepository, type TrendFilter } from '../../../tables/sites-repository.ts';
import { createVisitsRepository } from '../../../tables/visits-repository.ts';
import { checkCampaign } from '../gates/check-campaign.ts';
import { createEstimate, type Estimate } from '../preview/estimate.ts';
import { createNextRounds, type NextRounds } from '../queue/next-rounds.ts';
import type { CompleteCampaign } from '../spec/campaign-spec.ts';
import { createVersions, versionOfBoth } from './results-version.ts';

/** `document` is gzipped JSON. */
export type ComputedSummary = { version: string; asOf: number; tookMs: number; state: CampaignState; document: Uint8Array };
type KeptSummary = [computed: Computed, outline: SummaryOutline, document: Buffer, ofSites: SiteResult[] | null];
type OfCampaign = { campaignId: number };
type OfMetric = OfCampaign & { metric: MetricName };
type DistributionFilter = NonNullable<Parameters<typeof campaignDistributions>[2]>;
type TrendsAsked = { siteIds: number[]; metric: MetricName; filter: TrendFilter; campaigns: number; withIntervals: boolean };

export type Computation = ReturnType<typeof createComputation>;
export type JobKind = keyof Computation;
export type JobArguments<Kind extends JobKind> = Parameters<Computation[Kind]>[0];
export type JobAnswer<Kind extends JobKind> = ReturnType<Computation[Kind]>;
/** Performs a job by its kind. */
export const perform = (computation: Computation, kind: JobKind, args: object): unknown =>
  (computation[kind] as (args: object) => unknown)(args);

/**
 * @param database is read; each job reads it at one moment.
 * @param writable where results are kept: another connection, or the same one within a transaction.
 * @param stopped ends a job by an error: looked at before each visit, cell, and campaign of a trend.
 * @returns the jobs. Those whose answer goes to a client return its JSON; null: there is no such campaign.
 */
export function createComputation(database: Database, writable: Database, stopped: () => boolean = () => false) {
  const campaigns = createCampaignsRepository(database);
  const visits = createVisitsRepository(database);
  const { ofResults, ofMetric } = visits;
  visits.ofResults = (campaignId) => unlessStopped(ofResults(campaignId));
  visits.ofMetric = (campaignId, metric) => unlessStopped(ofMetric(campaignId, metric));
  const roundsToAdd = createNextRounds(database, visits);
  const foresee = createEstimate(database);
  const linkChecks = createLinkChecksRepository(database);
  const environments = createEnvironmentsRepository(database);
  const discoveries = createDiscoveriesRepository(database);
  const imports = createAdoptionReads(database);
  const trendsOf = createTrendsRepository(database);
  const urlOf = createSitesRepository(database).urlOf;
  const versionOf = createVersions(database);
  const results = createResultsRepository(writable);
  const siteResults = createSiteResultsRepository(writable);
  /** What lists of sites show stands and falls with the summary that it is taken from. */
  const keepSummary = writable.transaction((campaignId: number, ...[computed, outline, document, ofSites]: KeptSummary): void => {
    if (results.putSummary(campaignId, computed, outline, document) && ofSites !== null) siteResults.put(campaignId, ofSites);
  }).immediate;
  const transaction = database.transaction((work: () => unknown) => work());
  const atOneMoment = <T>(work: () => T): T => transaction.deferred(work) as T;

  function* unlessStopped<T>(things: Iterable<T>): Generator<T> {
    for (const thing of things) {
      if (stopped()) throw new Error('The api is being closed.');
      yield thing;
    }
  }

  /** The JSON of what is computed of a campaign. */
  const jsonOf = (campaignId: number, compute: (campaign: NonNullable<ReturnType<typeof campaignOf>>) => unknown): string | null =>
    atOneMoment(() => {
      const campaign = campaignOf(campaignId);
      return campaign ? JSON.stringify(compute(campaign)) : null;
    });
  const campaignOf = (campaignId: number) => {
    const campaign = campaigns.findSpec(campaignId);
    return campaign && { id: String(campaignId), ...campaign };
  };
  const isKept = (subject: Subject, version: string) => results.newest(subject)?.version === version;

  return {
    /** Keeps the results of now, unless they are kept already. */
    results({ campaignId, asOf }: OfCampaign & { asOf: number }): void {
      const read = atOneMoment(() => {
        const [campaign, version] = [campaignOf(campaignId), versionOf(campaignId)];
        if (!campaign || !version || isKept(resultsOf(campaignId), version.results)) return null;
        const checks = linkChecks.ofResults(campaignId);
        return {
          version: version.results,
          ...streamResults(measure(campaign, visits.ofResults(campaignId), checks), campaign.state === 'done'),
        };
      });
      if (read === null) return;
      const { version, cells, ...head } = read;
      const rows = unlessStopped(cells).map(rowOfCell);
      results.keep(resultsOf(campaignId), { version, asOf }, rows, () => ({ outline: {}, document: JSON.stringify(head), tookMs: 0 }));
      results.sweep(asOf);
    },

    /** The summary of now. Where another process holds the database for long, it is not kept. */
    summary({ campaignId, asOf }: OfCampaign & { asOf: number }): ComputedSummary | null {
      const start = performance.now();
      const read = atOneMoment(() => {
        const [campaign, version] = [campaigns.find(String(campaignId)), versionOf(campaignId)];
        if (!campaign || !version) return null;
        const { state, progress, spec } = campaign;
        const kept = results.newest(summaryOf(campaignId));
        if (kept?.version === version.summary) return { kept: { ...kept, state } };
        const [its, checks] = [visits.ofMetric(campaignId, spec.primaryMetric), linkChecks.ofResults(campaignId)];
        const measured = measure(campaign, its, checks, discoveries.facts(campaignId));
        const summary = campaignSummary(measured, state === 'done');
        const ofSites = state === 'done' ? siteResultsOf(campaign, summary, visits.isolationOf) : null;
        return { version: version.summary, state, ofSites, summary: { asOf: new Date(asOf).toISOString(), state, progress, ...summary } };
      });
      if (read === null) return null;
      if ('kept' in read) return read.kept;
      const { version, state, summary, ofSites } = read;
      const document = gzipSync(JSON.stringify(summary));
      const computed = { version, asOf, tookMs: Math.ceil(performance.now() - start) };
      unlessLocked(writable, () => keepSummary(campaignId, computed, { state, verdicts: verdictCounts(summary) }, document, ofSites));
      return { ...computed, state, document };
    },

    across: ({ campaignId, metric }: OfMetric) =>
      jsonOf(campaignId, (campaign) =>
        campaignAcross(measure(campaign, visits.ofResults(campaignId)), discoveries.ofCampaign(campaignId), metric),
      ),
    factorial: ({ campaignId, metric }: OfMetric) =>
      jsonOf(campaignId, (campaign) => campaignFactorial(measure(campaign, visits.ofResults(campaignId)), metric)),
    distributions: ({ campaignId, metric, filter }: OfMetric & { filter: DistributionFilter }) =>
      jsonOf(campaignId, (campaign) => campaignDistributions(measure(campaign, visits.ofMetric(campaignId, metric)), metric, filter)),

    /** Keeps the comparison with another campaign, unless it is kept already. */
    compare({ campaignId, baselineId, metric, asOf }: OfMetric & { baselineId: number; asOf: number }): void {
      const startMs = performance.now();
      const subject: Subject = { campaignId, kind: 'comparison', baselineId, metric };
      const measured = (id: number) => {
        const campaign = campaigns.find(String(id));
        const read = {
          visits: visits.ofMetric(id, metric),
          linkChecks: linkChecks.ofResults(id),
          environments: environments.ofCampaign(id),
        };
        return campaign && { campaign, ...read };
      };
      const read = atOneMoment(() => {
        const [ofCampaign, ofBaseline] = [versionOf(campaignId), versionOf(baselineId)];
        if (!ofCampaign || !ofBaseline) return null;
        const version = versionOfBoth(ofCampaign, ofBaseline);
        const [campaign, baseline] = isKept(subject, version) ? [] : [measured(campaignId), measured(baselineId)];
        return campaign && baseline ? { version, ...streamComparison(campaign, baseline, metric) } : null;
      });
      if (read === null) return;
      const { version, cells, ...head } = read;
      const outcomes = countOutcomes();
      const rows = unlessStopped(cells).map((cell) => {
        const outline = outlineOfChange(cell);
        outcomes.add(cell, outline);
        return { ...cellOf(cell), outline, document: JSON.stringify(cell) };
      });
      results.keep(subject, { version, asOf }, rows, (written) => ({
        outline: { cells: written, outcomes: outcomes.counts },
        document: JSON.stringify(head),
        tookMs: Math.ceil(performance.now() - startMs),
      }));
      results.sweep(asOf);
    },

    /** The result of a gate. */
    gate: ({ campaignId, rules }: OfCampaign & { rules: GateRules }): GateResult | null =>
      atOneMoment(() => checkCampaign({ campaigns, visits, linkChecks, discoveries }, campaignId, rules) ?? null),

    /** Who advertises HTTP/3, according to imports. */
    adoption: ({ filter, unit }: { filter: AnswerFilter; unit: AdoptionUnit }): string =>
      atOneMoment(() => JSON.stringify(imports.adoption(filter, unit, unlessStopped))),

    /** How long a campaign that does not exist yet would take, and what it could show. */
    foresee: ({ campaign, location }: { campaign: CompleteCampaign; location: string | null }): Estimate =>
      atOneMoment(() => foresee(campaign, location)),

    /** What a campaign that goes on until it is settled needs next. */
    roundsToAdd: ({ campaignId }: OfCampaign): NextRounds | null => roundsToAdd(campaignId) ?? null,

    trends: ({ siteIds, ...asked }: TrendsAsked): string =>
      atOneMoment(() => {
        const { metric, filter, campaigns: newest } = asked;
        const campaignsOf = trendsOf(metric, filter, newest);
        const ofSite = (siteId: number): SiteTrends => {
          const trends = siteTrends(unlessStopped(campaignsOf(siteId)), metric, asked);
          return { siteId: String(siteId), url: urlOf(siteId) ?? '', metric, ...trends };
        };
        return JSON.stringify(siteIds.map(ofSite));
      }),
  };
}

/** Waits for the lock for half a second. */
function unlessLocked(database: Database, write: () => void): void {
  const waitMs = database.pragma('busy_timeout', { simple: true });
  database.pragma('busy_timeout = 500');
  try {
    write();
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_BUSY') throw error;
  } finally {
    database.pragma(`busy_timeout = ${waitMs}`);
  }
}

const cellOf = ({ siteId, condition, view }: Pick<CellRow, 'siteId' | 'condition' | 'view'>) => ({ siteId, condition, view });

/** Comparisons are apart, so that lists of them read no more than they show. */
function rowOfCell({ comparisons, ...cell }: CellResults): CellRow {
  const outline = comparisons.map(
    ({ metric, candidate, baseline, verdict, confirmatory }): ComparisonOutline =>
      `${metric} ${candidate} ${baseline} ${verdict.outcome} ${confirmatory ? 1 : 0}`,
  );
  return { ...cellOf(cell), outline, document: JSON.stringify(cell), comparisons: comparisons.map((one) => JSON.stringify(one)) };
}

function outlineOfChange({ protocols, lead }: CellComparison): ChangeOutline {
  const changes = protocols.map(({ protocol, outcome, difference, shift }) => ({
    ...{ protocol, outcome },
    ...{ difference: difference?.value ?? null, share: shift?.value ?? null },
  }));
  const tooFew = protocols.filter(({ doubts }) => doubts.some(({ reason }) => reason === 'too-few-rounds')).length;
  return { changes, tooFew, lead: lead?.outcome ?? null };
}

/** Counts what became of cells that are compared with another campaign. */
export function countOutcomes() {
  const counts: CampaignComparisonPage['outcomes'] = {
    protocols: { lower: 0, higher: 0, undecided: 0, tooFew: 0 },
    leads: { lower: 0, higher: 0, undecided: 0 },
    byProtocol: [],
  };
  return {
    counts,
    add({ siteId, condition, view }: Pick<CellRow, 'siteId' | 'condition' | 'view'>, { lead, tooFew, changes }: ChangeOutline): void {
      counts.protocols.tooFew += tooFew;
      if (lead !== null) counts.leads[lead] += 1;
      for (const { protocol, outcome, ...size } of changes) {
        counts.protocols[outcome] += 1;
        const known = counts.byProtocol.find((one) => one.protocol === protocol);
        const of = known ?? { protocol, lower: null, higher: null, undecided: 0 };
        if (known === undefined) counts.byProtocol.push(of);
        if (outcome === 'undecided') of.undecided += 1;
        else of[outcome] = withChange(of[outcome], { siteId, condition, view, ...size });
      }
    },
  };
}

/** What lists of sites show of a campaign that is done. @param isolationOf how its visits to a site were isolated; null: unknown. */
function siteResultsOf(
  campaign: Campaign,
  { primaryMetric: metric, cells, notLoaded: sitesNotLoaded }: Pick<CampaignSummary, 'primaryMetric' | 'cells' | 'notLoaded'>,
  isolationOf: (campaignId: number, siteId: number) => string | null,
): SiteResult[] {
  const { spec, sites, createdAt, annotations } = campaign;
  // Of a protocol against itself, as a calibration is, nobody learns how a page does.
  const published = isPublished(campaign) && new Set(spec.protocols).size === spec.protocols.length;
  const isWhole = campaign.createdByKind === 'schedule' || (spec.protocols.includes('h2') && spec.protocols.includes('h3'));
  const ofSite = new Map(
    sites.map((site) => [
      site.id,
      {
        site,
        isolation: (spec.isolation === 'auto' ? isolationOf(Number(campaign.id), Number(site.id)) : null) ?? spec.isolation,
        notLoaded: sitesNotLoaded.find(({ siteId }) => siteId === site.id)?.words ?? null,
      },
    ]),
  );
  const standing = published ? (isWhole ? 2 : 1) : 0;
  const lost = new Set(
    cells.filter((cell) => cell.notLoaded !== null || lostProtocols(cell.failures).length > 0).map(({ siteId }) => siteId),
  );
  return cells.map((cell, place) => {
    const { siteId, condition, view, medians, failures, comparison } = cell;
    const { site, isolation, notLoaded: missing = null } = ofSite.get(siteId) ?? { isolation: spec.isolation };
    const branch = published ? null : (annotations.branch ?? annotations.pullRequest ?? null);
    const setup = contentHash({ resultsVersion, standing, branch, view, metric, ...placeSetup(campaign, site, { condition, isolation }) });
    return {
      ...{ siteId: Number(siteId), place, standing, condition, view, metric, createdAt },
      setup: setup.toString('hex').slice(0, 16),
      ...{ h2: medians.h2 ?? null, h3: medians.h3 ?? null },
      notLoaded: missing ?? cell.notLoaded?.words ?? null,
      lost: missing !== null || lost.has(siteId),
      answer: {
        medians,
        failures: Object.fromEntries(Object.entries(failures).map(([protocol, { failed, loads }]) => [protocol, { failed, loads }])),
        comparison: comparison && {
          outcome: comparison.outcome,
          unfinished: comparison.doubts.includes('unfinished'),
          ...{ words: comparison.words, difference: comparison.difference },
          ...{ shift: comparison.shift, shiftAtMedian: comparison.shiftAtMedian },
        },
      },
    };
  });
}

type ClearChanges = NonNullable<ProtocolOutcomes['lower']>;

function withChange(before: ClearChanges | null, change: ClearChanges['largest']): ClearChanges {
  if (before === null) return { cells: 1, least: change.share, most: change.share, largest: change };
  const sizes = [before.least, before.most, change.share]
    .filter((share) => share !== null)
    .sort((one, other) => Math.abs(one) - Math.abs(other));
  const isLarger = Math.abs(change.difference ?? 0) > Math.abs(before.largest.difference ?? 0);
  return {
    cells: before.cells + 1,
    ...{ least: sizes[0] ?? null, most: sizes.at(-1) ?? null },
    largest: isLarger ? change : before.largest,
  };
}

export const resultCommands = ({ computation, now }: Pick<Tables, 'computation' | 'now'>) => ({
  /** Does a job at once: for a database in memory, which no thread sees. @param args as of the job, without `asOf`. */
  compute: (kind: JobKind, args: object): unknown => perform(computation(), kind, { ...args, asOf: now() }),
});
