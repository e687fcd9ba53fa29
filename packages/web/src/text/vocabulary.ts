// The vocabulary of packages/core in words for people.
import type { CampaignSpec, CampaignState, InvalidReason, MetricName, Protocol, Role, SiteClass, VerdictOutcome } from '@pronghorn/core';

export const protocolNames: Readonly<Record<Protocol, string>> = { h1: 'HTTP/1.1', h2: 'HTTP/2', h3: 'HTTP/3' };

export const stateNames: Readonly<Record<CampaignState, string>> = {
  queued: 'queued',
  running: 'running',
  done: 'done',
  cancelled: 'cancelled',
};

/** The short word beside a verdict's mark; the sentence is the API's. */
export const outcomeNames: Readonly<Record<VerdictOutcome, string>> = {
  'h3-faster': 'HTTP/3 faster',
  'h2-faster': 'HTTP/2 faster',
  'h1-faster': 'HTTP/1.1 faster',
  equivalent: 'equivalent',
  inconclusive: 'inconclusive',
};

export const adjustmentNames: Readonly<Record<CampaignSpec['adjustment'], string>> = {
  holm: 'Holm',
  'benjamini-hochberg': 'Benjamini–Hochberg',
};

export type Unit = 'ms' | 'bytes' | 'count' | 'share' | 'score';

export const metricNames: Readonly<Record<MetricName, { name: string; unit: Unit }>> = {
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

export const invalidReasons: Readonly<Record<InvalidReason, string>> = {
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
  'busy-machine': 'other work, or a CPU limit, took too much of the machine’s CPU',
  'no-visual-progress': 'the page painted, but no frame shows it: its SpeedIndex would be wrong',
  'engine-error': 'the measurement itself failed',
};

/** What speaks on the wire, by its ALPN identifier. Another one (a cache, http/1.0, a failed request) is 'other'. */
export function protocolOf(alpn: string | null): Protocol | 'other' {
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

/** What a role may do, for people. */
export const roleNames: Readonly<Record<Role, string>> = {
  viewer: 'may read',
  submitter: 'may start campaigns',
  runner: 'measures',
  admin: 'may do everything',
};

/** Where H3-Delta passes from one class of sites to the next (Trevisan et al. 2021). */
export const classBorder = 0.1;

export const classNames: Readonly<Record<SiteClass, string>> = { below: 'HTTP/3 lower', within: 'about the same', above: 'HTTP/2 lower' };
