// Visits made from a seed, in the shape of real ones: enough for a page to draw, and quicker than loading anything.
import type { RandomSource } from '@pronghorn/core/math';
import type { Outcome, PageMetrics, Resource } from '@pronghorn/core/schemas';
import { alpnOf, type InvalidReason, type Protocol, pageMetricNames } from '@pronghorn/core/vocabulary';

/** HTTP/3's onLoad lies about 40 ms below HTTP/2's; its SpeedIndex above, so that the page must say that they disagree. */
const typicalOnLoad: Record<Protocol, number> = { h1: 520, h2: 455, h3: 412 };
const typicalSpeedIndex: Record<Protocol, number> = { h1: 390, h2: 300, h3: 330 };

export function madeMetrics(protocol: Protocol, random: RandomSource): PageMetrics {
  const spread = () => 1 + (random() + random() + random() - 1.5) * 0.06 + (random() < 0.05 ? 0.5 : 0);
  const onLoad = typicalOnLoad[protocol] * spread();
  const speedIndex = typicalSpeedIndex[protocol] * spread();
  const metrics: PageMetrics = {
    ...(Object.fromEntries(pageMetricNames.map((name) => [name, 0])) as PageMetrics),
    onLoad,
    loadEventEnd: onLoad + 2.5,
    domContentLoaded: onLoad * 0.4,
    ttfb: onLoad * 0.1,
    firstPaint: onLoad * 0.45,
    firstContentfulPaint: onLoad * 0.45,
    largestContentfulPaint: onLoad * 0.9,
    cumulativeLayoutShift: 0.012,
    speedIndex,
    firstVisualChange: onLoad * 0.47,
    lastVisualChange: onLoad * 1.02,
    linkedDownload: onLoad - 1,
    requests: 24,
    transferBytes: 412_345,
    connections: protocol === 'h1' ? 6 : 1,
    hosts: 1,
    largestConnectionShare: protocol === 'h1' ? 0.25 : 1,
  };
  metrics[`${protocol}Share`] = 1;
  metrics[`${protocol}ByteShare`] = 1;
  return metrics;
}

/** What differs from page to page: each is larger than the one before, of more hosts, and has less over HTTP/3. */
export function madePage(place: number, protocol: Protocol): Partial<PageMetrics> {
  const h3Share = 1 - (place % 4) / 10;
  const several = 1 + (place % 5);
  const shares = protocol === 'h3' ? { h3Share, h3ByteShare: h3Share / 2 } : {};
  return { requests: 10 + place * 3, transferBytes: 100_000 + place * 40_000, hosts: several, connections: several, ...shares };
}

export function invalid(reason: InvalidReason, detail: string): Outcome {
  return { verdict: 'invalid', reason, detail };
}

/** A document, 22 images, and one request that failed; names and URLs as hostile as a page can make them. */
export function madeResources(protocol: Protocol, origin: string, random: RandomSource): Resource[] {
  const base: Resource = {
    seq: 0,
    url: `${origin}/`,
    host: new URL(origin).host,
    method: 'GET',
    type: 'Document',
    initiatorType: 'other',
    initiatorUrl: null,
    linked: true,
    protocol: alpnOf[protocol],
    connectionId: 7,
    connectionReused: false,
    remoteAddress: '192.0.2.1:443',
    alternateProtocolUsage: null,
    startMs: 0.4,
    queueingMs: 0.8,
    dnsMs: 0.5,
    connectMs: 22,
    tlsMs: 14,
    sendMs: 0.2,
    waitMs: 18,
    receiveMs: 4,
    endMs: 45.9,
    transferBytes: 8_345,
    bodyBytes: 31_000,
    headerBytes: 210,
    encodedBodyBytes: 8_117,
    status: 200,
    mimeType: 'text/html',
    priority: 'VeryHigh',
    cache: 'none',
    server: 'nginx/1.30.0',
    altSvc: null,
    headers: { 'content-type': 'text/html', 'cache-control': 'max-age=60' },
    failure: null,
    blocked: null,
  };
  const images = Array.from({ length: 22 }, (_, i): Resource => {
    const startMs = 46 + i * 3;
    const [queueingMs, waitMs, receiveMs] = [random() * 20, 20 + random() * 80, 5 + random() * 120];
    return {
      ...base,
      seq: i + 1,
      url: `${origin}/images/product-${i + 1}.webp?size=${i % 3 ? 'small' : 'large'}`,
      type: 'Image',
      initiatorType: 'parser',
      initiatorUrl: base.url,
      connectionReused: true,
      startMs,
      queueingMs,
      dnsMs: null,
      connectMs: null,
      tlsMs: null,
      waitMs,
      receiveMs,
      endMs: startMs + queueingMs + 0.2 + waitMs + receiveMs,
      transferBytes: Math.round(4_000 + random() * 40_000),
      bodyBytes: 5_000,
      mimeType: 'image/webp',
      priority: 'Low',
      cache: 'none',
    };
  });
  const silent = { protocol: null, connectionId: null, connectionReused: null, remoteAddress: null, status: null, mimeType: null };
  const phases = { queueingMs: null, dnsMs: null, connectMs: null, tlsMs: null, sendMs: null, waitMs: null, receiveMs: null };
  const failed: Resource = {
    ...base,
    ...silent,
    ...phases,
    seq: 23,
    url: 'https://ads.example/<img src=x onerror="document.title=1">.js',
    host: 'ads.example',
    type: 'Script',
    startMs: 60,
    endMs: 110,
    transferBytes: 0,
    bodyBytes: 0,
    failure: 'net::ERR_CONNECTION_REFUSED',
  };
  return [base, ...images, failed];
}
