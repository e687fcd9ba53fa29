// When there is an alert, and when it is over: what campaigns find is stored until a later one is fine, whoever is notified.
import { gateDefaults } from '@pronghorn/core/campaign';
import type { Campaign, GateAnswer, GateResult, Regression } from '@pronghorn/core/schemas';
import { regressionWords, worseWords } from '@pronghorn/core/text';
import { cellKey, type GateOutcome } from '@pronghorn/core/vocabulary';
import { rowId } from '../../../storage/page.ts';
import type { Tables } from '../../../store/tables.ts';
import type { StandingAlert } from '../../../tables/alerts-repository.ts';
import { isPublished, publishedBranches } from '../../../tables/campaigns-repository.ts';
import { worstFirst } from '../../../tables/gates-repository.ts';
import { unmeasuredWords } from '../notifications/messages.ts';
import type { Night } from '../schedules/regression-watch.ts';
import type { UnmeasuredSite } from '../visits/unmeasured-sites.ts';

/** A series of medians that got worse, and is not back. */
export type WorseSeries = Pick<Regression, 'condition' | 'view' | 'protocol' | 'metric' | 'before' | 'level' | 'since'> & {
  /** What its medians are stored under. */
  key: string;
  /** How far above `before` it is still worse, as a share of it. */
  limit: number;
};
export type RegressionFacts = { series: WorseSeries[] };
/** A regression that was found, and what its medians are stored under. */
export type FoundRegression = { key: string; regression: Regression };

type UnmeasuredFacts = { location: string | null; protocols: string[]; conditions: string[] };

type Parts = Pick<Tables, 'timeNow' | 'alerts' | 'answers' | 'campaigns' | 'nights' | 'rounds' | 'schedules'>;

/** Its functions are parts of a transaction. */
export function createAlerting({ timeNow, alerts, answers, campaigns, nights, rounds, schedules }: Parts) {
  type Alert = Parameters<typeof alerts.insert>[0];
  type Shown = Pick<Parameters<typeof alerts.see>[1], 'title' | 'words' | 'since' | 'siteIds'>;

  /** A campaign shows what is wrong: for the first time, or again. @param isWorse whether it is more than what was acknowledged. */
  function see(alert: Alert, campaignId: number, facts: unknown, shown: Shown, isWorse = false): void {
    if (alerts.newestOf(alert.subject) > campaignId) return; // of an older campaign that ended later
    const standing = alerts.standing(alert.subject);
    const id = standing?.id ?? alerts.insert(alert, facts, campaignId);
    if (standing !== undefined) alerts.judge(id, campaignId, facts);
    if (standing?.isAcknowledged && isWorse) alerts.acknowledge(id, null, null);
    alerts.see(id, { campaignId, ...shown }, timeNow());
  }

  function resolve({ id, subject }: Pick<StandingAlert<unknown>, 'id' | 'subject'>, campaignId: number): void {
    if (alerts.newestOf(subject) <= campaignId) alerts.resolve(id, timeNow(), campaignId);
  }

  /** The latest median of a series before a campaign. */
  function medianBefore(scheduleId: number, campaignId: number, key: string): number | undefined {
    const before = nights.before(scheduleId, campaignId, lookedBack).reverse();
    for (const id of before) {
      const median = nights.medians(id).get(key);
      if (median !== undefined) return median;
    }
    return undefined;
  }

  /** What a worse series is in a later campaign: worse still, or back to where it was (twice in a row), or measured in another way or not at all since. */
  function judgeSeries(scheduleId: number, siteId: string, { campaign, medians, places }: Night, worse: WorseSeries) {
    const { key, condition, view, protocol, before, limit } = worse;
    const { spec, sites } = campaign;
    const isAsked =
      sites.some(({ id }) => id === siteId) &&
      spec.conditions.some(({ name }) => name === condition) &&
      spec.views.includes(view) &&
      spec.protocols.includes(protocol);
    if (!isAsked) return 'over';
    const latest = medians.get(key);
    if (latest === undefined) {
      const isOtherwise = [...places].some(
        ([other, at]) =>
          medians.has(other) && at.siteId === siteId && cellKey(at) === cellKey({ siteId, condition, view }) && at.protocol === protocol,
      );
      return isOtherwise ? 'over' : 'unknown';
    }
    if (latest > before * (1 + limit)) return 'worse';
    return (medianBefore(scheduleId, Number(campaign.id), key) ?? 0) > before * (1 + limit) ? 'unknown' : 'over';
  }

  function judgeSite(scheduleId: number, siteId: string, night: Night, found: readonly FoundRegression[]): void {
    const alert = { kind: 'regression' as const, subject: `regression ${scheduleId} ${siteId}`, scheduleId, gateId: null };
    const campaignId = Number(night.campaign.id);
    const threshold = schedules.find(scheduleId)?.spec.regressionThreshold ?? 0;
    const standing = alerts.standing<RegressionFacts>(alert.subject);
    let [isSeen, isWorse] = [found.length > 0, false];
    const kept = (standing?.facts.series ?? []).flatMap((worse): WorseSeries[] => {
      const again = found.find(({ key }) => key === worse.key);
      if (again !== undefined) {
        // Found again, from a later campaign on and by as much as matters: a step on top of the first.
        const isStep =
          Number(again.regression.since.campaignId) > Number(worse.since.campaignId) &&
          again.regression.level >= worse.level * (1 + threshold);
        if (isStep) isWorse = true;
        return [isStep ? seriesOf(again, threshold) : { ...worse, level: again.regression.level }];
      }
      const now = judgeSeries(scheduleId, siteId, night, worse);
      if (now === 'over') return [];
      if (now === 'unknown') return [worse];
      isSeen = true;
      const latest = night.medians.get(worse.key) ?? worse.level;
      const middle = Math.sqrt(latest * (medianBefore(scheduleId, campaignId, worse.key) ?? latest));
      return [{ ...worse, level: middle > worse.before ? middle : latest }];
    });
    const isKnown = (key: string) => kept.some((worse) => worse.key === key);
    const added = found.filter(({ key }) => !isKnown(key)).map((one) => seriesOf(one, threshold));
    const series = [...kept, ...added].sort((one, other) => shareOf(other) - shareOf(one));
    const [worst] = series;
    if (worst === undefined) {
      if (standing !== undefined) resolve(standing, campaignId);
      return;
    }
    if (isSeen) {
      const siteName = night.campaign.sites.find(({ id }) => id === siteId)?.name ?? siteId;
      const evidence = found.find(({ key }) => key === worst.key)?.regression.evidence;
      const more = series.length - 1;
      const others = series.slice(1, 1 + maxNamed).map(regressionWords);
      see(
        alert,
        campaignId,
        { series } satisfies RegressionFacts,
        {
          title: `${siteName}: ${worseWords(worst)}${more === 0 ? '' : `, and ${more} more`}`,
          words: [
            regressionWords(worst),
            ...(evidence === undefined ? [] : [evidence]),
            ...others,
            ...(more > others.length ? [`And ${more - others.length} more.`] : []),
          ].join(' '),
          since: worst.since,
          siteIds: [rowId(siteId)],
        },
        isWorse || added.length > 0,
      );
    } else if (standing !== undefined && alerts.newestOf(alert.subject) <= campaignId) {
      alerts.judge(standing.id, campaignId, { series } satisfies RegressionFacts);
    }
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
    nightJudged(scheduleId: number, night: Night, found: readonly FoundRegression[]): void {
      if (night.medians.size === 0) return;
      const ofSites = Map.groupBy(found, ({ regression }) => regression.siteId);
      const standing = alerts.standingOf<RegressionFacts>('regression', { siteId: null, scheduleId });
      const siteIds = new Set([...ofSites.keys(), ...standing.map(({ subject }) => subject.split(' ').at(-1) as string)]);
      for (const siteId of siteIds) judgeSite(scheduleId, siteId, night, ofSites.get(siteId) ?? []);
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
      see(
        { kind: 'gate-failed', subject, scheduleId, gateId: gateId === null ? null : rowId(gateId) },
        campaignId,
        {},
        {
          title: `${gate === null ? 'A gate' : `Gate ${gate}`} failed: ${campaign.spec.name}`,
          words: result.words,
          since: null,
          siteIds: [...failing],
        },
      );
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
        see({ kind: 'site-unmeasured', subject, scheduleId, gateId: null }, campaignId, facts, {
          title: `${site.name} could not be measured`,
          words: unmeasuredWords(missing, campaign),
          since: null,
          siteIds: [rowId(site.id)],
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

/** Nights in which a series may be missing until its last median is too old to go by. */
const lookedBack = 5;
const maxNamed = 3;

const shareOf = ({ level, before }: Pick<WorseSeries, 'level' | 'before'>) => level / before - 1;

/** Back is what lost half of its step, and is no more above than matters. */
function seriesOf({ key, regression }: FoundRegression, threshold: number): WorseSeries {
  const { condition, view, protocol, metric, before, level, since } = regression;
  return { key, condition, view, protocol, metric, before, level, since, limit: Math.min(threshold, shareOf(regression) / 2) };
}

function worstOfSites({ checks }: GateResult): Map<number, GateOutcome> {
  const worst = new Map<number, GateOutcome>();
  for (const { siteId, outcome } of checks) {
    const before = worst.get(rowId(siteId));
    if (before === undefined || worstFirst.indexOf(outcome) < worstFirst.indexOf(before)) worst.set(rowId(siteId), outcome);
  }
  return worst;
}
