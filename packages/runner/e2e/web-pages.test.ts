// The pages of the web: what the runner is to say of each. More of them: thorough/web-pages.test.ts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Visitor } from '@pronghorn/core/schemas';
import { proves, quickBrowser, thoroughly } from '@pronghorn/core/testing';
import type { InvalidReason, Protocol } from '@pronghorn/core/vocabulary';
import type { Origin } from '@pronghorn/origin';
import { type Laboratory, openLaboratory } from './laboratory.ts';
import { isMeasured, isWhole, lastShown, type Row, reasonIs, urlOf } from './web-pages.ts';

describe('pages as they are in production', { ...proves('production-pages', 'invalid-visits'), timeout: 900_000 }, () => {
  let laboratory: Laboratory;
  before(async () => {
    laboratory = await openLaboratory({ web: true, browser: quickBrowser });
  });
  after(() => laboratory.close());

  test('an application that fetches after its load: what it shows at last is measured', (context) =>
    isMeasured(context, laboratory, {
      site: 'application',
      limits: { settleMaxMs: 15_000 },
      so: (valid) => {
        const { shown, last, words } = lastShown(valid);
        // How much later it is on the screen is the machine's matter. Pages tell whole milliseconds.
        assert.ok(last >= shown - 1, words);
      },
    }));

  test('a host whose UDP falls silent after its discovery fails, and is there again when it answers', async () => {
    const { origin, discover, visit } = laboratory;
    const url = urlOf(laboratory, 'udp-outage');
    const host = `edge-1.pronghorn.test:${origin.port}`;
    const discovery = await discover(url);
    assert.ok(discovery.forced.includes(host), discovery.forced.join());
    origin.web?.silenceUdp(true);
    try {
      reasonIs(await visit(url, 'h3', { discovery }), 'incomplete');
    } finally {
      origin.web?.silenceUdp(false);
    }
    const { outcome } = (await visit(url, 'h3', { discovery })).visit;
    assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
  });

  // Reloads, popups, frames, hints and streams that stay open have first tests of their own: end-of-visit, chrome and counts.
  const valid: Row[] = [
    {
      site: 'third-parties',
      protocol: 'h3',
      ownChrome: true,
      so: ({ metrics }) =>
        assert.ok(metrics.hosts === 31 && metrics.requests >= 99, `${metrics.hosts} hosts, ${metrics.requests} requests`),
    },
    { site: 'service-worker' },
    { site: 'wall-403', so: isWhole },
    { site: 'blocked', so: ({ metrics }) => assert.equal(metrics.failedRequests, 0) },
    {
      site: 'lazy',
      so: ({ resources }) => {
        const loaded = resources.flatMap(({ url }) => url.split('?at=')[1] ?? []).map(Number);
        assert.ok(loaded.includes(1_000) && !loaded.includes(4_000), `lazy pictures loaded: ${loaded.join(', ')}`);
      },
    },
  ];
  for (const row of valid) test(`${row.site} is measured`, (context) => isMeasured(context, laboratory, row));

  /** Rows of what can't be measured without more, and the reason that has to be told. */
  const invalid: { site: string; protocol?: Protocol; reason: InvalidReason; discovered?: true }[] = [
    { site: 'consent', reason: 'redirected' },
    { site: 'basic-auth', reason: 'http-status' },
    { site: 'corporate-ca', reason: 'tls-error' },
    { site: 'proxied', reason: 'dns-error' },
    { site: 'no-h3', protocol: 'h3', reason: 'protocol-unavailable', discovered: true },
  ];
  for (const { site, protocol = 'h2', reason, discovered } of invalid) {
    test(`${site} over ${protocol}: ${reason}`, async () => {
      const options = discovered ? { discovery: await laboratory.discover(urlOf(laboratory, site)) } : {};
      reasonIs(await laboratory.visit(urlOf(laboratory, site), protocol, options), reason);
    });
  }

  /** Of a page that is not measured without: what its visitors have. */
  const visitors: Record<string, (origin: NonNullable<Origin['web']>) => Visitor> = {
    'basic-auth': () => ({ basicAuth: { user: 'ada', password: 'env:STAGING_PASSWORD' } }),
    'corporate-ca': ({ corporateCaFile }) => ({ ca: readFileSync(corporateCaFile, 'utf8') }),
    proxied: ({ proxy }) => ({ proxy: `http://${proxy}` }),
  };
  for (const [site, visitorOf] of Object.entries(visitors))
    test(`${site} is measured by a visitor with the needed settings`, thoroughly('visitors'), async () => {
      process.env.STAGING_PASSWORD = 'sagebrush';
      const { web: servers } = laboratory.origin;
      assert.ok(servers);
      const { outcome } = (await laboratory.visit(urlOf(laboratory, site), 'h2', { spec: { visitor: visitorOf(servers) } })).visit;
      assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
    });

  test('a redirect by country is the page, when discovery was sent there too', async () => {
    const discovery = await laboratory.discover(urlOf(laboratory, 'geo'), { protocols: ['h2'] });
    const { outcome } = (await laboratory.visit(urlOf(laboratory, 'geo'), 'h2', { discovery })).visit;
    assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
  });

  test('one object of a third party that fails makes no visit invalid', async () => {
    const { outcome } = (await laboratory.visit(urlOf(laboratory, 'flaky-host'), 'h2')).visit;
    assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
  });

  test('HTTP/3 on another port is reported with its header', async () => {
    const { hosts } = await laboratory.discover(urlOf(laboratory, 'alt-port'));
    assert.match(hosts[0]?.altSvc ?? '', new RegExp(`h3=":${laboratory.origin.port + 1}"`));
  });
});
