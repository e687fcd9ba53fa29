// A visit's resources on its time line, coloured by what protocol each really came over.
import { html } from '../browser/element.js';
import { ticks } from '../chart/scale.js';
import { number, quantity } from '../text/format.js';
import { protocolNames, protocolOf } from '../text/vocabulary.js';
import { scrollable } from './summary-table.js';

/** @import { Resource } from '@pronghorn/core' */

/** Phases in their order, and how a reader calls them. @type {readonly [keyof Resource & `${string}Ms`, string][]} */
const phases = [
  ['queueingMs', 'queued'],
  ['dnsMs', 'DNS'],
  ['connectMs', 'connecting'],
  ['sendMs', 'sending'],
  ['waitMs', 'waiting'],
  ['receiveMs', 'receiving'],
];

/**
 * @param {readonly Resource[]} resources
 * @param {readonly { name: string, ms: number }[]} events such as onLoad, drawn as lines
 */
export function waterfall(resources, events) {
  const end = [...resources.map(endOf), ...events.map(({ ms }) => ms)].reduce((a, b) => Math.max(a, b), 1) * 1.02;
  const title = (/** @type {string} */ text) => html('th', { scope: 'col' }, text);
  return scrollable(
    'Resources',
    html(
      'table',
      { class: 'waterfall' },
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          title('resource'),
          title('protocol'),
          html('th', { scope: 'col', class: 'time' }, axis(end)),
          title('status'),
          title('kB'),
        ),
      ),
      html(
        'tbody',
        {},
        resources.toSorted((a, b) => a.startMs - b.startMs || a.seq - b.seq).map((resource) => rowOf(resource, end, events)),
      ),
    ),
  );
}

/** What the shades of a bar mean. */
export function waterfallLegend() {
  const shades = [
    ['queueingMs', 'queued, DNS'],
    ['connectMs', 'connecting'],
    ['waitMs', 'sending, waiting'],
    ['receiveMs', 'receiving'],
    ['whole', 'no phases known'],
  ];
  return html(
    'p',
    { class: 'legend' },
    shades.map(([shade, name]) => html('span', {}, html('span', { class: `sample ${shade}` }), name)),
  );
}

/**
 * @param {Resource} resource
 * @param {number} end
 * @param {readonly { name: string, ms: number }[]} events
 */
function rowOf(resource, end, events) {
  const protocol = protocolOf(resource.protocol);
  const failed = resource.failure !== null;
  return html(
    'tr',
    { class: `protocol-${protocol}${failed ? ' failed' : ''}` },
    html(
      'th',
      { scope: 'row', title: resource.url },
      html('span', { class: 'resource' }, shortName(resource.url)),
      html('small', {}, resource.host, ' · ', resource.type),
    ),
    html(
      'td',
      {},
      html('span', { class: 'mark' }),
      protocol === 'other' ? (resource.protocol ?? (resource.cache === 'none' ? '–' : `${resource.cache} cache`)) : protocolNames[protocol],
    ),
    html('td', { class: 'time' }, track(resource, end, events)),
    html('td', { class: 'status' }, failed ? (resource.failure ?? '') : String(resource.status ?? '–')),
    html('td', {}, number(resource.transferBytes, 'bytes')),
  );
}

/**
 * @param {Resource} resource
 * @param {number} end
 * @param {readonly { name: string, ms: number }[]} events
 */
function track(resource, end, events) {
  const bars = html('div', { class: 'track', title: phaseWords(resource) });
  for (const { ms } of events) bars.append(placed(html('span', { class: 'event' }), ms / end, null));
  let at = resource.startMs;
  for (const [phase] of phases) {
    const ms = resource[phase];
    if (typeof ms !== 'number' || ms === 0) continue;
    bars.append(placed(html('span', { class: phase }), at / end, ms / end));
    at += ms;
  }
  if (at === resource.startMs) bars.append(placed(html('span', { class: 'whole' }), at / end, (endOf(resource) - at) / end));
  return bars;
}

/** @param {number} end */
function axis(end) {
  const line = html('div', { class: 'track' });
  for (const tick of ticks(0, end, 3)) {
    // A label at the end would leave its column.
    const label = html('span', { class: tick > end * 0.8 ? 'tick late' : 'tick' }, tick === 0 ? '0 ms' : number(tick, 'count'));
    line.append(placed(label, tick / end, null));
  }
  return line;
}

/**
 * @param {HTMLElement} element
 * @param {number} start share of the track
 * @param {number | null} share
 */
function placed(element, start, share) {
  element.style.left = `${start * 100}%`;
  if (share !== null) element.style.width = `${share * 100}%`;
  return element;
}

/** @param {Resource} resource */
function endOf(resource) {
  return resource.endMs ?? phases.reduce((sum, [phase]) => sum + Number(resource[phase] ?? 0), resource.startMs);
}

/** @param {Resource} resource */
function phaseWords(resource) {
  const known = phases.flatMap(([phase, name]) => {
    const ms = resource[phase];
    return typeof ms === 'number' ? [`${name} ${quantity(ms, 'ms')}`] : [];
  });
  return [`start ${quantity(resource.startMs, 'ms')}`, ...known].join(', ');
}

/**
 * The last part of a path, as people name files; a data: URL's type.
 * @param {string} url
 */
export function shortName(url) {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return url.slice(0, 40);
  const name = parsed.pathname.split('/').filter(Boolean).at(-1) ?? '/';
  return `${name}${parsed.search}`.slice(0, 80);
}
