// The difference between two protocols from their fastest to their slowest loads, in numbers and in words.

import type { ByQuantile, Comparison } from '../schemas/comparison.ts';
import { confidenceWords, counted, listed, percent, protocolName, pWords, quantileName, shareWords } from '../text/numbers.ts';
import { metricTitle } from '../vocabulary/metric.ts';
import type { Samples } from './comparison.ts';
import { failed } from './counted-visits.ts';
import { modesOfLoads } from './modes.ts';
import { anyQuantileP, type QuantileShifts } from './quantile-shifts.ts';

type Quantile = ByQuantile['quantiles'][number];

/** @param options.level 1 − confidence of the band, also the level of p @param options.margin the largest share that counts as no difference */
export function byQuantile(
  samples: Samples,
  { shifts, bandReach }: QuantileShifts,
  { level, margin, seed }: { level: number; margin: number; seed: number },
): ByQuantile {
  const { pairs, candidateValues, baselineValues } = samples;
  const reach = bandReach(level);
  const quantiles = shifts.map(({ p, shift, se, isKnown }): Quantile => {
    const [value, low, high] = [shift, shift - reach * se, shift + reach * se].map(Math.expm1) as [number, number, number];
    return isKnown ? { p, value, low, high } : { p, value: null, low: null, high: null };
  });
  const ps = shifts.map(({ p }) => p);
  const twoModes = [candidateValues, baselineValues].some((values) => modesOfLoads(values)?.bimodal === true);
  const result = { p: anyQuantileP(pairs, ps, seed) ?? 1, quantiles, confidence: 1 - level, twoModes };
  return { ...result, words: byQuantileWords(samples, result, margin) };
}

/**
 * Whether the slow loads of two equivalent protocols are equivalent too, by two one-sided tests at the upper quartile or decile, each at
 * the level.
 * @returns null if that quantile may lie among failed loads
 */
export function slowLoads(
  { shifts, oneSidedReach }: QuantileShifts,
  level: number,
  margin: number,
): NonNullable<Comparison['equivalence']>['slowLoads'] {
  const last = shifts.at(-1);
  if (!last?.isKnown) return null;
  const reach = oneSidedReach(level) * last.se;
  const [low, high] = [last.shift - reach, last.shift + reach];
  const bound = Math.log1p(margin);
  return { p: last.p, low: Math.expm1(low), high: Math.expm1(high), within: low > -bound && high < bound };
}

type Kind = 'alike' | 'lower' | 'higher' | 'open' | 'failed';

/** Adjacent quantiles with the same finding. */
interface Stretch {
  kind: Kind;
  its: Quantile[];
}

/**
 * Differences are named if the test finds any: onLoad over HTTP/3 is within 5 % of HTTP/2 for the fastest 70 % of loads, and 40 % higher
 * for the slowest tenth.
 */
function byQuantileWords({ metric, candidate, baseline, pairs }: Samples, result: Omit<ByQuantile, 'words'>, margin: number): string {
  const { p, quantiles, confidence, twoModes } = result;
  const level = 1 - confidence;
  const isDifferent = p <= level + 1e-12;
  const kindOf = ({ low, high }: Quantile): Kind => {
    if (low === null || high === null) return 'failed';
    if (low > 1 / (1 + margin) - 1 && high < margin) return 'alike';
    if (!isDifferent || (low <= 0 && high >= 0)) return 'open';
    return high < 0 ? 'lower' : 'higher';
  };
  const stretches: Stretch[] = [];
  for (const quantile of quantiles) {
    const kind = kindOf(quantile);
    const last = stretches.at(-1);
    if (last?.kind === kind) last.its.push(quantile);
    else stretches.push({ kind, its: [quantile] });
  }
  const noun = quantiles.length > 3 ? 'decile' : 'quartile';
  const test = isDifferent
    ? `Some ${noun}s of ${metricTitle(metric)} differ (${pWords(p, level)})`
    : `No ${noun} of ${metricTitle(metric)} is shown to differ (${pWords(p, level)})`;
  const decided = stretches.filter(({ kind }) => kind !== 'open' && kind !== 'failed');
  const words = decided.map((stretch) => stretchWords(stretch, quantiles, margin, protocolName(baseline)));
  const isOpen = stretches.some(({ kind }) => kind === 'open');
  const clauses = [
    decided.length === 0
      ? isDifferent
        ? 'which ones remains open'
        : ''
      : `over ${protocolName(candidate)} it is ${listed(words)}${isOpen ? '; elsewhere it remains open' : ''}`,
  ].filter((clause) => clause !== '');
  const sentence = `${[test, ...clauses].join(': ')}.`;
  const unknown = quantiles.find(({ value }) => value === null);
  const failures = pairs.filter((pair) => pair.candidate === failed || pair.baseline === failed).length;
  const hidden =
    unknown === undefined
      ? ''
      : ` From the ${quantileName(unknown.p)} on it isn’t known: in ${failures} of ${counted(pairs.length, 'round')} a visit failed.`;
  const modes =
    twoModes && decided.length > 0
      ? ` Times have two modes, so that the band may hold in 80 to 90 % of campaigns alone, not in ${confidenceWords(confidence)}.`
      : '';
  return `${sentence}${hidden}${modes}`;
}

function stretchWords({ kind, its }: Stretch, all: readonly Quantile[], margin: number, other: string): string {
  const where = placeWords(its, all, kind === 'alike');
  if (kind === 'alike') return `within ${percent(margin)} of ${other} ${where}`;
  const sizes = its.map(({ value }) => Math.abs(value ?? 0));
  const [least, most] = [shareWords(Math.min(...sizes)), shareWords(Math.max(...sizes))];
  return `${least === most ? most : `${least.replace(' %', '')} to ${most}`} ${kind} ${where}`;
}

/**
 * Such as: for the fastest 70 % of loads. A finding at a quantile and all below it applies to the loads up to it. But a finding of no
 * difference at the last one does not cover the loads beyond: a slow tenth lies there.
 */
function placeWords(its: readonly Quantile[], all: readonly Quantile[], areAlike: boolean): string {
  const [from, to] = [its[0]?.p ?? 0, its.at(-1)?.p ?? 1];
  const [isFirst, isLast] = [from === all[0]?.p, to === all.at(-1)?.p];
  if (isFirst && isLast) return `at every ${all.length > 3 ? 'decile' : 'quartile'}`;
  if (isFirst) return `for the fastest ${partWords(to)} of visits`;
  if (isLast && !areAlike) return `for the slowest ${partWords(1 - from)} of visits`;
  return from === to ? `at the ${quantileName(from)}` : `from the ${quantileName(from)} to the ${quantileName(to)}`;
}

function partWords(share: number): string {
  const percents = Math.round(100 * share);
  return { 10: 'tenth', 20: 'fifth', 25: 'quarter', 50: 'half' }[percents] ?? `${percents} %`;
}
