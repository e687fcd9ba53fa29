// One campaign against those before it.

import { studentTCdf, studentTQuantile } from '../../math/probability.ts';
import { conditionKey } from '../../network/shaping.ts';
import type { CampaignSpec, Site } from '../../schemas/campaign.ts';
import type { GateResult } from '../../schemas/gate-answer.ts';
import { type Allowed, allowedRatio } from '../../text/assertion.ts';
import { atLeastAll } from '../../verdict/counted-visits.ts';
import { medianLost } from '../../verdict/parity.ts';
import { latestPairP } from '../../verdict/regression.ts';
import { cellKey } from '../../vocabulary/cell.ts';
import { firstLook, type Measurements, valuesOf } from '../measured.ts';
import { lossWords, unmeasuredDoubt } from './gate-doubts.ts';
import type { GateQuestion } from './gate-questions.ts';
import { levelOf } from './level.ts';
import { type Alphas, type Evidence, ratioEvidence } from './relation.ts';

/** From so many campaigns on, it is known what two runs of the same page differ by. */
export const minBaselines = 5;

/**
 * Two runs of a page that did not change differ by more than the visits within a run say: the machine, the day, the server. So the
 * campaign is the unit, as many as there are: the new one's statistic is held against the prediction interval that those before give for
 * one more of their kind, ȳ ± t(k − 1) · s · √(1 + 1/k) of their logarithms (Hahn & Meeker, Statistical Intervals, §4.7). One-sided, moved by
 * the margin: T = (z − ȳ − ln ratio) ÷ (s √(1 + 1/k)), Student with k − 1 degrees of freedom. It takes runs as normal in the logarithm,
 * and as many rounds in each: earlier campaigns are cut to the new one's number. Where a statistic is 0 there are no logarithms, and the
 * differences z − ratio · ȳ take their place.
 *
 * That is enough to pass: runs that are slow by much and fast by little make the interval wide. It is not enough to fail, which takes two runs (`pairP`).
 *
 * A statistic among loads that failed is taken as the limit of their time, or as the longest load of all these campaigns where that is more (limits
 * follow the page's size), which is the least that it is; it does not pass, and one end of the interval is open.
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
  // Campaigns that are all alike, such as by their number of requests, foretell the same again.
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
    // One run fails nothing.
    pFail: 1,
    fewest: 1,
    // More rounds make each campaign's number better, and leave what runs differ by.
    roundsToDecide: () => null,
  };
}

/** The statistic of each run, cut to as many rounds; of one that lies among failed loads the least that it is. */
function levelsOf(statistic: string, runs: readonly (readonly number[])[], atLeastMs: number): number[] {
  const rounds = runs[0]?.length ?? 0;
  const limitMs = runs.reduce(atLeastAll, atLeastMs);
  return runs
    .map((one) => levelOf(statistic, one.slice(0, rounds)).value)
    .map((value) => (value === Number.POSITIVE_INFINITY ? limitMs : value));
}

/** Two runs of a page and those before them, by one number each; what is worse is higher, and what is just allowed is as those before. */
export interface TwoRuns {
  /** Of each campaign before, by its place; undefined: it has none. */
  earlier: readonly (number | undefined)[];
  latest: readonly [other: number, its: number];
}

/**
 * @param values of the run. @param other of the other run. @param before of each campaign before, by its place.
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
  // What may be 0 has no logarithm: its share of the largest takes that place.
  const inOrder = (value: number) => (all.every((one) => one > 0) ? value ** sign : Math.exp((sign * value) / largest));
  const next = levels.values();
  return {
    earlier: before.map((one) => (one === undefined ? undefined : inOrder(next.next().value as number))),
    latest: [inOrder(latest[0]), inOrder(latest[1])],
  };
}

/** Whether a run is worse than all before it by more than is allowed: what is not, no second run makes a failure. */
export const isBeyondAll = ({ earlier }: Pick<TwoRuns, 'earlier'>, one: number): boolean =>
  earlier.every((value) => value === undefined || one > value * (1 + 1e-12));

/**
 * p of each check: that both runs are so far above those before, though what is asserted holds. No run is told from another then, so that any two of them
 * would be as likely the most extreme; however they are distributed, and corrected for all checks (`latestPairP`). Two runs that are more alike than others,
 * since they are of one hour, are likelier that (docs/gates.md has figures).
 *
 * @param checks null: can't fail. @param fewest campaigns before it of each that can.
 * @returns 1 of the others, and where too few campaigns have all of these checks.
 */
export function pairP(checks: readonly (TwoRuns | null)[], fewest: number): number[] {
  const able = checks.flatMap((check, place) =>
    check !== null && check.earlier.filter((value) => value !== undefined).length >= fewest ? [{ check, place }] : [],
  );
  const runs =
    able[0]?.check.earlier.map((_, run) => run).filter((run) => able.every(({ check }) => check.earlier[run] !== undefined)) ?? [];
  const ps = checks.map(() => 1);
  if (runs.length < fewest) return ps;
  const adjusted = latestPairP(
    able.map(({ check }) => ({ medians: [...runs.map((run) => check.earlier[run] as number), ...check.latest] })),
  );
  for (const [i, { place }] of able.entries()) ps[place] = adjusted[i] as number;
  return ps;
}

/** Of fewer campaigns before them no two runs can fail at this level. */
export function fewestToFail(level: number): number {
  let runs = minBaselines;
  while (2 / ((runs + 2) * (runs + 1)) > level) runs++;
  return runs;
}

/**
 * With fewer campaigns than that nobody knows what runs differ by: the visits of the newest one before are compared with these, and what is
 * worse is not called a failure, since another run of the same page may be as much worse.
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

/** What an earlier run of the same page gave. */
export interface EarlierValues {
  values: number[];
  /** Objects that its median visit lacked. */
  lost: number;
}

/** Of each question about a baseline, by its place, what each earlier campaign has of it; newest first. */
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

/** Of each question about a baseline what another campaign has of it; undefined: nothing, or nothing fit. */
export function valuesIn(
  questions: readonly GateQuestion[],
  campaign: Measurements['campaign'],
  earlier: Measurements,
): (EarlierValues | undefined)[] {
  const cells = firstLook(earlier);
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

/** The same page, or one of the same name: a preview of a change has another address than what it is a change of. */
export function sameSite({ url, name, expectStatus }: Site, sites: readonly Site[]): string | undefined {
  const alike = sites.filter((site) => site.expectStatus === expectStatus);
  return (alike.find((site) => site.url === url) ?? alike.find((site) => site.name === name))?.id;
}

/** Whether both have a condition of this name, with the same numbers. */
export function sameCondition(name: string, one: CampaignSpec, other: CampaignSpec): boolean {
  const [a, b] = [one, other].map(({ conditions }) => conditions.find((condition) => condition.name === name));
  return a !== undefined && b !== undefined && conditionKey(a) === conditionKey(b);
}
