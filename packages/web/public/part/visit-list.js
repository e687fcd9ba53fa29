// The visits of a group, so that every number can be traced to what Chrome saw.
import { harUrl } from '../browser/api.js';
import { html } from '../browser/element.js';
import { quantity } from '../text/format.js';
import { protocolNames } from '../text/vocabulary.js';
import { scrollable } from './summary-table.js';

/** @import { Visit } from '@pronghorn/core' */

/** @param {readonly Visit[]} visits */
export function visitList(visits) {
  const titles = ['round', 'protocol', 'onLoad', 'SpeedIndex', 'verdict', 'evidence'];
  return scrollable(
    'Visits',
    html(
      'table',
      { class: 'visits' },
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          titles.map((title) => html('th', { scope: 'col' }, title)),
        ),
      ),
      html('tbody', {}, visits.map(rowOf)),
    ),
  );
}

/** @param {Visit} visit */
function rowOf(visit) {
  const { outcome } = visit;
  const metrics = outcome.verdict === 'valid' ? outcome.metrics : null;
  return html(
    'tr',
    { class: visit.counted ? null : 'not-counted' },
    html('td', {}, String(visit.roundNumber)),
    html('th', { scope: 'row', class: `protocol-${visit.protocol}` }, html('span', { class: 'mark' }), protocolNames[visit.protocol]),
    html('td', {}, metrics ? quantity(metrics.onLoad, 'ms') : '–'),
    html('td', {}, metrics && metrics.speedIndex !== null ? quantity(metrics.speedIndex, 'ms') : '–'),
    html('td', {}, verdictWords(visit)),
    html(
      'td',
      {},
      html('a', { href: visitHref(visit) }, 'resources'),
      ' ',
      html('a', { href: harUrl(visit.id), download: `${visit.id}.har` }, 'HAR'),
    ),
  );
}

/** @param {Visit} visit */
export function visitHref(visit) {
  return `#/visits/${encodeURIComponent(visit.id)}`;
}

/**
 * @param {Visit} visit
 * @returns {string}
 */
export function verdictWords({ outcome, counted }) {
  if (outcome.verdict === 'invalid') return `invalid: ${outcome.reason}`;
  return counted ? 'valid' : 'valid, not counted: its round was not finished, or tried again';
}
