// By how much one protocol differs from another, in the words of the metric: the page finishes loading 96 ms (9.2 %) sooner.
import type { Comparison } from '../schemas/comparison.ts';
import type { MetricName } from '../schemas/metrics.ts';
import { metricTitle } from '../vocabulary/metric.ts';
import { changeWords, confidenceWords, endsOf, estimatedValue, intervalWords, protocolName, type Sides, shareWords } from './numbers.ts';

/** What a difference is told by, of a comparison. */
export type Difference = Pick<
  Comparison,
  'metric' | 'candidate' | 'baseline' | 'shift' | 'shiftAtMedian' | 'shiftConfidence' | 'signedRank'
>;

/**
 * The whole of it, as a part of a sentence: the page finishes loading 96 ms (9.2 %) sooner over HTTP/3 than over HTTP/2; 95 % sure it is 4.2 to 11 %.
 *
 * The per cent are the shift, which verdict and interval are of; the milliseconds are `shiftAtMedian`, so that the two can't contradict each other.
 * Where there are none, the per cent stand alone.
 */
export function differenceWords(difference: Difference): string {
  const { metric, candidate, baseline } = difference;
  const sure = sureWords(difference);
  const claim = `${subjectOf(metric)} ${amountWords(difference)} over ${protocolName(candidate)} than over ${protocolName(baseline)}`;
  return sure === null ? claim : `${claim}; ${sure}`;
}

/** Of the candidate, without the protocols: 96 ms (9.2 %) sooner; 95 % sure it is 4.2 to 11 %. Null where there is no shift. */
export function foundWords(difference: Difference): string | null {
  if (difference.shift === null) return null;
  return [amountWords(difference), sureWords(difference)].filter((words) => words !== null).join('; ');
}

/** 96 ms (9.2 %) sooner: of the candidate. A shift that is not known, since a value is 0, has its side alone. */
export function amountWords(difference: Difference): string {
  const { metric, shift, signedRank } = difference;
  const [below, above] = sidesOf(metric);
  if (shift === null) return (signedRank?.rankBiserial ?? 0) < 0 ? below : above;
  const size = sizeWords(difference);
  const share = estimatedValue(shift);
  return size === null ? changeWords(share, [below, above]) : `${size} ${share < 0 ? below : above}`;
}

/** 96 ms (9.2 %), without its side; null where there is no shift, or none with an end. */
export function sizeWords({ shift, shiftAtMedian }: Pick<Difference, 'shift' | 'shiftAtMedian'>): string | null {
  if (shift?.value == null) return null;
  const share = shareWords(shift.value);
  return shiftAtMedian === null ? share : `${millisecondWords(shiftAtMedian)} (${share})`;
}

/**
 * 95 % sure it is 4.2 to 11 %; where it may be either: between 2 % sooner and 3 % later. The confidence is the one at which the verdict was judged.
 * @returns null where too few rounds can reach it, and where both ends are unbounded
 */
export function sureWords({ metric, shift, shiftConfidence }: Difference): string | null {
  const ends = shift && endsOf(shift);
  if (shift === null || ends === null || !ends.some(Number.isFinite)) return null;
  const isOneSided = ends.every((end) => Math.sign(end) === Math.sign(estimatedValue(shift)));
  return `${confidenceWords(shiftConfidence)} sure it is ${intervalWords(...ends, isOneSided ? ['', ''] : sidesOf(metric))}`;
}

/** What stands before the amount, where it is not “… is”; of a time that is the moment of something the amount is then sooner or later. */
const moments: Partial<Record<MetricName, string>> = {
  onLoad: 'the page finishes loading',
  loadEventEnd: 'the load event ends',
  domContentLoaded: 'DOMContentLoaded comes',
  ttfb: 'the first byte comes',
  documentHeaders: 'the document’s headers come',
  firstPaint: 'the first paint comes',
  firstContentfulPaint: 'First Contentful Paint comes',
  largestContentfulPaint: 'Largest Contentful Paint comes',
  firstVisualChange: 'the first visual change comes',
  lastVisualChange: 'the last visual change comes',
  linkedDownload: 'all linked assets are there',
};

const subjectOf = (metric: MetricName): string => moments[metric] ?? `${metricTitle(metric)} is`;
const sidesOf = (metric: MetricName): Sides => (metric in moments ? ['sooner', 'later'] : ['lower', 'higher']);

/** 0.63 ms, 96 ms, 1.23 s. */
function millisecondWords(ms: number): string {
  const size = Math.abs(ms);
  if (size >= 999.5) return `${Number((size / 1000).toPrecision(3))} s`;
  return `${size < 9.95 ? Number(size.toPrecision(2)) : Math.round(size)} ms`;
}
