// When there is an alert, and when it is over: what campaigns find is stored until a later one is fine, whoever is notified.
import { gateDefaults } from '@pronghorn/core/campaign';
import type { Campaign, GateAnswer, GateResult, Regression, Since } from '@pronghorn/core/schemas';
import { browserChange, regressionWords, worseWords } from '@pronghorn/core/text';
import { latestRuns, levelOf, type SeriesNight, standingNights } from '@pronghorn/core/verdict';
import { cellKey, type GateOutcome } from '@pronghorn/core/vocabulary';
import { rowId } from '../../../storage/page.ts';
import type { Tables } from '../../../store/tables.ts';
import type { ShownAlert } from '../../../tables/alerts-repository.ts';
import { isPublished, publishedBranches } from '../../../tables/campaigns-repository.ts';
import { worstFirst } from '../../../tables/gates-repository.ts';
import type { ScheduleSpec } from '../../../tables/schedules-repository.ts';
import { unmeasuredWords } from '../notifications/messages.ts';
import { type FoundRegression, seriesKey } from '../schedules/regression-watch.ts';
import type { UnmeasuredSite } from '../visits/unmeasured-sites.ts';

/** A series of medians that got worse: as it was found, or as it is now. */
export type WorseSeries = Pick<Regression, 'condition' | 'view' | 'protocol' | 'metric' | 'before' | 'level' | 'failing' | 'since'> & {
  /** What its medians are stored under. */
  key: string;
  /** The share above `before` that mattered when it was found. */
  threshold: number;
};
/** The steps that were found, the oldest first; and what stands now, one of each series, the worst first. */
export type RegressionFacts = { found: WorseSeries[]; series: WorseSeries[] };
type Told = Pick<WorseSeries, 'before' | 'level' | 'failing' | 'since'>;
/** With the nights that show it, the oldest first. */
type Standing = WorseSeries & { worse: SeriesNight[] };

type UnmeasuredFacts = { location: string | null; protocols: string[]; conditions: string[] };

type Parts = Pick<Tables, 'timeNow' | 'alerts' | 'answers' | 'campaigns' | 'environments' | 'nights' | 'rounds' | 'schedules' | 'visits'>;

/** Its functions are parts of a transaction. */
export function createAlerting({ timeNow, alerts, answers, campaigns, environments, nights, rounds, schedules, visits }: Parts) {
  type Alert = Parameters<typeof alerts.insert>[0];
  type Shown = Omit<Parameters<typeof alerts.see>[1], 'campaignId'>;

  /** A campaign shows what is wrong: for the first time, or again. */
  function see(alert: Alert, campaignId: number, shown: Shown): void {
    if (alerts.newestOf(alert.subject) > campaignId) return; // of an older campaign that ended later
    const id = alerts.standing(alert.subject)?.id ?? alerts.insert(alert, campaignId);
    alerts.see(id, { campaignId, ...shown }, timeNow());
  }

  function resolve({ id, subject }: Pick<ShownAlert<unknown>, 'id' | 'subject'>, campaignId: number): void {
    if (alerts.newestOf(subject) <= campaignId) alerts.resolve(id, timeNow(), campaignId);
  }

  function sinceOf(scheduleId: number, campaignId: number): Since {
    const [before] = nights.before(scheduleId, campaignId, 1);
    const browsersOf = (id: number) => environments.ofCampaign(id).map(({ browser }) => browser.product);
    const change = before === undefined ? null : browserChange(browsersOf(before), browsersOf(campaignId));
    return { ...campaigns.sinceOf(campaignId, before), browserChange: change };
  }

  /** As a step stands by the nights that are there, if it does. Nights whose loads failed say nothing of how slow others are. */
  function standingOf(scheduleId: number, step: WorseSeries): Standing | undefined {
    const all = nights.series(scheduleId, step.key, Number(step.since.campaignId));
    const { worse, isBack } = standingNights(step.failing ? all : all.filter(({ failing }) => !failing), step);
    const [first] = worse;
    if (first === undefined) return undefined;
    return { ...step, ...levelOf(worse), since: isBack ? sinceOf(scheduleId, first.campaignId) : step.since, worse };
  }

  /** Whether a campaign measures it, and as it was measured; or may, for all that is known. */
  function isMeasured({ id, spec, sites, location }: Campaign, siteId: string, { key, condition, view, protocol }: WorseSeries): boolean {
    const site = sites.find((one) => one.id === siteId);
    const isAsked =
      spec.conditions.some(({ name }) => name === condition) && spec.views.includes(view) && spec.protocols.includes(protocol);
    if (site === undefined || !isAsked) return false;
    const isolation = spec.isolation === 'auto' ? visits.isolationOf(Number(id), Number(siteId)) : spec.isolation;
    const possible = isolation === null ? (['auto', 'context', 'process'] as const) : [isolation];
    return possible.some((one) => key === seriesKey({ spec, location }, site, { siteId, condition, view, protocol, isolation: one }));
  }

  const subjectOf = (scheduleId: number, siteId: string) => `regression ${scheduleId} ${siteId}`;

  /** The alert of a site, by the nights that are there. @returns what it says, if the newest one opened it again. */
  function judgeSite(
    scheduleId: number,
    siteId: string,
    { campaign, window }: { campaign: Campaign; window: readonly number[] },
    known: ShownAlert<RegressionFacts> | undefined,
    added: readonly WorseSeries[],
  ): string | undefined {
    const newest = Number(campaign.id);
    const before = known?.facts.found ?? [];
    const found: WorseSeries[] = [];
    const standing = new Map<string, Standing>();
    let isSame = known?.resolvedAt === null;
    for (const step of [...before, ...added]) {
      const now = isMeasured(campaign, siteId, step) ? standingOf(scheduleId, step) : undefined;
      if (now !== undefined) standing.set(step.key, now); // the last step of a series is what it is told by
      if (now !== undefined && before.includes(step)) isSame = true;
      // One that is over is watched while its nights are among those compared, where they keep the test from finding it again.
      const slow = ({ median }: SeriesNight) => median > step.before * (1 + step.threshold);
      if (now !== undefined || nights.series(scheduleId, step.key, window[0] as number).some(slow)) found.push(step);
    }
    const worst = [...standing.values()].sort((one, other) => shareOf(other) - shareOf(one));
    const [first] = worst;
    if (first === undefined) {
      if (known !== undefined && known.resolvedAt === null) alerts.resolve(known.id, timeNow(), newest);
      return undefined;
    }
    const subject = subjectOf(scheduleId, siteId);
    const alert = { kind: 'regression' as const, subject, scheduleId, gateId: null };
    const id = (isSame ? known : alerts.standing(subject))?.id ?? alerts.insert(alert, newest);
    if (isSame) alerts.reopen(id);
    const isBack = isSame && known !== undefined && known.resolvedAt !== null && newest > known.newestCampaignId;
    if (added.length > 0 || isBack) alerts.acknowledge(id, null, null);
    const campaignId = Math.max(...worst.map(({ worse }) => worse.at(-1)?.campaignId ?? 0));
    const series = worst.map(({ worse, ...one }) => one);
    const siteName = campaign.sites.find((one) => one.id === siteId)?.name ?? siteId;
    const shown = regressionShown(siteName, series, evidenceOf(campaignId, siteId, first));
    const facts: RegressionFacts = { found, series };
    alerts.see(id, { campaignId, ...shown, siteIds: [rowId(siteId)], facts }, timeNow());
    return isBack ? `Again, ${siteName}: ${shown.words}` : undefined;
  }

  function evidenceOf(campaignId: number, siteId: string, { condition, view, protocol }: WorseSeries): string | undefined {
    return nights
      .findings(campaignId)
      ?.regressions.find(
        (one) => one.siteId === siteId && cellKey(one) === cellKey({ siteId, condition, view }) && one.protocol === protocol,
      )?.evidence;
  }

  /** The nights that are compared, the oldest first; and the alerts that stand, or are over by some of these. */
  function watched(scheduleId: number, baselineRuns: number) {
    const window = nights.before(scheduleId, Number.MAX_SAFE_INTEGER, baselineRuns + latestRuns);
    return { window, alerts: alerts.shownSince<RegressionFacts>('regression', scheduleId, window[0] ?? 0) };
  }

  /** The regression alerts of a schedule, by the nights that are there. @param found in the newest of them. @returns what is back by that one, if it is not among those found. */
  function judgeNights(scheduleId: number, found: readonly FoundRegression[]): string[] {
    const { spec } = schedules.find(scheduleId) ?? {};
    if (spec === undefined) return [];
    const { window, alerts: shown } = watched(scheduleId, spec.baselineRuns);
    const campaign = campaigns.find(String(window.at(-1)));
    if (campaign === undefined) return [];
    const ofSubject = new Map(shown.map((alert) => [alert.subject, alert]));
    const ofSites = Map.groupBy(found, ({ regression }) => regression.siteId);
    const siteIds = new Set([...ofSites.keys(), ...shown.map(({ subject }) => subject.split(' ').at(-1) as string)]);
    return [...siteIds].flatMap((siteId) => {
      const added = (ofSites.get(siteId) ?? []).filter(({ isKnown }) => !isKnown);
      const steps = added.map(({ key, regression }) => seriesOf(key, regression, spec.regressionThreshold));
      const back = judgeSite(scheduleId, siteId, { campaign, window }, ofSubject.get(subjectOf(scheduleId, siteId)), steps);
      return back === undefined || ofSites.has(siteId) ? [] : [back];
    });
  }

  /** A gate that its schedule asks no more would stay failed for ever. */
  function endGatesNotAsked(scheduleId: number, campaignId: number): void {
    const standing = alerts.standingOf('gate-failed', { siteId: null, scheduleId });
    if (standing.length === 0) return;
    const asked = answers.gatesAsked(campaignId);
    for (const alert of standing) if (!asked.has(alert.subject.split(' ').at(-1) as string)) resolve(alert, campaignId);
  }

  return {
    /** A campaign of a schedule was compared with those before. */
    nightJudged: judgeNights,

    /** A campaign was deleted or restored: what it showed or resolved is not there any more, or is again. */
    campaignGoneOrBack(campaignId: number): void {
      if (campaigns.isDeleted(campaignId)) alerts.unresolve(campaignId);
      else alerts.resolveAgain(campaignId, timeNow());
      const schedule = schedules.ofCampaign(campaignId);
      if (schedule !== undefined) judgeNights(schedule.id, []);
    },

    /**
     * How a step that was found from a campaign on is told. The slow nights of a step that stands hide how fast the page was, and a good
     * one among them looks like an end: it is the step that is known, unless it is as much above that as matters.
     */
    stepReader(scheduleId: number, { regressionThreshold, baselineRuns }: Pick<ScheduleSpec, 'regressionThreshold' | 'baselineRuns'>) {
      const known = watched(scheduleId, baselineRuns).alerts.flatMap(({ facts }) => facts.found);
      return (key: string, found: { campaignId: number; before: number }): Told & { isKnown: boolean } => {
        const now = levelOf(nights.series(scheduleId, key, found.campaignId));
        const standing = known.flatMap((step) => (step.key === key ? (standingOf(scheduleId, step) ?? []) : [])).at(-1);
        const below = standing?.worse.filter(({ campaignId }) => campaignId < found.campaignId) ?? [];
        const before = below.length === 0 ? found.before : levelOf(below).level;
        if (standing === undefined || (below.length > 0 && now.level >= before * (1 + regressionThreshold)))
          return { ...now, before, since: sinceOf(scheduleId, found.campaignId), isKnown: false };
        const { level, failing, since } = standing;
        return { before: standing.before, level, failing, since, isKnown: true };
      };
    },

    /**
     * A gate answered. Of campaigns that measure what is published: those of schedules, and those of no branch or of the gate's baseline. What a proposed change
     * fails is for those who propose it.
     */
    gateAnswered(
      { id, gateId, gate, campaignId: ofCampaign }: Pick<GateAnswer, 'id' | 'gateId' | 'gate' | 'campaignId'>,
      result: GateResult,
    ): void {
      const campaignId = rowId(ofCampaign);
      const campaign = campaigns.find(ofCampaign);
      if (campaign === undefined) return;
      const baseline = result.baseline?.branch ?? gateDefaults.branch;
      if (!isPublished(campaign, [baseline, ...publishedBranches])) return;
      answers.insertOfSites(id, worstOfSites(result));
      const scheduleId = schedules.ofCampaign(campaignId)?.id ?? null;
      const which = gateId === null ? `of ${campaign.spec.name}` : `${gateId}`;
      const subject = `gate ${scheduleId ?? '-'} ${which}`;
      const standing = alerts.standing(subject);
      if (result.outcome === 'pass' && standing !== undefined) resolve(standing, campaignId);
      if (result.outcome !== 'fail') return;
      const failing = new Set(result.checks.filter(({ outcome }) => outcome === 'fail').map(({ siteId }) => rowId(siteId)));
      see({ kind: 'gate-failed', subject, scheduleId, gateId: gateId === null ? null : rowId(gateId) }, campaignId, {
        title: `${gate === null ? 'A gate' : `Gate ${gate}`} failed: ${campaign.spec.name}`,
        words: result.words,
        since: null,
        siteIds: [...failing],
        facts: {},
      });
    },

    /** A campaign is done, and measured its sites but for these. Of campaigns that measure what is published. */
    campaignDone(campaign: Campaign, unmeasured: readonly UnmeasuredSite[]): void {
      if (!isPublished(campaign)) return;
      const campaignId = Number(campaign.id);
      const scheduleId = schedules.ofCampaign(campaignId)?.id ?? null;
      const { location, spec } = campaign;
      for (const missing of unmeasured) {
        const { site, protocols, conditions } = missing;
        const subject = `unmeasured ${scheduleId ?? '-'} ${site.id} ${location ?? '-'}`;
        const facts: UnmeasuredFacts = { location, protocols, conditions };
        see({ kind: 'site-unmeasured', subject, scheduleId, gateId: null }, campaignId, {
          title: `${site.name} could not be measured`,
          words: unmeasuredWords(missing, campaign),
          since: null,
          siteIds: [rowId(site.id)],
          facts,
        });
      }
      if (scheduleId !== null) endGatesNotAsked(scheduleId, campaignId);
      const standing = alerts.standingOf<UnmeasuredFacts>('site-unmeasured', { siteId: null, scheduleId: null });
      if (standing.length === 0) return;
      const missing = new Set(unmeasured.map(({ site }) => site.id));
      const measured = new Set(rounds.finishedAt(campaignId).map(({ siteId }) => String(siteId)));
      const conditions = spec.conditions.map(({ name }) => name);
      for (const alert of standing) {
        const siteId = alert.subject.split(' ')[2] as string;
        const { facts } = alert;
        const isSame = alert.scheduleId === scheduleId && scheduleId !== null;
        // A site that its schedule measures no more would stay for ever.
        if (isSame && !campaign.sites.some(({ id }) => id === siteId)) resolve(alert, campaignId);
        if (missing.has(siteId) || !measured.has(siteId)) continue;
        // One of no schedule is over by any campaign that measured as much from there.
        const isCovered =
          alert.scheduleId === null &&
          (facts.location === null || facts.location === location) &&
          facts.protocols.every((protocol) => spec.protocols.some((one) => one === protocol)) &&
          facts.conditions.every((condition) => conditions.includes(condition));
        if (isSame || isCovered) resolve(alert, campaignId);
      }
    },
  };
}

const maxNamed = 3;

const shareOf = ({ level, before }: Pick<WorseSeries, 'level' | 'before'>) => level / before - 1;

function seriesOf(key: string, regression: Regression, threshold: number): WorseSeries {
  const { condition, view, protocol, metric, before, level, failing, since } = regression;
  return { key, condition, view, protocol, metric, before, level, failing, since, threshold };
}

/** @param series the worst first. */
function regressionShown(siteName: string, series: readonly WorseSeries[], evidence: string | undefined) {
  const [worst] = series as [WorseSeries];
  const more = series.length - 1;
  const others = series.slice(1, 1 + maxNamed).map(regressionWords);
  return {
    title: `${siteName}: ${worseWords(worst)}${more === 0 ? '' : `, and in ${more} more ${more === 1 ? 'case' : 'cases'}`}`,
    words: [
      regressionWords(worst),
      ...(evidence === undefined ? [] : [evidence]),
      ...others,
      ...(more > others.length ? [`And ${more - others.length} more.`] : []),
    ].join(' '),
    since: worst.since,
  };
}

function worstOfSites({ checks }: GateResult): Map<number, GateOutcome> {
  const worst = new Map<number, GateOutcome>();
  for (const { siteId, outcome } of checks) {
    const before = worst.get(rowId(siteId));
    if (before === undefined || worstFirst.indexOf(outcome) < worstFirst.indexOf(before)) worst.set(rowId(siteId), outcome);
  }
  return worst;
}
