// All groups of a campaign in one table, when there are several.
import { html } from '../browser/element.js';
import { quantity } from '../text/format.js';
import { deltaWords } from '../text/sentence.js';
import { metricNames } from '../text/vocabulary.js';
import { keyOf } from './group.js';
import { namedSlots } from './slots.js';
import { scrollable } from './summary-table.js';

/** @import { Campaign, CampaignResults, GroupResults } from '@pronghorn/core' */

/**
 * @param {Campaign} campaign
 * @param {CampaignResults} results at least one group
 */
export function overview(campaign, { groups, primaryMetric }) {
  const { name, unit } = metricNames[primaryMetric];
  const [first] = groups;
  const columns = first ? namedSlots(first) : [];
  return scrollable(
    'All sites',
    html(
      'table',
      { class: 'overview' },
      html('caption', {}, `Medians of ${name}`),
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          ['site', 'condition', 'view', ...columns.map((slot) => slot.name), 'H3-Delta', 'invalid'].map((title) =>
            html('th', { scope: 'col' }, title),
          ),
        ),
      ),
      html(
        'tbody',
        {},
        groups.map((group) => {
          const delta = group.h3Delta[primaryMetric] ?? null;
          const invalid = group.slots.flatMap((slot) => slot.invalid).reduce((sum, { count }) => sum + count, 0);
          return html(
            'tr',
            {},
            html('th', { scope: 'row' }, html('a', { href: groupHref(campaign, group) }, siteName(campaign, group))),
            html('td', {}, group.condition),
            html('td', {}, group.view),
            namedSlots(group).map((slot) =>
              html('td', {}, slot.metrics[primaryMetric] ? quantity(slot.metrics[primaryMetric].median, unit) : '–'),
            ),
            html('td', {}, delta === null ? '–' : deltaWords(delta)),
            html('td', {}, String(invalid)),
          );
        }),
      ),
    ),
  );
}

/**
 * @param {Campaign} campaign
 * @param {GroupResults} group
 */
export function siteName(campaign, group) {
  return campaign.sites.find(({ id }) => id === group.siteId)?.name ?? group.siteId;
}

/**
 * @param {Campaign} campaign
 * @param {GroupResults} group
 */
export function groupHref(campaign, group) {
  return `#/campaigns/${encodeURIComponent(campaign.id)}/${keyOf(group)}`;
}
