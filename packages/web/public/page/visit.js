// One visit: its verdict, what it ran in, and its resources on a time line.
import { harUrl, readResources, readVisit } from '../browser/api.js';
import { html } from '../browser/element.js';
import { poll } from '../browser/poll.js';
import { facts } from '../part/facts.js';
import { verdictWords } from '../part/visit-list.js';
import { waterfall, waterfallLegend } from '../part/waterfall.js';
import { many, quantity, time } from '../text/format.js';
import { invalidReasons, metricNames, protocolNames } from '../text/vocabulary.js';

/** @import { Metrics, MetricName, Visit } from '@pronghorn/core' */
/** @import { Place } from '../results.js' */

/**
 * @param {Place} place
 * @param {string} id
 */
export async function visitPage({ main, signal, attempt }, id) {
  const draw = async () => {
    const [visit, resources] = await Promise.all([readVisit(id, signal), readResources(id, signal)]);
    const { outcome } = visit;
    document.title = `Visit over ${protocolNames[visit.protocol]} – Pronghorn`;
    const metrics = outcome.verdict === 'valid' ? outcome.metrics : null;
    const events = metrics
      ? [
          { name: 'DOMContentLoaded', ms: metrics.domContentLoaded },
          { name: 'onLoad', ms: metrics.onLoad },
        ]
      : [];
    main.replaceChildren(
      html('p', { class: 'crumbs' }, html('a', { href: `#/campaigns/${encodeURIComponent(visit.campaignId)}` }, 'Campaign')),
      html('h1', {}, `Visit over ${protocolNames[visit.protocol]}`),
      outcome.verdict === 'valid'
        ? html('p', {}, visit.counted ? 'Valid: it counts in the results.' : `Verdict: ${verdictWords(visit)}.`)
        : html(
            'p',
            { class: 'note' },
            html('strong', {}, `Invalid: ${outcome.reason}`),
            ` – ${invalidReasons[outcome.reason]}. ${outcome.detail}`,
          ),
      factsOf(visit, metrics),
      html('p', {}, html('a', { href: harUrl(id), download: `${id}.har` }, 'HTTP Archive (HAR)')),
      html('h2', {}, `Resources (${resources.length})`),
      resources.length === 0 ? html('p', {}, 'None was requested.') : waterfallLegend(),
      ...(resources.length === 0 ? [] : [eventLegend(events), waterfall(resources, events)]),
    );
    return false;
  };
  await poll(() => attempt(draw), 2000, signal);
}

/** @param {readonly { name: string, ms: number }[]} events */
function eventLegend(events) {
  if (events.length === 0) return '';
  return html('p', { class: 'legend' }, `Lines: ${events.map(({ name, ms }) => `${name} ${quantity(ms, 'ms')}`).join(', ')}.`);
}

/**
 * @param {Visit} visit
 * @param {Metrics | null} metrics
 */
function factsOf(visit, metrics) {
  /** @type {MetricName[]} */
  const shown = ['onLoad', 'speedIndex', 'largestContentfulPaint', 'ttfb', 'requests', 'transferBytes', 'connections', 'h3Share'];
  return facts([
    ['URL', visit.finalUrl ?? 'no document'],
    [
      'View',
      `${visit.view}, round ${visit.roundNumber}, place ${visit.position + 1} of its round${visit.retry > 0 ? `, retry ${visit.retry}` : ''}`,
    ],
    ['Started', time(visit.startedAt)],
    ...shown.flatMap((metric) => {
      const value = metrics?.[metric] ?? null;
      const { name, unit } = metricNames[metric];
      return value === null ? [] : [/** @type {[string, string]} */ ([name, quantity(value, unit)])];
    }),
    ...linkFacts(visit),
    ...(visit.cpu ? [/** @type {[string, string]} */ (['CPU taken by others', quantity(visit.cpu.foreignShare, 'share')])] : []),
  ]);
}

/**
 * What the link saw; nothing where there was nothing to tell.
 * @param {Visit} visit
 * @returns {[string, string][]}
 */
function linkFacts({ link }) {
  if (link === null) return [];
  return [
    ...(link.receiveDrops > 0
      ? [/** @type {[string, string]} */ (['Lost in the receive buffer', many(link.receiveDrops, 'datagram')])]
      : []),
    ...(link.refused.length > 0 ? [/** @type {[string, string]} */ (['Refused by the egress policy', link.refused.join(', ')])] : []),
  ];
}
