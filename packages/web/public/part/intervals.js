// One protocol against another on each compared metric: the difference with its interval, in numbers and as a picture.
import { html } from '../browser/element.js';
import { fit } from '../chart/fit.js';
import { intervalAxis, intervalAxisHeight, intervalHeight, intervalPlot, intervalRange } from '../chart/interval-plot.js';
import { confidence, percent, signed, signedPercent, unbroken } from '../text/format.js';
import { metricNames, protocolNames } from '../text/vocabulary.js';
import { pairName, questionOf, verdictMark } from './verdict.js';

/** @import { Comparison, GroupResults } from '@pronghorn/core' */
/** @import { Estimate } from '../chart/interval-plot.js' */

/**
 * Of HTTP/3 against HTTP/2; where the campaign has not both, of its first pair.
 * @param {GroupResults} group
 * @param {number} margin
 */
export function intervals(group, margin) {
  const pair = questionOf(group) ?? group.comparisons[0];
  if (pair === undefined) return null;
  const compared = group.comparisons
    .filter(({ candidate, baseline }) => candidate === pair.candidate && baseline === pair.baseline)
    .toSorted((a, b) => Number(b.confirmatory) - Number(a.confirmatory));
  const rows = compared.map((comparison) => ({ comparison, estimate: estimateOf(comparison) }));
  const range = intervalRange(
    rows.flatMap(({ estimate }) => estimate ?? []),
    margin,
  );
  const [first, second] = [protocolNames[pair.candidate], protocolNames[pair.baseline]];
  return html(
    'div',
    { class: 'intervals' },
    html('h3', {}, pairName(pair)),
    html('p', { class: 'asked' }, unbroken(legend(first, second, compared, margin))),
    html(
      'ul',
      {},
      rows.map(({ comparison, estimate }) =>
        html(
          'li',
          { class: comparison.confirmatory ? 'question' : null, 'data-metric': comparison.metric },
          html('span', { class: 'name' }, metricNames[comparison.metric].name, ' ', html('small', { class: 'role' }, roleOf(comparison))),
          fit(intervalHeight, (width) => intervalPlot({ estimate, margin, range, width })),
          html('span', { class: 'numbers' }, numbersOf(comparison), ' ', verdictMark(comparison.verdict)),
        ),
      ),
      html(
        'li',
        { class: 'scale', 'aria-hidden': 'true' },
        fit(intervalAxisHeight, (width) => intervalAxis({ range, width, lower: `${first} lower`, higher: `${first} higher` })),
      ),
    ),
  );
}

/** @param {Comparison} comparison */
export function roleOf({ confirmatory }) {
  return confirmatory ? 'primary metric' : 'explores';
}

/**
 * @param {string} first
 * @param {string} second
 * @param {readonly Comparison[]} compared
 * @param {number} margin
 */
function legend(first, second, compared, margin) {
  const inner = compared.find(({ equivalence }) => equivalence !== null)?.equivalence?.confidence;
  return [
    `How far ${first} is above or below ${second} within a round, with its ${confidence(compared[0]?.confidence ?? 0)} interval. `,
    `Shaded: the margin of ${percent(margin)} that counts as no difference`,
    inner === undefined ? '.' : `; equivalent are two whose ${confidence(inner)} interval (thick) lies inside.`,
  ].join('');
}

/**
 * The shift; where a value is 0 and has no ratio, the H3-Delta.
 * @param {Comparison} comparison
 * @returns {Estimate | null}
 */
function estimateOf({ candidate, shift, delta, equivalence }) {
  const estimate = shift ?? delta;
  if (estimate === null) return null;
  const { value, low, high } = estimate;
  const interval = low === null || high === null ? null : { low, high };
  return { protocol: candidate, value, interval, inner: shift === null ? null : equivalence };
}

/** @param {Comparison} comparison */
function numbersOf({ shift, delta, rounds }) {
  if (shift !== null) return estimateWords(signedPercent(shift.value), shift, (end) => signedPercent(end, ''), ' %');
  if (delta !== null) return estimateWords(`H3-Delta ${signed(delta.value)}`, delta, signed);
  return rounds === 0 ? 'no round has both' : 'both medians are 0';
}

/**
 * @param {string} value
 * @param {{ low: number | null, high: number | null }} ends
 * @param {(end: number) => string} format
 * @param {string} [unit]
 */
function estimateWords(value, { low, high }, format, unit = '') {
  const interval = low === null || high === null ? 'too few rounds for an interval' : `${format(low)} to ${format(high)}${unit}`;
  return html('span', {}, html('b', {}, unbroken(value)), unbroken(` (${interval})`));
}
