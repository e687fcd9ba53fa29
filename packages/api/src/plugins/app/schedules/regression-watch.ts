// Looks at each campaign of a schedule when it is done: did anything get worse than in the campaigns before?
import { placeSetup } from '@pronghorn/core/campaign';
import { median } from '@pronghorn/core/math';
import type { Campaign, Regression } from '@pronghorn/core/schemas';
import { regressionEvidence, regressionWords } from '@pronghorn/core/text';
import {
  atLeastAll,
  atLeastMsOf,
  falseAlarmShare,
  findRegressions,
  hasEnoughRuns,
  latestRuns,
  lostVisitsWords,
  minBaselineRuns,
  minLimit,
  minNeighbourRuns,
  sampleOf,
  valueOfVisit,
} from '@pronghorn/core/verdict';
import { metricTitle, type Protocol, type View } from '@pronghorn/core/vocabulary';
import { contentHash } from '../../../storage/canonical-json.ts';
import type { Tables } from '../../../store/tables.ts';
import type { Findings } from '../../../tables/schedules-repository.ts';
import { type UnmeasuredSite, unmeasuredSites } from '../visits/unmeasured-sites.ts';

/** What a median belongs to. */
type Place = { siteId: string; siteName: string; condition: string; view: View; protocol: Protocol };

/** A campaign of a schedule that is done, as it is compared with others: by series. */
export type Night = {
  campaign: Campaign;
  medians: ReadonlyMap<string, number>;
  /** Of these, the ones among loads half of which failed or more: the least that they would have taken. */
  failing: ReadonlySet<string>;
  places: ReadonlyMap<string, Place>;
  unmeasured: readonly UnmeasuredSite[];
};

/** A regression that was found, and what its medians are stored under. */
export type FoundRegression = {
  key: string;
  regression: Regression;
  /** It is a step that was found before and stands. */
  isKnown: boolean;
};

/** Reads what a campaign measured: nothing of what is done changes, so that others may write meanwhile. */
export const createNightReads =
  ({ campaigns, rounds, visits }: Pick<Tables, 'campaigns' | 'rounds' | 'visits'>) =>
  (campaignId: number): Night | undefined => {
    const campaign = campaigns.find(String(campaignId));
    if (campaign === undefined) return undefined;
    return { campaign, ...mediansOf(campaign, visits), unmeasured: unmeasuredSites(campaign, { visits, rounds }) };
  };

type Parts = Pick<Tables, 'alerting' | 'campaigns' | 'schedules' | 'nights' | 'outbox'>;

export function regressionCommands({ alerting, campaigns, schedules, nights, outbox }: Parts) {
  type Looked = { findings: Findings; found: FoundRegression[] };

  function look(scheduleId: number, { campaign, medians, failing, places, unmeasured }: Night): Looked {
    const campaignId = Number(campaign.id);
    const { spec } = schedules.find(scheduleId) ?? {};
    nights.insertMedians(campaignId, medians, failing);
    const { primaryMetric: metric } = campaign.spec;
    const nothing = (state: Findings['state'], words: string): Looked => ({
      findings: { comparedWith: [], compared: [], regressions: [], unmeasured: [], state, words },
      found: [],
    });
    if (spec === undefined) return nothing('too-few-runs', 'Nothing was compared: the schedule is deleted.');
    if (metric.endsWith('Share')) return nothing('compared', `Nothing was compared: of ${metric}, higher is not worse.`);
    const before = nights.before(scheduleId, campaignId, spec.baselineRuns + latestRuns - 1);
    const nightsBefore = before.length - latestRuns + 1;
    if (medians.size === 0) return nothing('unmeasured', 'Nothing was compared: too few visits are valid.');
    if (nightsBefore < minBaselineRuns) {
      const words = `Nothing was compared yet: regressions are seen from ${minBaselineRuns + latestRuns} done campaigns on, and this is number ${before.length + 1}.`;
      return nothing('too-few-runs', words);
    }
    const earlier = before.map((id) => nights.medians(id));
    const series = [...medians].map(([key, value]) => ({ key, medians: [...earlier.map((night) => night.get(key) ?? Number.NaN), value] }));
    const told = alerting.stepReader(scheduleId, spec);
    const found = findRegressions(series, spec.regressionThreshold).flatMap(({ place, since, ...statistics }): FoundRegression[] => {
      const { key, medians: all } = series[place] as (typeof series)[number];
      const at = places.get(key) as Place;
      const { isKnown, ...step } = told(key, { campaignId: before[since] ?? campaignId, before: geometricMean(all.slice(0, since)) });
      if (step.failing && isUnmeasuredAt(at, unmeasured)) return [];
      const evidence = regressionEvidence(statistics, medians.size);
      const facts = { ...at, metric, medians: all.slice(-latestRuns), ...statistics, ...step, evidence };
      return [{ key, isKnown, regression: { ...facts, words: `${at.siteName}: ${regressionWords(facts)} ${evidence}` } }];
    });
    const what = `${medians.size} medians of ${metricTitle(metric)} with the ${nightsBefore} campaigns before the last two`;
    const words =
      found.length === 0
        ? `No regression: compared ${what}.`
        : `${found.length} of them worse, twice in a row: compared ${what}. ${falseAlarmWords(nightsBefore)}`;
    const regressions = found.map(({ regression }) => regression);
    const enough = new Set(series.filter(hasEnoughRuns).map(({ key }) => key));
    const compared = wholeCells(campaign, places, enough);
    return { findings: { state: 'compared', words, comparedWith: before.map(String), compared, regressions, unmeasured: [] }, found };
  }

  function tell(campaignId: number, scheduleId: number, { regressions, words: all }: Findings, back: readonly string[]): void {
    const { name = '', notifications: only = null } = schedules.find(scheduleId)?.spec ?? {};
    const lines = [...regressions.map(({ words }) => words), ...back];
    const title = `${name}: ${lines.length === 1 ? 'a regression' : `${lines.length} regressions`}`;
    const content = { title, lines: [...lines, all], details: regressions };
    outbox.enqueue({ event: 'regression-found', campaignId, scheduleId, only, content });
  }

  return {
    /** Stores what got worse in a campaign, and tells of it; once. */
    judge(scheduleId: number, night: Night): void {
      const campaignId = Number(night.campaign.id);
      if (nights.findings(campaignId) !== undefined || campaigns.findSpec(campaignId) === undefined) return;
      const looked = look(scheduleId, night);
      const findings = withMissing(looked.findings, night.unmeasured);
      nights.insertFindings(campaignId, findings);
      const back = night.medians.size === 0 ? [] : alerting.nightJudged(scheduleId, looked.found);
      if (findings.regressions.length + back.length > 0) tell(campaignId, scheduleId, findings, back);
    },
  };
}

/** What is told as not measured is no regression, too. */
const isUnmeasuredAt = ({ siteId, condition, protocol }: Place, all: readonly UnmeasuredSite[]): boolean =>
  all.some(({ site, conditions, protocols }) => site.id === siteId && conditions.includes(condition) && protocols.includes(protocol));

/** A page that was down is not compared in silence: what its loads would have taken at least is no answer to how it loads. */
function withMissing(findings: Findings, missing: readonly UnmeasuredSite[]): Findings {
  if (missing.length === 0) return findings;
  const named = missing.slice(0, maxNamed).map(({ site, protocols, ...lost }) => `${site.name}, ${lostVisitsWords(lost, protocols)}`);
  const more = missing.length > maxNamed ? ` And ${missing.length - maxNamed} sites more.` : '';
  const words = `Not measured: ${named.join(' ')}${more} ${findings.words}`;
  const compared = findings.compared.filter(
    ({ siteId, condition }) => !missing.some(({ site, conditions }) => site.id === siteId && conditions.includes(condition)),
  );
  return { ...findings, state: 'unmeasured', words, compared, unmeasured: missing.map(({ site }) => site.name) };
}

/** Sites under conditions of which all series are among these. */
function wholeCells({ sites, spec }: Campaign, places: Night['places'], keys: ReadonlySet<string>): Findings['compared'] {
  const ofCells = Map.groupBy(places, ([, { siteId, condition }]) => `${siteId} ${condition}`);
  const cells = sites.flatMap(({ id: siteId }) => spec.conditions.map(({ name: condition }) => ({ siteId, condition })));
  return cells.filter(({ siteId, condition }) => ofCells.get(`${siteId} ${condition}`)?.every(([key]) => keys.has(key)));
}

const maxNamed = 5;

/**
 * The median of the primary metric of each site, condition, view and protocol that has at least half of its rounds. One among loads that failed is taken as
 * the limit of their time, the least that it is: the test on nights stays exact, since all nights are taken so. It is the limit that these loads had: where
 * it follows the condition and the page's size, other nights' loads may have taken longer than the shortest there is.
 * By what makes it comparable: the condition with its numbers, who visits, how visits are made, and when they end.
 */
function mediansOf({ id, spec, sites, location }: Campaign, visits: Tables['visits']) {
  const { primaryMetric: metric } = spec;
  const values = new Map<string, number[]>();
  const places = new Map<string, Place>();
  const keys = new Map<string, string>();
  const limits = new Map<string, number | null>();
  for (const visit of visits.ofMetric(Number(id), metric)) {
    const { siteId, condition: name, view, slot } = visit;
    const protocol = spec.protocols[slot] as Protocol;
    const value = valueOfVisit(visit, metric);
    if (Number.isNaN(value)) continue;
    const at = `${siteId} ${view} ${protocol} ${name}`;
    let key = keys.get(at);
    if (key === undefined) {
      const site = sites.find(({ id }) => id === siteId);
      const isolation = (spec.isolation === 'auto' ? visits.isolationOf(Number(id), Number(siteId)) : null) ?? spec.isolation;
      key = seriesKey({ spec, location }, site, { siteId, condition: name, view, protocol, isolation });
      keys.set(at, key);
      values.set(key, []);
      places.set(key, { siteId, siteName: site?.name ?? siteId, condition: name, view, protocol });
    }
    values.get(key)?.push(value);
    if (visit.verdict === 'invalid' && visit.counted) limits.set(key, minLimit(limits.get(key) ?? null, visit.loadTimeoutMs ?? null));
  }
  const medians = new Map<string, number>();
  const failing = new Set<string>();
  for (const [key, given] of values) {
    const sample = sampleOf(given);
    const known = sample.length >= spec.rounds / 2 ? median(sample) : 0;
    const middle = known === Number.POSITIVE_INFINITY ? atLeastAll(limits.get(key) ?? atLeastMsOf(spec), sample) : known;
    if (middle > 0) medians.set(key, middle);
    if (known === Number.POSITIVE_INFINITY) failing.add(key);
  }
  return { medians, failing, places };
}

type Setup = Parameters<typeof placeSetup>;

/** What medians are stored under that can be compared. */
export const seriesKey = (
  campaign: Setup[0],
  site: Setup[1],
  { siteId, condition, view, protocol, isolation }: Setup[2] & Omit<Place, 'siteName'>,
): string =>
  contentHash({ siteId, view, protocol, metric: campaign.spec.primaryMetric, ...placeSetup(campaign, site, { condition, isolation }) })
    .toString('hex')
    .slice(0, 32);

/** Of the numbers among them. */
function geometricMean(medians: readonly number[]): number {
  const known = medians.filter((median) => !Number.isNaN(median));
  return Math.exp(known.reduce((sum, median) => sum + Math.log(median), 0) / known.length);
}

/** How often a regression is told where there is none. @param baselineRuns campaigns before the last two. */
function falseAlarmWords(baselineRuns: number): string {
  const share = falseAlarmShare(baselineRuns);
  const often = `By chance about one campaign in ${Math.round(1 / share)} says so where nothing changed, ${Math.round(365 * share)} in a year of nights`;
  return baselineRuns < minNeighbourRuns
    ? `${often}; more where nights resemble their neighbours, until there are ${minNeighbourRuns} campaigns before.`
    : `${often}.`;
}
