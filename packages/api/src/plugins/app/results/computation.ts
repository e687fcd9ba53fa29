// The statistics of campaigns as jobs: what a thread does beside the event loop, or the api itself where its database is in memory.
import { gzipSync } from 'node:zlib';
import {
  campaignAcross,
  campaignDistributions,
  campaignFactorial,
  campaignSummary,
  measure,
  siteTrends,
  streamResults,
} from '@pronghorn/core/campaign';
import type { AdoptionUnit, GateRules, GroupResults, MetricName, SiteTrends } from '@pronghorn/core/schemas';
import type { Database } from '../../../storage/database.ts';
import type { CompleteCampaign } from '../campaigns/campaign-spec.ts';
import { createCampaignsRepository } from '../campaigns/campaigns-repository.ts';
import { createDiscoveriesRepository } from '../discoveries/discoveries-repository.ts';
import { createEnvironmentsRepository } from '../environments/environments-repository.ts';
import { checkCampaign } from '../gates/check-campaign.ts';
import { type AnswerFilter, createAdoptionReads } from '../imports/imports-repository.ts';
import { createLinkChecksRepository } from '../link-checks/link-checks-repository.ts';
import { createEstimate } from '../preview/estimate.ts';
import { createNextRounds } from '../rounds/next-rounds.ts';
import { createSitesRepository } from '../sites/sites-repository.ts';
import { createTrendsRepository, type TrendFilter } from '../sites/trends-repository.ts';
import { createVisitsRepository } from '../visits/visits-repository.ts';
import { countVerdicts } from './count-verdicts.ts';
import { keepComparison, type Read } from './keep-comparison.ts';
import type { ResultsStore } from './results-store.ts';
import { codeVersion, createVersions } from './results-version.ts';

type Asked = { campaignId: number; asOf: number };
export type Job =
  /** Keeps the results, or the summary, of now; nothing to do where they are kept already. */
  | (Asked & { kind: 'results' | 'summary' })
  | (Asked & { kind: 'across' | 'factorial'; metric: MetricName })
  | (Asked & { kind: 'distributions'; metric: MetricName; filter: NonNullable<Parameters<typeof campaignDistributions>[2]> })
  | (Pick<Asked, 'asOf'> & {
      kind: 'trends';
      siteIds: number[];
      metric: MetricName;
      filter: TrendFilter;
      campaigns: number;
      withIntervals: boolean;
    })
  | (Asked & { kind: 'gate'; rules: GateRules })
  /** Keeps the campaign against another one; nothing to do where that is kept already. */
  | (Asked & { kind: 'compare'; baselineId: number; metric: MetricName })
  /** Who advertises HTTP/3, by what was imported. */
  | (Pick<Asked, 'asOf'> & { kind: 'adoption'; filter: AnswerFilter; unit: AdoptionUnit })
  /** What may become of a campaign that is not made. */
  | (Pick<Asked, 'asOf'> & { kind: 'foresee'; campaign: CompleteCampaign; location: string | null })
  /** What a campaign that goes on until it is settled needs next. */
  | (Asked & { kind: 'rounds-to-add' })
  /** Forgets what is kept of a campaign. */
  | (Asked & { kind: 'forget' });

/** Groups in one transaction: a few milliseconds. */
const groupsAtOnce = 20;

/**
 * @param database is read alone; each job reads it at one moment.
 * @param storeOf asked by a job that keeps or forgets something: no other needs the file of results.
 * @param stopped whether a job that is being done shall end by an error: asked for at each visit, group, and campaign of a trend.
 * @returns performs a job. Of across, factorial, distributions, trends, adoption and foresee the answer is their JSON, of others null; null too where there is
 *   no such campaign.
 */
export function createComputation(
  database: Database,
  storeOf: () => ResultsStore,
  stopped: () => boolean = () => false,
): (job: Job) => string | null {
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
  const atOneMoment = database.transaction((work: () => unknown) => work()) as unknown as { deferred<T>(work: () => T): T };

  function* unlessStopped<T>(things: Iterable<T>): Generator<T> {
    for (const thing of things) {
      if (stopped()) throw new Error('The api is being closed.');
      yield thing;
    }
  }

  const campaignOf = (campaignId: number) => {
    const campaign = campaigns.findSpec(campaignId);
    return campaign && { id: String(campaignId), ...campaign };
  };

  function keepResults({ campaignId, asOf }: Asked): void {
    const store = storeOf();
    const read = atOneMoment.deferred(() => {
      const [campaign, version] = [campaignOf(campaignId), versionOf(campaignId)];
      if (!campaign || !version || store.newest(campaignId)?.version === version.results) return null;
      const checks = linkChecks.ofResults(campaignId);
      return { version, results: streamResults(measure(campaign, visits.ofResults(campaignId), checks), campaign.state === 'done') };
    });
    if (read === null) return;
    const { groups, ...head } = read.results;
    const key = store.begin(campaignId, read.version.results, asOf);
    let [batch, place]: [GroupResults[], number] = [[], 1];
    for (const group of unlessStopped(groups)) {
      if (batch.push(group) < groupsAtOnce) continue;
      store.addGroups(key, batch, place);
      [batch, place] = [[], place + batch.length];
    }
    store.addGroups(key, batch, place);
    store.finish(key, head);
    store.sweep(asOf, codeVersion());
  }

  function keepSummary({ campaignId, asOf }: Asked): void {
    const [store, start] = [storeOf(), performance.now()];
    const read = atOneMoment.deferred(() => {
      const [campaign, version] = [campaigns.find(String(campaignId)), versionOf(campaignId)];
      if (!campaign || !version || store.summary(campaignId)?.version === version.summary) return null;
      const { state, progress, spec } = campaign;
      const results = visits.ofMetric(campaignId, spec.primaryMetric);
      const summary = campaignSummary(measure(campaign, results, linkChecks.ofResults(campaignId)), state === 'done');
      return { version, state, summary: { asOf: new Date(asOf).toISOString(), state, progress, ...summary } };
    });
    if (read === null) return;
    const document = gzipSync(JSON.stringify(read.summary));
    const tookMs = Math.ceil(performance.now() - start);
    const verdicts = JSON.stringify(countVerdicts(read.summary.groups));
    store.putSummary(campaignId, { version: read.version.summary, asOf, tookMs, state: read.state, document, verdicts });
  }

  function compare({ campaignId, baselineId, metric, asOf }: Job & { kind: 'compare' }): void {
    const readOf = (id: number): Read | null => {
      const [campaign, version] = [campaigns.find(String(id)), versionOf(id)];
      if (!campaign || !version) return null;
      const measured = () => ({
        ...{ campaign, visits: visits.ofMetric(id, metric), linkChecks: linkChecks.ofResults(id) },
        environments: environments.ofCampaign(id),
      });
      return { version, measured };
    };
    keepComparison(storeOf(), { campaignId, baselineId, metric }, asOf, (work) =>
      atOneMoment.deferred(() => {
        const [campaign, baseline] = [readOf(campaignId), readOf(baselineId)];
        const found = campaign && baseline && work(campaign, baseline);
        return found && { ...found, places: unlessStopped(found.places) };
      }),
    );
  }

  return (job) => {
    switch (job.kind) {
      case 'results':
        keepResults(job);
        return null;
      case 'summary':
        keepSummary(job);
        return null;
      case 'forget':
        storeOf().forget(job.campaignId);
        return null;
      case 'across':
        return atOneMoment.deferred(() => {
          const campaign = campaignOf(job.campaignId);
          if (!campaign) return null;
          const found = discoveries.ofCampaign(job.campaignId);
          return JSON.stringify(campaignAcross(measure(campaign, visits.ofResults(job.campaignId)), found, job.metric));
        });
      case 'factorial':
        return atOneMoment.deferred(() => {
          const campaign = campaignOf(job.campaignId);
          return campaign ? JSON.stringify(campaignFactorial(measure(campaign, visits.ofResults(job.campaignId)), job.metric)) : null;
        });
      case 'distributions':
        return atOneMoment.deferred(() => {
          const campaign = campaignOf(job.campaignId);
          if (!campaign) return null;
          return JSON.stringify(campaignDistributions(measure(campaign, visits.ofResults(job.campaignId)), job.metric, job.filter));
        });
      case 'compare':
        compare(job);
        return null;
      case 'gate':
        return atOneMoment.deferred(() => JSON.stringify(checkCampaign({ campaigns, visits, linkChecks }, job.campaignId, job.rules)));
      case 'adoption':
        return atOneMoment.deferred(() => JSON.stringify(imports.adoption(job.filter, job.unit, unlessStopped)));
      case 'foresee':
        return atOneMoment.deferred(() => JSON.stringify(foresee(job.campaign, job.location)));
      case 'rounds-to-add':
        return JSON.stringify(roundsToAdd(job.campaignId) ?? null);
      case 'trends':
        return atOneMoment.deferred(() => {
          const { metric, filter, campaigns: newest } = job;
          const campaignsOf = trendsOf(metric, filter, newest);
          const ofSite = (siteId: number): SiteTrends => {
            const trends = siteTrends(unlessStopped(campaignsOf(siteId)), metric, job);
            return { siteId: String(siteId), url: urlOf(siteId) ?? '', metric, ...trends };
          };
          return JSON.stringify(job.siteIds.map(ofSite));
        });
    }
  };
}
