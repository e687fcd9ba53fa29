import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isThorough, proves } from '@pronghorn/core/testing';
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { Origin } from '../src/index.ts';
import { logEnd, loggedSince } from './access-log.ts';
import { launchChrome, timeout } from './chrome.ts';
import { firstServers, temporaryOrigin } from './temporary-origin.ts';

for (const server of firstServers) {
  describe(`on ${server}`, proves('servers', 'demo'), () => {
    let origin: Origin;
    let close: () => Promise<void>;
    before(async () => {
      ({ origin, close } = await temporaryOrigin({ server }));
    });
    after(() => close());

    const alpn = { h1: 'http/1.1', h2: 'h2', h3: 'h3' };
    /** What a host speaks to a Chrome that may use `allowed` and whatever is older. */
    const spoken = (protocols: readonly Protocol[], allowed: Protocol) =>
      (allowed === 'h3' && protocols.includes('h3') && 'h3') || (allowed !== 'h1' && protocols.includes('h2') && 'h2') || 'http/1.1';

    // Over HTTP/3 a page has hosts that speak HTTP/2 alone, too; other requests over the older ones: protocols.test.ts.
    for (const protocol of isThorough ? (['h1', 'h2', 'h3'] as const) : (['h3'] as const)) {
      test(`every object of every site comes over ${protocol}, where its host speaks that: Chrome and the server's log agree`, async (t) => {
        const browser = await launchChrome(origin, protocol);
        try {
          for (const { name, url, hosts } of origin.sites.filter(({ truth }) => !truth)) {
            const before = await logEnd(origin);
            const page = await browser.newPage();
            const errors: string[] = [];
            const seen: { host: string; protocol: string; status: number }[] = [];
            page.on('pageerror', (error) => errors.push(String(error)));
            const session = await page.createCDPSession();
            await session.send('Network.enable');
            session.on('Network.responseReceived', ({ response }) => {
              seen.push({ host: new URL(response.url).host, protocol: response.protocol ?? '', status: response.status });
            });
            await page.goto(url, { waitUntil: 'networkidle0', timeout });
            await page.close();

            assert.deepEqual(errors, []);
            const refused = hosts.filter(({ protocols }) => protocol === 'h1' && !protocols.includes('h1')).map(({ host }) => host);
            const logged = await loggedSince(origin, before, ({ length }) => length >= seen.length);
            for (const entry of logged.filter(({ host }) => !refused.includes(host))) {
              const { protocols } = hosts.find(({ host }) => host === entry.host) ?? { protocols: [] };
              assert.deepEqual([entry.host, entry.status, entry.protocol], [entry.host, 200, spoken(protocols, protocol)], entry.uri);
            }
            // Chrome blocks a refusal before it becomes a response; all else both have seen.
            const count = (list: { host: string; protocol: string }[]) => list.map(({ host, protocol: by }) => `${host} ${by}`).sort();
            assert.deepEqual(count(seen), count(logged.filter(({ host }) => !refused.includes(host))));
            assert.deepEqual(
              [...new Set(logged.map(({ host }) => host))].sort(),
              hosts.map(({ host }) => host).sort(),
              'every host is used, and no other',
            );
            if (name !== 'sharded') assert.ok(logged.every((entry) => entry.protocol === alpn[protocol]));
            const bytes = logged.reduce((sum, entry) => sum + (entry.bytes ?? entry.bodyBytes), 0);
            t.diagnostic(`${protocol} ${name}: ${logged.length} requests, ${(bytes / 1e6).toFixed(2)} MB`);
          }
        } finally {
          await browser.close();
        }
      });
    }
  });
}
