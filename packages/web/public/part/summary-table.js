// The numbers of one metric by protocol, and of all metrics side by side.
import { html } from '../browser/element.js';
import { number, quantity, signed, unitNames } from '../text/format.js';
import { metricNames } from '../text/vocabulary.js';
import { namedSlots } from './slots.js';

/** @import { GroupResults, MetricName, Summary } from '@pronghorn/core' */

/** @type {readonly (keyof Summary & ('median' | 'p75' | 'p90' | 'p99' | 'min' | 'max'))[]} */
const columns = ['median', 'p75', 'p90', 'p99', 'min', 'max'];

/**
 * n, median, quantiles and ends of a metric, a row for each protocol.
 * @param {GroupResults} group
 * @param {MetricName} metric
 */
export function summaryTable(group, metric) {
  const { name, unit } = metricNames[metric];
  const caption = unitNames[unit] === '' ? name : `${name}, ${unitNames[unit]}`;
  const rows = namedSlots(group).map((slot) => {
    const summary = slot.metrics[metric];
    return html(
      'tr',
      { 'data-slot': slot.slot },
      html('th', { scope: 'row', class: `protocol-${slot.protocol}` }, html('span', { class: 'mark' }), slot.name),
      html('td', {}, summary ? html('data', { value: summary.n, 'data-statistic': 'n' }, String(summary.n)) : '0'),
      columns.map((column) => html('td', { class: column }, summary ? cell(summary[column], column, unit) : '–')),
    );
  });
  return scrollable(
    caption,
    html(
      'table',
      { class: 'summary', 'data-metric': metric },
      html('caption', {}, caption),
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          ['protocol', 'n', ...columns].map((title) => html('th', { scope: 'col' }, title)),
        ),
      ),
      html('tbody', {}, rows),
    ),
  );
}

/**
 * The medians of every metric, a column for each protocol.
 * @param {GroupResults} group
 */
export function allMetrics(group) {
  const slots = namedSlots(group);
  const isCompared = Object.values(group.h3Delta).some((delta) => delta !== null);
  const rows = Object.entries(metricNames).map(([metric, { name, unit }]) => {
    const delta = group.h3Delta[metric] ?? null;
    return html(
      'tr',
      {},
      html('th', { scope: 'row' }, name),
      slots.map((slot) => html('td', {}, slot.metrics[metric] ? quantity(slot.metrics[metric].median, unit) : '–')),
      isCompared && html('td', {}, delta === null ? '–' : signed(delta)),
    );
  });
  const titles = ['median of', ...slots.map((slot) => slot.name), ...(isCompared ? ['H3-Delta'] : [])];
  return scrollable(
    'Medians of all metrics',
    html(
      'table',
      {},
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          titles.map((title) => html('th', { scope: 'col' }, title)),
        ),
      ),
      html('tbody', {}, rows),
    ),
  );
}

/**
 * A table that is wider than a phone is moved within its own frame, by keyboard too.
 * @param {string} label
 * @param {HTMLTableElement} table
 */
export function scrollable(label, table) {
  return html('div', { class: 'scroll', role: 'region', 'aria-label': label, tabindex: 0 }, table);
}

/**
 * @param {number} value
 * @param {string} statistic
 * @param {import('../text/vocabulary.js').Unit} unit
 */
function cell(value, statistic, unit) {
  return html('data', { value, 'data-statistic': statistic, title: String(value) }, number(value, unit));
}
