// The pages of the web: what the runner is to say of each.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, type TestContext, test } from 'node:test';
import { defaultLimits, type Limits, type PageMetrics, pageMetrics, type Resource, type Visitor } from '@pronghorn/core/schemas';
import type { InvalidReason, Protocol } from '@pronghorn/core/vocabulary';
import { type Origin, readAccessLog } from '@pronghorn/origin';
import type { PerformedVisit } from '../../src/lease/visit.ts';
import { type Laboratory, openLaboratory, type Visits, visitsOver } from '../laboratory.ts';

/** What a compositor of 60 Hz takes from a page's frame to the one on the screen, on a machine that others use too. */
const framesMs = 70;

type Web = NonNullable<Origin['web']>;

/** What happens does not depend on when: these rows share the machine, each lane with Chromes of its own. */
const lanesAtOnce = 2;

let laboratory: Laboratory;
const idle: Visits[] = [];
before(async () => {
  laboratory = await openLaboratory({ web: true });
  for (let n = 0; n < lanesAtOnce; n++) idle.push(visitsOver(laboratory.link, laboratory.lab));
});
after(async () => {
  await Promise.all(idle.map(({ engine }) => engine.close()));
  await laboratory.close();
});

const urlOf = (site: string) => laboratory.origin.sites.find(({ name }) => name === site)?.url ?? '';

async function onLane<Result>(body: (lane: Visits) => Promise<Result>): Promise<Result> {
  const lane = idle.pop();
  assert.ok(lane, 'as many tests at once as lanes');
  try {
    return await body(lane);
  } finally {
    idle.push(lane);
  }
}

/** A page that a visitor can load, and what has to be so in a valid visit. */
interface Row {
  site: string;
  protocol?: Protocol;
  process?: true;
  discovered?: true;
  limits?: Partial<Limits>;
  so?: (performed: Valid) => void | Promise<void>;
}

async function isMeasured(
  context: TestContext,
  visits: Visits,
  { site, protocol = 'h2', process, discovered, limits, so }: Row,
): Promise<void> {
  const url = urlOf(site);
  const performed = await visits.visit(url, protocol, {
    ...(discovered ? { discovery: await visits.discover(url) } : {}),
    spec: {
      limits: { loadTimeoutMs: 15_000, settleMaxMs: 4_000, quietMs: defaultLimits.quietMs, ...limits },
      ...(process ? { isolation: 'process' as const } : {}),
    },
  });
  const { outcome } = performed.visit;
  const metrics = pageMetrics(outcome);
  assert.ok(metrics, JSON.stringify(outcome));
  const { onLoad, speedIndex, requests, transferBytes } = metrics;
  context.diagnostic(`onLoad ${onLoad}, SpeedIndex ${speedIndex}, ${requests} requests, ${transferBytes} bytes`);
  await so?.({ metrics, resources: performed.visit.resources });
}

describe('pages as they are in production, one after the other', { timeout: 120_000 }, () => {
  for (const site of ['application', 'application-timer', 'application-at-once', 'application-tasks'])
    test(`${site}: what it shows at last is measured`, async (context) => {
      const so = ({ metrics, resources }: Valid) => {
        const shown = Number(resources.find(({ url }) => url.includes('/seen?content='))?.url.split('=')[1]);
        const last = metrics.lastVisualChange ?? 0;
        context.diagnostic(`content at ${shown} ms, last change at ${last} ms`);
        assert.ok(Math.abs(last - shown) <= framesMs, `content was shown at ${shown} ms, last change at ${last} ms`);
      };
      await isMeasured(context, laboratory, { site, limits: { settleMaxMs: 15_000 }, so });
    });

  test('a host whose UDP falls silent after its discovery fails, and is there again when it answers', async () => {
    const { web, port } = laboratory.origin;
    const host = `edge-1.pronghorn.test:${port}`;
    const discovery = await laboratory.discover(urlOf('udp-outage'));
    assert.ok(discovery.forced.includes(host), discovery.forced.join());
    const visit = () => laboratory.visit(urlOf('udp-outage'), 'h3', { discovery });
    web?.silenceUdp(true);
    try {
      reasonIs(await visit(), 'incomplete');
    } finally {
      web?.silenceUdp(false);
    }
    const { outcome } = (await visit()).visit;
    assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
  });
});

describe('pages as they are in production, several at once', { timeout: 200_000, concurrency: lanesAtOnce }, () => {
  const valid: Row[] = [
    { site: 'long-task', limits: { settleMaxMs: 15_000 } },
    { site: 'third-parties', so: ({ metrics }) => assert.equal(metrics.hosts, 31) },
    { site: 'third-parties', protocol: 'h3', so: ({ metrics }) => assert.ok(metrics.requests >= 99, `${metrics.requests} requests`) },
    {
      site: 'slow-protocol',
      protocol: 'h3',
      discovered: true,
      so: ({ metrics }) => assert.ok(metrics.onLoad >= 400, `onLoad ${metrics.onLoad}`),
    },
    {
      site: 'preconnect',
      process: true,
      so: async () => {
        const asked = (await readAccessLog(laboratory.origin.accessLog)).findLast(({ host }) => host.startsWith('hinted.'));
        assert.ok((asked?.connectionAgeMs ?? 0) >= 300, `the connection was ${asked?.connectionAgeMs} ms old`);
      },
    },
    {
      site: 'speculation',
      process: true,
      so: async () => {
        const log = await readAccessLog(laboratory.origin.accessLog);
        assert.ok(log.some(({ host, uri }) => host.startsWith('speculation.') && uri === '/next.html'));
      },
    },
    {
      site: 'early-hints',
      so: ({ metrics, resources }) => {
        const sheets = resources.filter(({ url }) => url.endsWith('.css'));
        assert.ok(sheets.length === 2 && sheets.every(({ cache }) => cache === 'none'), sheets.map(({ cache }) => cache).join());
        assert.ok((metrics.documentHeaders ?? 0) >= 600, `headers of the document after ${metrics.documentHeaders} ms`);
      },
    },
    { site: 'service-worker' },
    { site: 'popup-ready' },
    { site: 'popup-load' },
    { site: 'cookie-reload', so: isWhole },
    { site: 'canonical', discovered: true, so: isWhole },
    { site: 'wall-403', so: isWhole },
    { site: 'wall-200', so: isWhole },
    { site: 'wall-reload', so: isWhole },
    { site: 'wall-protocol', so: isWhole },
    { site: 'event-stream' },
    { site: 'long-polling', limits: { settleMaxMs: 3_000 } },
    { site: 'open-fetch', so: ({ resources }) => atLeast(resources, '/open', 1_600) },
    {
      site: 'hero-video',
      so: ({ resources }) => atLeast(resources, '/web/hero.webm', 500_000),
    },
    { site: 'websocket' },
    { site: 'ten-megabytes', so: ({ metrics }) => assert.ok(metrics.transferBytes >= 9_900_000, `${metrics.transferBytes} bytes`) },
    { site: 'animated' },
    { site: 'soft-404' },
    {
      site: 'blocked',
      so: ({ metrics }) => assert.equal(metrics.failedRequests, 0),
    },
    {
      site: 'lazy',
      so: ({ resources }) => {
        const loaded = resources.flatMap(({ url }) => url.split('?at=')[1] ?? []).map(Number);
        assert.ok(loaded.includes(1_000) && !loaded.includes(4_000), `lazy pictures loaded: ${loaded.join(', ')}`);
      },
    },
    { site: 'frames', so: ({ metrics }) => assert.equal(metrics.hosts, 3) },
  ];
  for (const row of valid) {
    const over = row.protocol === undefined ? '' : ` over ${row.protocol}`;
    test(`${row.site}${over} is measured`, (context) => onLane((lane) => isMeasured(context, lane, row)));
  }

  /** Rows of what can't be measured without more, and the reason that has to be told. */
  const invalid: { site: string; protocol?: Protocol; reason: InvalidReason; discovered?: true }[] = [
    { site: 'consent', reason: 'redirected' },
    { site: 'wall-protocol', protocol: 'h1', reason: 'redirected' },
    { site: 'login', reason: 'redirected' },
    { site: 'basic-auth', reason: 'http-status' },
    { site: 'corporate-ca', reason: 'tls-error' },
    { site: 'proxied', reason: 'dns-error' },
    { site: 'no-h3', protocol: 'h3', reason: 'protocol-unavailable', discovered: true },
    { site: 'plain-http', reason: 'protocol-unavailable', discovered: true },
  ];
  for (const { site, protocol = 'h2', reason, discovered } of invalid) {
    test(`${site} over ${protocol}: ${reason}`, () =>
      onLane(async (lane) => {
        const options = discovered ? { discovery: await lane.discover(urlOf(site)) } : {};
        reasonIs(await lane.visit(urlOf(site), protocol, options), reason);
      }));
  }

  /** Of a page that is not measured without: what its visitors have. */
  const visitors: Record<string, (web: Web) => Visitor> = {
    'basic-auth': () => ({ basicAuth: { user: 'ada', password: 'env:STAGING_PASSWORD' } }),
    'corporate-ca': ({ corporateCaFile }) => ({ ca: readFileSync(corporateCaFile, 'utf8') }),
    proxied: ({ proxy }) => ({ proxy: `http://${proxy}` }),
  };
  for (const [site, visitorOf] of Object.entries(visitors))
    test(`${site} is measured by a visitor with the needed settings`, () =>
      onLane(async (lane) => {
        process.env.STAGING_PASSWORD = 'sagebrush';
        const { web } = laboratory.origin;
        assert.ok(web);
        const { outcome } = (await lane.visit(urlOf(site), 'h2', { spec: { visitor: visitorOf(web) } })).visit;
        assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
      }));

  test('a redirect by country is the page, when discovery was sent there too', () =>
    onLane(async (lane) => {
      const discovery = await lane.discover(urlOf('geo'));
      const { outcome } = (await lane.visit(urlOf('geo'), 'h2', { discovery })).visit;
      assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
    }));

  test('one object of a third party that fails makes a visit invalid over no protocol', () =>
    onLane(async (lane) => {
      for (const protocol of ['h1', 'h2', 'h3'] as const)
        assert.equal((await lane.visit(urlOf('flaky-host'), protocol)).visit.outcome.verdict, 'valid', protocol);
    }));

  test('HTTP/3 on another port is reported with its header', () =>
    onLane(async (lane) => {
      const { hosts } = await lane.discover(urlOf('alt-port'));
      assert.match(hosts[0]?.altSvc ?? '', new RegExp(`h3=":${laboratory.origin.port + 1}"`));
    }));
});

interface Valid {
  metrics: PageMetrics;
  resources: readonly Resource[];
}

/** The article, with all that it has; a wall in front of it has a quarter. */
function isWhole({ metrics }: Valid): void {
  assert.ok(metrics.requests >= 30, `${metrics.requests} requests: another page`);
}

function atLeast(resources: readonly Resource[], path: string, bytes: number): void {
  const found = resources.find(({ url }) => new URL(url).pathname === path);
  assert.ok((found?.transferBytes ?? 0) >= bytes, `${path} has ${found?.transferBytes} bytes`);
}

function reasonIs({ visit: { outcome } }: PerformedVisit, reason: InvalidReason): void {
  assert.ok(outcome.verdict === 'invalid', JSON.stringify(outcome));
  assert.equal(outcome.reason, reason, outcome.detail);
}
