// Visits as a runner would upload them, made up.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  type Environment,
  type Lease,
  type LinkCheck,
  type PageMetrics,
  type Resource,
  type RunnerRegistration,
  runnerProtocol,
  type SiteDiscovery,
  type TransactionMetrics,
  type VisitUpload,
} from '@pronghorn/core/schemas';
import { type InvalidReason, pageMetricNames, transactionMetricNames } from '@pronghorn/core/vocabulary';

/** Every metric has a number of its own, so that none can be mistaken for another. */
export const sampleMetrics = (given: Partial<PageMetrics> = {}): PageMetrics => ({
  ...(Object.fromEntries(pageMetricNames.map((name, index) => [name, name.endsWith('Share') ? index / 100 : 100 + index])) as PageMetrics),
  h3Share: 0.9,
  h3ByteShare: 0.95,
  ...given,
});

/** The same of a run of REST calls. */
export const sampleRunMetrics = (given: Partial<TransactionMetrics> = {}): TransactionMetrics => ({
  ...(Object.fromEntries(
    transactionMetricNames.map((name, index) => [name, name.endsWith('Share') ? index / 100 : 100 + index]),
  ) as unknown as TransactionMetrics),
  ...given,
});

export const sampleResource = (seq: number, given: Partial<Resource> = {}): Resource => ({
  seq,
  url: `https://site.example/assets/picture-${seq}.webp?v=3`,
  host: 'site.example',
  method: 'GET',
  type: seq === 0 ? 'Document' : 'Image',
  initiatorType: seq === 0 ? 'other' : 'parser',
  initiatorUrl: seq === 0 ? null : 'https://site.example/',
  linked: true,
  protocol: 'h3',
  connectionId: 17,
  connectionReused: seq > 0,
  remoteAddress: '192.0.2.1:443',
  alternateProtocolUsage: null,
  startMs: 10.125 * seq + 0.001,
  queueingMs: 0.25,
  dnsMs: seq === 0 ? 1.5 : null,
  connectMs: seq === 0 ? 12.345 : null,
  tlsMs: seq === 0 ? 12.345 : null,
  sendMs: 0.1,
  waitMs: 21.987,
  receiveMs: 3.003,
  endMs: 10.125 * seq + 38,
  transferBytes: 20_000 + seq,
  bodyBytes: 19_800 + seq,
  headerBytes: 200,
  encodedBodyBytes: 19_800 + seq,
  status: 200,
  mimeType: seq === 0 ? 'text/html' : 'image/webp',
  priority: seq === 0 ? 'VeryHigh' : 'Low',
  cache: 'none',
  server: 'nginx/1.29.2',
  altSvc: 'h3=":443"; ma=86400',
  headers: { 'content-type': seq === 0 ? 'text/html' : 'image/webp', 'cache-control': 'max-age=60' },
  failure: null,
  blocked: null,
  ...given,
});

/** A valid visit of a slot of a lease. */
export const sampleVisit = (lease: Lease, slot: number, given: Partial<VisitUpload> = {}): VisitUpload => ({
  id: randomUUID(),
  roundId: lease.round.id,
  attempt: lease.round.attempt,
  slot,
  protocol: lease.spec.protocols[slot] ?? 'h2',
  position: lease.round.order.indexOf(slot),
  retry: 0,
  startedAt: '2026-03-01T12:00:00.250Z',
  wallMs: 1234.5,
  loadTimeoutMs: 90_000,
  finalUrl: lease.site.url,
  documentAddress: '192.0.2.1',
  cpu: { ownShare: 0.5, foreignShare: 0.01 },
  link: { refused: ['10.0.0.1 (tcp 80)'], receiveDrops: 3 },
  environmentId: null,
  discoveryId: null,
  outcome: { verdict: 'valid', metrics: sampleMetrics() },
  resources: [sampleResource(0), sampleResource(1)],
  ...given,
});

/** What a visit without numbers has instead of a valid one's. */
export const invalidOutcome = (reason: InvalidReason, detail = 'made up') => ({
  outcome: { verdict: 'invalid', reason, detail } as const,
  resources: [],
});

export const sampleEnvironment = (id: string): Environment => ({
  id,
  runner: { version: '1.0.0-rc.1', node: 'v24.0.0' },
  machine: { kernel: 'Linux 6.1', arch: 'x64', cpu: 'a processor', cores: 2, memoryBytes: 8e9 },
  browser: { product: 'Chrome/156.0.8078.79', executable: '/usr/bin/chromium', flags: ['--disable-quic'], sandbox: true, preferences: {} },
  link: {
    backend: 'direct',
    kernel: null,
    congestionControl: 'cubic',
    priority: 'none',
    offloads: 'machine',
    receiveBuffers: { tcp: '4096 131072 6291456', udpMaxBytes: 212_992 },
  },
  origin: null,
});

export const sampleDiscovery = (lease: Lease, given: Partial<SiteDiscovery> = {}): SiteDiscovery => ({
  id: randomUUID(),
  campaignId: lease.round.campaignId,
  siteId: lease.site.id,
  runner: 'runner',
  discoveredAt: '2026-03-01T11:59:00.000Z',
  finalUrl: lease.site.url,
  redirects: [],
  hosts: [],
  forced: ['site.example:443'],
  objectCoverage: 1,
  byteCoverage: 1,
  failure: null,
  ...given,
});

/** A runner that can do all that there is. */
export const sampleRegistration = (name: string, given: Partial<RunnerRegistration> = {}): RunnerRegistration => ({
  name,
  instance: randomUUID(),
  location: null,
  version: '1.0.0-rc.1',
  protocol: runnerProtocol,
  capabilities: {
    engines: ['puppeteer', 'transaction'],
    browsers: ['chrome', 'headless-shell', 'none'],
    backends: ['veth', 'netem', 'direct'],
  },
  machine: { hostname: 'a-machine', kernel: '6.1.0', arch: 'x64', cpu: 'a processor', cores: 2, memoryBytes: 8e9, node: 'v24.0.0' },
  ...given,
});

/** A cheap check, of the round trip alone, that found nothing wrong. */
export const sampleLinkCheck = (lease: Lease, given: Partial<LinkCheck> = {}): LinkCheck => ({
  id: randomUUID(),
  checkedAt: '2026-03-01T12:00:00.000Z',
  condition: lease.round.condition,
  backend: 'guest',
  kernel: '7.2.1',
  tcLines: ['qdisc add dev up0 root netem limit 10000 delay 50ms'],
  rtt: { requestedMs: 50, meanMs: 50.6, p50Ms: 50.5, p99Ms: 51.9, toleranceMs: 2.5, packets: 20, within: true },
  up: null,
  down: null,
  faults: [],
  ...given,
});

/** Gzip of so many bytes, another for each text. */
export function gzipped(text: string, bytes: number): Buffer {
  const head = gzipSync(text);
  return Buffer.concat([head, Buffer.alloc(Math.max(0, bytes - head.length))]);
}
