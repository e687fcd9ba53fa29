// All groups of a campaign in one table, when there are several: medians, and H3-Delta as a bar, so that conditions can be compared.
import { html } from '../browser/element.js';
import { deltaBar } from '../chart/delta-bar.js';
import { quantity, signed, unbroken } from '../text/format.js';
import { metricNames } from '../text/vocabulary.js';
import { keyOf } from './group.js';
import { namedSlots } from './slots.js';
import { scrollable } from './summary-table.js';
import { questionOf, verdictMark } from './verdict.js';

/** @import { Campaign, CampaignResults, GroupResults, MetricName } from '@pronghorn/core' */

/** Bars of smaller differences would make noise look like a finding. */
const leastScale = 0.1;

/**
 * @param {Campaign} campaign
 * @param {CampaignResults} results at least one group
 */
export function overview(campaign, { groups, primaryMetric, conditions }) {
  const { name, unit } = metricNames[primaryMetric];
  const [first] = groups;
  const compared = [...new Set([primaryMetric, /** @type {const} */ ('onLoad'), /** @type {const} */ ('speedIndex')])].filter((metric) =>
    groups.some(({ h3Delta }) => typeof h3Delta[metric] === 'number'),
  );
  const most = Math.max(leastScale, ...groups.flatMap(({ h3Delta }) => compared.map((metric) => Math.abs(h3Delta[metric] ?? 0))));
  const wordsOf = new Map(conditions.map(({ condition, words }) => [condition, words]));
  const places = placesOf(campaign);
  const isAsked = groups.some((group) => questionOf(group) !== undefined);
  return scrollable(
    'All sites and conditions',
    html(
      'table',
      { class: 'overview' },
      html('caption', {}, `Medians of ${name}${compared.length > 0 ? '; bars to the left: HTTP/3 is lower' : ''}`),
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          places.map(({ title }) => html('th', { scope: 'col', class: 'place' }, title)),
          isAsked && html('th', { scope: 'col', class: 'verdict-column' }, `verdict on ${name}`),
          (first ? namedSlots(first) : []).map((slot) => html('th', { scope: 'col' }, slot.name)),
          compared.map((metric) => html('th', { scope: 'col', class: 'delta' }, `H3-Delta of ${metricNames[metric].name}`)),
          html('th', { scope: 'col' }, 'invalid'),
        ),
      ),
      html(
        'tbody',
        {},
        groups.map((group) => {
          const invalid = group.slots.flatMap((slot) => slot.invalid).reduce((sum, { count }) => sum + count, 0);
          return html(
            'tr',
            {},
            places.map(({ of, isCondition }, place) => {
              const words = isCondition && html('small', {}, unbroken(wordsOf.get(group.condition) ?? ''));
              return place === 0
                ? html('th', { scope: 'row', class: 'place' }, html('a', { href: groupHref(campaign, group) }, of(group)), words)
                : html('td', { class: 'place' }, of(group), words);
            }),
            isAsked && verdictCell(group),
            namedSlots(group).map((slot) =>
              html('td', {}, slot.metrics[primaryMetric] ? quantity(slot.metrics[primaryMetric].median, unit) : '–'),
            ),
            compared.map((metric) => deltaCell(group, metric, most)),
            html('td', {}, String(invalid)),
          );
        }),
      ),
    ),
  );
}

/**
 * What tells the groups of a campaign apart: a column for each, and none for what all have in common.
 * @param {Campaign} campaign
 * @returns {{ title: string, of: (group: GroupResults) => string, isCondition?: boolean }[]}
 */
function placesOf(campaign) {
  const { sites, spec } = campaign;
  const places = [
    { title: 'site', of: (/** @type {GroupResults} */ group) => siteName(campaign, group), isNeeded: sites.length > 1 },
    {
      title: 'condition',
      of: (/** @type {GroupResults} */ group) => group.condition,
      isNeeded: spec.conditions.length > 1 || (sites.length === 1 && spec.views.length === 1),
      isCondition: true,
    },
    { title: 'view', of: (/** @type {GroupResults} */ group) => group.view, isNeeded: spec.views.length > 1 },
  ];
  return places.filter(({ isNeeded }) => isNeeded);
}

/** @param {GroupResults} group */
function verdictCell(group) {
  const verdict = questionOf(group)?.verdict;
  return html('td', { class: 'verdict-column', title: verdict?.words }, verdict ? verdictMark(verdict) : '–');
}

/**
 * @param {GroupResults} group
 * @param {MetricName} metric
 * @param {number} most
 */
function deltaCell({ h3Delta }, metric, most) {
  const delta = h3Delta[metric] ?? null;
  if (delta === null) return html('td', { class: 'delta' }, '–');
  return html('td', { class: 'delta' }, html('data', { value: delta, 'data-metric': metric }, signed(delta)), deltaBar(delta, most));
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
