// What the link was asked to do under a condition, and what it was measured to do: in the words of the API, which are the terminal's too.
import { html } from '../browser/element.js';
import { unbroken } from '../text/format.js';
import { scrollable } from './summary-table.js';

/** @import { CampaignResults, GroupResults } from '@pronghorn/core' */

/**
 * Of one group, under its heading; nothing where the link adds nothing and was never checked.
 * @param {CampaignResults} results
 * @param {GroupResults} group
 */
export function linkNote({ conditions }, group) {
  const found = conditions.find(({ condition }) => condition === group.condition);
  if (!found || (found.link === null && found.words === 'nothing added')) return null;
  return html(
    'p',
    { class: 'calm link' },
    unbroken(`Link: ${found.words}.`),
    html('br'),
    found.link === null ? 'Not measured yet.' : unbroken(`Measured: ${found.link.words}.`),
  );
}

/**
 * Of all conditions of a campaign; nothing before the first check.
 * @param {CampaignResults} results
 */
export function linksTable({ conditions }) {
  if (conditions.every(({ link }) => link === null)) return null;
  const rows = conditions.map(({ condition, words, link }) =>
    html(
      'tr',
      { class: link !== null && link.faulty > 0 ? 'faulty' : null },
      html('th', { scope: 'row' }, condition),
      html('td', {}, unbroken(words)),
      html('td', {}, unbroken(link?.words ?? 'not measured yet')),
    ),
  );
  return html(
    'details',
    { 'data-key': 'links' },
    html('summary', {}, 'What the links did'),
    scrollable(
      'What the links did',
      html(
        'table',
        { class: 'links' },
        html(
          'thead',
          {},
          html(
            'tr',
            {},
            ['condition', 'asked', 'measured'].map((title) => html('th', { scope: 'col' }, title)),
          ),
        ),
        html('tbody', {}, rows),
      ),
    ),
  );
}
