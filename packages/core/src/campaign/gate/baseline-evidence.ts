// The evidence of one campaign against earlier campaigns.

import { studentTCdf, studentTQuantile } from '../../math/probability.ts';
import { conditionKey } from '../../network/shaping.ts';
import type { CampaignSpec, Site } from '../../schemas/campaign.ts';
import type { GateResult } from '../../schemas/gate-answer.ts';
import { type Allowed, allowedRatio } from '../../text/assertion.ts';
import { atLeastAll } from '../../verdict/counted-visits.ts';
import { medianLost } from '../../verdict/parity.ts';
import { latestPairP } from '../../verdict/regression.ts';
import { cellKey } from '../../vocabulary/cell.ts';
import { firstLook, type Measurements, valuesOf } from '../measured/measured.ts';
import { lossWords, unmeasuredDoubt } from './gate-doubts.ts';
import type { GateQuestion } from './gate-questions.ts';
import { levelOf } from './level.ts';
import { type Alphas, type Evidence, ratioEvidence } from './relation.ts';

/** From this many campaigns on, the normal difference between two runs of a page is known. */
export const minBaselines = 5;

/**
 * Two runs of an unchanged page differ by more than the visits within a run show: by the machine, the day, the server. So the unit is the
 * campaign: the new one's statistic is compared with the prediction interval that the earlier ones give for one more of their kind, ȳ ± t(k
 * − 1) · s · √(1 + 1/k) of their logarithms (Hahn & Meeker, Statistical Intervals, §4.7). One-sided, moved by the margin: T = (z − ȳ − ln
 * ratio) ÷ (s √(1 + 1/k)), Student with k − 1 degrees of freedom. It assumes that runs are normal in the logarithm, with the same number of
 * rounds: earlier campaigns are cut to the new one's number. If a statistic is 0 it has no logarithm, and the differences z − ratio · ȳ are
 * used instead.
 *
 * That is enough to pass: runs that are slow by a lot and fast by a little widen the interval. It is not enough to fail, which needs two
 * runs (`pairP`).
 *
 * A statistic among failed loads is taken as the limit of their time, or as the longest load of all these campaigns if that is longer
 * (limits follow the page's size), which is its lower bound; it does not pass, and one end of the interval is open.
 *
 * @param before at least two campaigns' values, newest first, each in the order of its rounds. @param atLeastMs that limit.
 */
export function predictionEvidence(
  statistic: string,
  values: readonly number[],
  before: readonly (readonly number[])[],
  allowed: Allowed,
  alphas: Alphas,
  atLeastMs: number,
): Evidence {
  const ratio = allowedRatio(allowed);
  const measured = levelOf(statistic, values).value;
  const [z, ...earlier] = levelsOf(statistic, [values, ...before], atLeastMs) as [number, ...number[]];
  const k = earlier.length;
  const logarithmic = z > 0 && earlier.every((value) => value > 0);
  const scaled = logarithmic ? earlier.map(Math.log) : earlier;
  const mean = scaled.reduce((sum, value) => sum + value, 0) / k;
  const deviation = Math.sqrt(scaled.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (k - 1));
  const difference = logarithmic ? Math.log(z) - mean - Math.log(ratio) : z - ratio * mean;
  const error = deviation * Math.sqrt(logarithmic ? 1 + 1 / k : 1 + ratio ** 2 / k);
  // Campaigns that are all equal, such as by their number of requests, predict the same again.
  const exact = Math.abs(deviation) <= 1e-12 * Math.max(1, Math.abs(mean));
  const within = Math.abs(difference) <= 1e-12 * Math.max(1, Math.abs(mean)) ? 0 : difference;
  const notAbove = exact ? (within <= 0 ? 0 : 1) : studentTCdf(difference / error, k - 1);
  const notBelow = exact ? (within >= 0 ? 0 : 1) : 1 - notAbove;
  const centre = logarithmic ? Math.exp(mean) : mean;
  const share = (log: number) => Math.expm1(log);
  const reach = studentTQuantile(1 - alphas.pass, k - 1) * error;
  const isOpen = before.some((one) => levelOf(statistic, one.slice(0, values.length)).value === Number.POSITIVE_INFINITY);
  return {
    value: centre === 0 ? null : measured / centre - 1,
    low: isOpen ? Number.NEGATIVE_INFINITY : logarithmic ? share(Math.log(z) - mean - reach) : null,
    high: measured === Number.POSITIVE_INFINITY ? measured : logarithmic ? share(Math.log(z) - mean + reach) : null,
    pPass: measured === Number.POSITIVE_INFINITY ? 1 : allowed.not === 'above' ? notAbove : notBelow,
    // A single run never fails.
    pFail: 1,
    minRounds: 1,
    // More rounds improve each campaign's number, but not the difference between runs.
    roundsToDecide: () => null,
  };
}

/** The statistic of each run, cut to the same number of rounds; for one among failed loads, its lower bound. */
function levelsOf(statistic: string, runs: readonly (readonly number[])[], atLeastMs: number): number[] {
  const rounds = runs[0]?.length ?? 0;
  const limitMs = runs.reduce(atLeastAll, atLeastMs);
  return runs
    .map((one) => levelOf(statistic, one.slice(0, rounds)).value)
    .map((value) => (value === Number.POSITIVE_INFINITY ? limitMs : value));
}

/** Two runs of a page and the earlier ones, one number each; higher is worse, and a number that is just allowed equals the earlier ones. */
export interface TwoRuns {
  /** One for each earlier campaign, by index; undefined: it has none. */
  earlier: readonly (number | undefined)[];
  latest: readonly [other: number, its: number];
}

/**
 * @param values of the run. @param other of the other run. @param before of each earlier campaign, by index.
 */
export function twoRunsOf(
  statistic: string,
  values: readonly number[],
  other: readonly number[],
  before: readonly (readonly number[] | undefined)[],
  allowed: Allowed,
  atLeastMs: number,
): TwoRuns {
  const rounds = Math.min(values.length, other.length);
  const known = before.filter((one) => one !== undefined);
  const [its = 0, others = 0, ...levels] = levelsOf(statistic, [values.slice(0, rounds), other, ...known], atLeastMs);
  const ratio = allowedRatio(allowed);
  const latest = [others / ratio, its / ratio] as const;
  const all = [...levels, ...latest];
  const sign = allowed.not === 'above' ? 1 : -1;
  const largest = Math.max(...all) || 1;
  // A value of 0 has no logarithm: its share of the largest is used instead.
  const inOrder = (value: number) => (all.every((one) => one > 0) ? value ** sign : Math.exp((sign * value) / largest));
  const next = levels.values();
  return {
    earlier: before.map((one) => (one === undefined ? undefined : inOrder(next.next().value as number))),
    latest: [inOrder(latest[0]), inOrder(latest[1])],
  };
}

/** Whether a run is worse than all earlier ones by more than is allowed. If not, no second run makes it fail. */
export const isBeyondAll = ({ earlier }: Pick<TwoRuns, 'earlier'>, one: number): boolean =>
  earlier.every((value) => value === undefined || one > value * (1 + 1e-12));

/**
 * p of each check: that both runs are this far above the earlier ones although the assertion holds. Then runs are interchangeable, and any
 * two of them are equally likely to be the most extreme, whatever their distribution; corrected for all checks (`latestPairP`). Two runs
 * that are more alike than others, because they are from the same hour, are the extreme pair more often (docs/gates.md has figures).
 *
 * @param checks null: can't fail. @param minEarlier earlier campaigns that a check needs to fail.
 * @returns 1 for the others, and if too few campaigns have all of these checks.
 */
export function pairP(checks: readonly (TwoRuns | null)[], minEarlier: number): number[] {
  const able = checks.flatMap((check, place) =>
    check !== null && check.earlier.filter((value) => value !== undefined).length >= minEarlier ? [{ check, place }] : [],
  );
  const runs =
    able[0]?.check.earlier.map((_, run) => run).filter((run) => able.every(({ check }) => check.earlier[run] !== undefined)) ?? [];
  const ps = checks.map(() => 1);
  if (runs.length < minEarlier) return ps;
  const adjusted = latestPairP(
    able.map(({ check }) => ({ medians: [...runs.map((run) => check.earlier[run] as number), ...check.latest] })),
  );
  for (const [i, { place }] of able.entries()) ps[place] = adjusted[i] as number;
  return ps;
}

/** With fewer earlier campaigns no two runs can fail at this level. */
export function minToFail(level: number): number {
  let runs = minBaselines;
  while (2 / ((runs + 2) * (runs + 1)) > level) runs++;
  return runs;
}

/**
 * With fewer campaigns the difference between runs is not known yet: the visits of the newest earlier one are compared with these, and a
 * worse result is not called a failure, because another run of the same page may be just as bad.
 */
export function twoCampaignsEvidence(
  statistic: string,
  values: readonly number[],
  before: readonly number[],
  allowed: Allowed,
  alphas: Alphas,
): Evidence {
  return ratioEvidence(levelOf(statistic, values), levelOf(statistic, before), allowed, alphas);
}

/** The values of an earlier run of the same page. */
export interface EarlierValues {
  values: number[];
  /** Objects missing in its median visit. */
  lost: number;
}

/** For each question about a baseline, by index, the values of each earlier campaign; newest first. */
export function valuesBefore(
  questions: readonly GateQuestion[],
  campaign: Measurements['campaign'],
  baselines: Iterable<Measurements>,
): { before: (EarlierValues | undefined)[][]; used: NonNullable<GateResult['baseline']>['campaigns'] } {
  const before = questions.map((): (EarlierValues | undefined)[] => []);
  const used: NonNullable<GateResult['baseline']>['campaigns'] = [];
  for (const earlier of baselines) {
    const values = valuesIn(questions, campaign, earlier);
    if (values.every((one) => one === undefined)) continue;
    for (const [i, one] of values.entries()) before[i]?.push(one);
    const { id, createdAt, annotations } = earlier.campaign;
    used.push({ campaignId: id, createdAt, commit: annotations.commit ?? null });
  }
  return { before, used };
}

/** For each question about a baseline, the values of another campaign; undefined: none, or unfit ones. */
export function valuesIn(
  questions: readonly GateQuestion[],
  campaign: Measurements['campaign'],
  earlier: Measurements,
): (EarlierValues | undefined)[] {
  const { cells } = firstLook(earlier);
  return questions.map(({ assertion, site, condition, view, protocol }) => {
    if (assertion.kind !== 'baseline' || !sameCondition(condition, campaign.spec, earlier.campaign.spec)) return undefined;
    const siteId = sameSite(site, earlier.campaign.sites);
    const cell = siteId === undefined ? undefined : cells.get(cellKey({ siteId, condition, view }));
    if (cell === undefined || cell.linkDoubt !== null || unmeasuredDoubt(cell, protocol) !== null) return undefined;
    const values = valuesOf(cell.side(protocol, assertion.metric));
    if (values.length === 0 || lossWords(cell, assertion.metric, protocol, values.length) !== null) return undefined;
    return { values, lost: medianLost(cell, cell.rounds.places, protocol) };
  });
}

/** The same page, or one of the same name: a preview of a change has another address. */
export function sameSite({ url, name, expectStatus }: Site, sites: readonly Site[]): string | undefined {
  const alike = sites.filter((site) => site.expectStatus === expectStatus);
  return (alike.find((site) => site.url === url) ?? alike.find((site) => site.name === name))?.id;
}

/** Whether both have a condition with this name and the same numbers. */
export function sameCondition(name: string, one: CampaignSpec, other: CampaignSpec): boolean {
  const [a, b] = [one, other].map(({ conditions }) => conditions.find((condition) => condition.name === name));
  return a !== undefined && b !== undefined && conditionKey(a) === conditionKey(b);
}
