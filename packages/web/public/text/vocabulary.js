// The vocabulary of packages/core in words for people. This page is served without a build, so it cannot import core's
// TypeScript; src/vocabulary.test.ts proves that both say the same.

/** @import { CampaignSpec, CampaignState, InvalidReason, MetricName, Protocol, VerdictOutcome } from '@pronghorn/core' */

/** @type {Readonly<Record<Protocol, string>>} */
export const protocolNames = { h1: 'HTTP/1.1', h2: 'HTTP/2', h3: 'HTTP/3' };

/** @type {Readonly<Record<CampaignState, string>>} */
export const stateNames = { queued: 'queued', running: 'running', done: 'done', cancelled: 'cancelled' };

/** The short word beside a verdict's mark; the sentence is the API's. @type {Readonly<Record<VerdictOutcome, string>>} */
export const outcomeNames = {
  'h3-faster': 'HTTP/3 faster',
  'h2-faster': 'HTTP/2 faster',
  'h1-faster': 'HTTP/1.1 faster',
  equivalent: 'equivalent',
  inconclusive: 'inconclusive',
};

/** @type {Readonly<Record<CampaignSpec['adjustment'], string>>} */
export const adjustmentNames = { holm: 'Holm', 'benjamini-hochberg': 'Benjamini–Hochberg' };

/** @typedef {'ms' | 'bytes' | 'count' | 'share' | 'score'} Unit */

/** @type {Readonly<Record<MetricName, { name: string, unit: Unit }>>} */
export const metricNames = {
  onLoad: { name: 'onLoad', unit: 'ms' },
  loadEventEnd: { name: 'End of load event', unit: 'ms' },
  domContentLoaded: { name: 'DOMContentLoaded', unit: 'ms' },
  ttfb: { name: 'Time to first byte', unit: 'ms' },
  firstPaint: { name: 'First paint', unit: 'ms' },
  firstContentfulPaint: { name: 'First contentful paint', unit: 'ms' },
  largestContentfulPaint: { name: 'Largest contentful paint', unit: 'ms' },
  cumulativeLayoutShift: { name: 'Cumulative layout shift', unit: 'score' },
  speedIndex: { name: 'SpeedIndex', unit: 'ms' },
  firstVisualChange: { name: 'First visual change', unit: 'ms' },
  lastVisualChange: { name: 'Last visual change', unit: 'ms' },
  totalBlockingTime: { name: 'Total blocking time', unit: 'ms' },
  linkedDownload: { name: 'Linked assets downloaded', unit: 'ms' },
  requests: { name: 'Requests', unit: 'count' },
  transferBytes: { name: 'Bytes received', unit: 'bytes' },
  connections: { name: 'Connections', unit: 'count' },
  hosts: { name: 'Hosts', unit: 'count' },
  failedRequests: { name: 'Failed requests', unit: 'count' },
  h1Share: { name: 'Objects over HTTP/1.x', unit: 'share' },
  h2Share: { name: 'Objects over HTTP/2', unit: 'share' },
  h3Share: { name: 'Objects over HTTP/3', unit: 'share' },
  h1ByteShare: { name: 'Bytes over HTTP/1.x', unit: 'share' },
  h2ByteShare: { name: 'Bytes over HTTP/2', unit: 'share' },
  h3ByteShare: { name: 'Bytes over HTTP/3', unit: 'share' },
  largestConnectionShare: { name: 'Objects on the largest connection', unit: 'share' },
};

/** @type {Readonly<Record<InvalidReason, string>>} */
export const invalidReasons = {
  'dns-error': 'a host name did not resolve',
  'tls-error': 'the certificate or the TLS handshake was refused, which Pronghorn never ignores',
  'quic-error': 'HTTP/3 was forced and failed: UDP is blocked, or there is no HTTP/3',
  'connection-error': 'the main document could not be fetched',
  'http-status': 'the main document came with another status than expected',
  'not-a-page': 'the URL is a download or has no document',
  'protocol-unavailable': 'the site does not offer this protocol',
  'wrong-protocol': 'loaded, but over another protocol than the one asked for',
  'protocol-unproven': 'nothing in the visit proves its protocol (all came from a cache)',
  'connection-reused': 'the visit began on a connection that was open before',
  redirected: 'the page ended on another host than at discovery',
  'left-page': 'script or meta refresh moved on to another document',
  'forced-host-failed': 'a host forced to HTTP/3 failed, and would have loaded otherwise',
  'load-timeout': 'the load event did not come in time',
  'page-too-big': 'more requests or bytes than the campaign allows',
  'tab-crashed': 'the page’s renderer crashed',
  'browser-crashed': 'Chrome itself went away',
  'busy-machine': 'other work took too much of the machine’s CPU',
  'no-visual-progress': 'the page painted, but no frame shows it: its SpeedIndex would be wrong',
  'engine-error': 'the measurement itself failed',
};

/**
 * What speaks on the wire, by its ALPN identifier. Another one (a cache, http/1.0, a failed request) is 'other'.
 * @param {string | null} alpn
 * @returns {Protocol | 'other'}
 */
export function protocolOf(alpn) {
  switch (alpn) {
    case 'http/1.1':
      return 'h1';
    case 'h2':
    case 'h3':
      return alpn;
    default:
      return 'other';
  }
}
