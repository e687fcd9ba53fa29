// All comparisons of a group in numbers, with what each column means.
import { html } from '../browser/element.js';
import { pValue, signed, signedNumber, signedPercent, unbroken } from '../text/format.js';
import { verdictParts } from '../text/sentence.js';
import { metricNames } from '../text/vocabulary.js';
import { roleOf } from './intervals.js';
import { scrollable } from './summary-table.js';
import { pairName, verdictMark } from './verdict.js';

/** @import { Comparison } from '@pronghorn/core' */
/** @import { Child } from '../browser/element.js' */

/**
 * @typedef {object} Column
 * @property {string} title
 * @property {string} means
 * @property {(comparison: Comparison) => Child | readonly Child[]} cell
 */
/** @type {readonly Column[]} */
const columns = [
  {
    title: 'metric',
    means:
      'The primary metric, HTTP/3 against HTTP/2, is the question that was fixed before the campaign. Every other comparison explores: it may suggest a question for the next campaign.',
    cell: (comparison) => [metricNames[comparison.metric].name, html('small', { class: 'role' }, roleOf(comparison))],
  },
  {
    title: 'verdict',
    means: 'What follows from the rest, by the API; with what speaks against naming a winner.',
    cell: ({ verdict }) => [verdictMark(verdict), ...verdictParts(verdict).doubts.map(small)],
  },
  {
    title: 'rounds',
    means: 'In which both protocols have a number.',
    cell: ({ rounds }) => String(rounds),
  },
  {
    title: 'H3-Delta',
    means:
      '(median of the first − median of the second) ÷ the larger, of all visits; other pairs than HTTP/3 and HTTP/2 by the same formula. Interval by a bootstrap of whole rounds.',
    cell: ({ delta }) => estimate(delta, signed),
  },
  {
    title: 'median difference',
    means: 'Median of the first − median of the second, of all visits. Interval by a bootstrap of whole rounds.',
    cell: ({ metric, medianDifference }) => estimate(medianDifference, (value) => signedNumber(value, metricNames[metric].unit), ' ms'),
  },
  {
    title: 'shift',
    means:
      'How much the first is above (+) or below (−) the second within a round, as a share of the second (Hodges–Lehmann), with the interval of the signed-rank test. None where a value is 0.',
    cell: ({ shift }) => estimate(shift, (value) => signedPercent(value, ''), ' %'),
  },
  {
    title: 'p',
    means: 'Of Wilcoxon’s signed-rank test on rounds, two-sided: how often chance alone would show as much, if there was no difference.',
    cell: ({ signedRank }) => (signedRank ? pValue(signedRank.p) : '–'),
  },
  {
    title: 'corrected p',
    means:
      'The same, corrected for all sites, conditions and views of the campaign in which this pair is compared on this metric. This one decides.',
    cell: ({ signedRank }) => (signedRank ? pValue(signedRank.adjustedP) : '–'),
  },
  {
    title: 'r',
    means:
      'Rank-biserial correlation of the signed-rank test, from −1 (the first is lower in every round) to +1 (higher in every round), and what such a size is called.',
    cell: ({ signedRank }) => (signedRank ? [signed(signedRank.rankBiserial), small(signedRank.category)] : '–'),
  },
  {
    title: 'practical',
    means:
      'Practically significant after Zahra & Ardiansyah: the two samples, not paired, differ (Mann–Whitney p < 0.05, |r| ≥ 0.3), and their medians by 10 % or more. In small print: that r and that share.',
    cell: ({ practical, mannWhitney, relativeMedianDifference: relative }) => [
      practical ? 'yes' : 'no',
      mannWhitney !== null && relative !== null && small(`r ${signed(mannWhitney.rankBiserial)}, ${signedPercent(relative)}`),
    ],
  },
];

/** @param {readonly Comparison[]} comparisons */
export function comparisonTable(comparisons) {
  const pairs = Map.groupBy(comparisons, pairName);
  return html(
    'div',
    {},
    scrollable(
      'Comparisons',
      html(
        'table',
        { class: 'comparisons' },
        html(
          'thead',
          {},
          html(
            'tr',
            {},
            columns.map(({ title, means }) => html('th', { scope: 'col', title: means }, title)),
          ),
        ),
        [...pairs].map(([pair, ofPair]) =>
          html(
            'tbody',
            {},
            html('tr', { class: 'pair' }, html('th', { scope: 'rowgroup', colspan: columns.length }, pair)),
            ofPair.map(rowOf),
          ),
        ),
      ),
    ),
    html(
      'dl',
      { class: 'columns' },
      columns.map(({ title, means }) => html('div', {}, html('dt', {}, title), html('dd', {}, unbroken(means)))),
    ),
  );
}

/** @param {Comparison} comparison */
function rowOf(comparison) {
  const [first, ...rest] = columns.map(({ cell }) => [cell(comparison)].flat());
  return html(
    'tr',
    { class: comparison.confirmatory ? 'question' : null, 'data-metric': comparison.metric },
    html('th', { scope: 'row' }, ...(first ?? [])),
    rest.map((cell) => html('td', {}, ...cell)),
  );
}

const small = (/** @type {string} */ words) => html('small', {}, words);

/**
 * @param {Comparison['delta']} found
 * @param {(value: number) => string} format without the unit
 * @param {string} [unit]
 * @returns {readonly Child[]}
 */
function estimate(found, format, unit = '') {
  if (found === null) return ['–'];
  const { value, low, high } = found;
  const interval = low === null || high === null ? 'too few rounds' : `${format(low)} to ${format(high)}${unit}`;
  return [`${format(value)}${unit}`, small(interval)];
}
