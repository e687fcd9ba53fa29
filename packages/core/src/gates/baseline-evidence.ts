// One campaign against those before it.
import { atLeastAll } from '../statistics/at-least.ts';
import { studentTCdf, studentTQuantile } from '../statistics/distributions.ts';
import { levelOf } from './level.ts';
import { type Allowed, type Alphas, allowedRatio, type Evidence, ratioEvidence } from './relation.ts';

/** From so many campaigns on, it is known what two runs of the same page differ by. */
export const fewestBaselines = 5;

/**
 * Two runs of a page that did not change differ by more than the visits within a run say: the machine, the day, the server. So the
 * campaign is the unit, as many as there are: the new one's statistic is held against the prediction interval that those before give for
 * one more of their kind, ȳ ± t(k − 1) · s · √(1 + 1/k) of their logarithms (Hahn & Meeker, Statistical Intervals, §4.7). One-sided, moved by
 * the margin: T = (z − ȳ − ln ratio) ÷ (s √(1 + 1/k)), Student with k − 1 degrees of freedom. It takes runs as normal in the logarithm,
 * and as many rounds in each: earlier campaigns are cut to the new one's number. Where a statistic is 0 there are no logarithms, and the
 * differences z − ratio · ȳ take their place.
 *
 * A statistic among loads that failed is taken as the limit of their time, or as the longest load of all these campaigns where that is more (limits
 * follow the page's size), which is the least that it is: so it can fail, and does not pass; and one end of the interval is open.
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
  const limitMs = before.reduce(atLeastAll, atLeastAll(atLeastMs, values));
  const least = (value: number) => (value === Number.POSITIVE_INFINITY ? limitMs : value);
  const z = least(measured);
  const levels = before.map((one) => levelOf(statistic, one.slice(0, values.length)).value);
  const earlier = levels.map(least);
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
  const [above, below] = exact ? [1 - notAbove, 1 - notBelow] : [notBelow, notAbove];
  const centre = logarithmic ? Math.exp(mean) : mean;
  const share = (log: number) => Math.expm1(log);
  const reach = studentTQuantile(1 - alphas.pass, k - 1) * error;
  return {
    value: centre === 0 ? null : measured / centre - 1,
    low: levels.includes(Number.POSITIVE_INFINITY) ? Number.NEGATIVE_INFINITY : logarithmic ? share(Math.log(z) - mean - reach) : null,
    high: measured === Number.POSITIVE_INFINITY ? measured : logarithmic ? share(Math.log(z) - mean + reach) : null,
    pPass: measured === Number.POSITIVE_INFINITY ? 1 : allowed.not === 'above' ? notAbove : notBelow,
    pFail: allowed.not === 'above' ? above : below,
    fewest: 1,
    // More rounds make each campaign's number better, and leave what runs differ by.
    roundsToDecide: () => null,
  };
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
