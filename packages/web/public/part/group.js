// One site under one condition in one view: what the protocols' visits say.
import { html } from '../browser/element.js';
import { dotStrip, dotStripHeight } from '../chart/dot-strip.js';
import { fit } from '../chart/fit.js';
import { quantity, unbroken } from '../text/format.js';
import { disagree, medianSentence } from '../text/sentence.js';
import { metricNames } from '../text/vocabulary.js';
import { comparisonTable } from './comparison-table.js';
import { intervals } from './intervals.js';
import { invalidVisits } from './invalid-visits.js';
import { namedSlots } from './slots.js';
import { allMetrics, summaryTable } from './summary-table.js';
import { visitHref, visitList } from './visit-list.js';

/** @import { CampaignSpec, GroupResults, MetricName, Visit } from '@pronghorn/core' */

/**
 * @param {GroupResults} group
 * @param {readonly Visit[]} visits of the group
 * @param {Pick<CampaignSpec, 'primaryMetric' | 'margin'>} spec
 */
export function groupBody(group, visits, { primaryMetric, margin }) {
  const metrics = [...new Set([primaryMetric, /** @type {const} */ ('onLoad'), /** @type {const} */ ('speedIndex')])];
  const opposite =
    disagree(group.h3Delta.onLoad, group.h3Delta.speedIndex) && isMoreThanChance(group, 'onLoad') && isMoreThanChance(group, 'speedIndex');
  return [
    intervals(group, margin),
    group.comparisons.length > 0 &&
      foldable(`comparisons of ${keyOf(group)}`, `All comparisons (${group.comparisons.length})`, () => comparisonTable(group.comparisons)),
    opposite &&
      html(
        'p',
        { class: 'note' },
        `onLoad and SpeedIndex point in opposite directions here. The metric fixed before this campaign is ${metricNames[primaryMetric].name}.`,
      ),
    ...metrics.map((metric) => metricPart(group, visits, metric)),
    ...group.slots.map(({ receiveDrops }) => receiveDrops && html('p', { class: 'note' }, unbroken(receiveDrops.words))),
    invalidVisits(group),
    foldable(`metrics of ${keyOf(group)}`, 'All metrics', () => allMetrics(group)),
    foldable(`visits of ${keyOf(group)}`, `Visits (${visits.length})`, () => visitList(visits)),
  ];
}

/**
 * Whether HTTP/3 and HTTP/2 differ by it, taken by itself: two differences that are noise point anywhere.
 * @param {GroupResults} group
 * @param {MetricName} metric
 */
function isMoreThanChance({ comparisons }, metric) {
  const asked = comparisons.find((one) => one.metric === metric && one.candidate === 'h3' && one.baseline === 'h2');
  return (asked?.signedRank?.p ?? 1) <= 0.05;
}

/**
 * What names a group within its campaign.
 * @param {{ siteId: string, condition: string, view: string }} group
 */
export function keyOf({ siteId, condition, view }) {
  return [siteId, condition, view].map(encodeURIComponent).join('/');
}

/**
 * @param {GroupResults} group
 * @param {readonly Visit[]} visits
 * @param {MetricName} metric
 */
function metricPart(group, visits, metric) {
  const { name, unit } = metricNames[metric];
  const slots = namedSlots(group);
  const sentence = medianSentence({
    metric: name,
    unit,
    slots: slots.flatMap((slot) => {
      const summary = slot.metrics[metric];
      return summary ? [{ name: slot.name, n: summary.n, median: summary.median }] : [];
    }),
    h3Delta: group.h3Delta[metric] ?? null,
  });
  const rows = slots.map((slot) => ({
    name: slot.name,
    protocol: slot.protocol,
    median: slot.metrics[metric]?.median ?? null,
    dots: visits
      .filter((visit) => visit.slot === slot.slot)
      .flatMap((visit) => {
        const value = visit.counted && visit.outcome.verdict === 'valid' ? visit.outcome.metrics[metric] : null;
        if (value === null) return [];
        return [{ value, href: visitHref(visit), title: `${slot.name}, round ${visit.roundNumber}: ${quantity(value, unit)}` }];
      }),
  }));
  return html(
    'div',
    { class: 'metric' },
    html('h3', {}, name),
    html('p', { class: 'sentence', 'data-metric': metric }, unbroken(sentence)),
    fit(dotStripHeight(rows.length), (width) => dotStrip({ name, unit, rows, width })),
    summaryTable(group, metric),
  );
}

/**
 * Its content is made when it is opened first: a campaign has thousands of visits.
 * @param {string} key keeps it open when the page is drawn again
 * @param {string} title
 * @param {() => Element} content
 */
function foldable(key, title, content) {
  const details = html('details', { 'data-key': key }, html('summary', {}, title));
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(content());
  });
  return details;
}
