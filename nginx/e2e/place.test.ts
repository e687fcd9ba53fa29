import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { isThorough, proves } from '@pronghorn/core/testing';
import { hosts } from '../src/hosts/hosts.ts';
import { addressesOf } from '../src/hosts/place.ts';
import { type Origin, serverNames, startOrigin } from '../src/index.ts';
import { logEnd, loggedSince } from './access-log.ts';
import { launchChrome, timeout } from './chrome.ts';
import { needsRoot, openPair, type Pair, visitAddresses } from './namespaces.ts';
import { temporaryFolder, temporaryOrigin } from './temporary-origin.ts';

const run = promisify(execFile);

for (const server of serverNames) {
  describe(`${server} in another network namespace`, { ...proves('servers'), skip: needsRoot }, () => {
    let pair: Pair;
    let origin: Origin;
    let close: () => Promise<void>;
    before(async () => {
      pair = await openPair();
      ({ origin, close } = await temporaryOrigin({ server, place: pair.place }));
    });
    after(async () => {
      await close();
      await pair.close();
    });

    /** The origin with every name at its IPv4 (0) or IPv6 (1) address. */
    const by = (family: number): Origin => {
      const rules = hosts.map((host) => `MAP ${host.name} ${addressesOf(host, origin.place)[family]}`);
      return { ...origin, trust: { ...origin.trust, hostRules: rules.join(',') } };
    };

    for (const [family, name] of ['IPv4', 'IPv6'].entries()) {
      test(`it answers h1 and h2 over ${name}, files and the upstream, and logs who asked`, async () => {
        const before = await logEnd(origin);
        const urls = [origin.sites[0]?.url as string, origin.odd.empty];
        const { sites: _, odd: __, stop: ___, ...there } = by(family);
        const program = `
          import { overH1, overH2 } from ${JSON.stringify(new URL('./requests.ts', import.meta.url).href)};
          const origin = ${JSON.stringify(there)};
          const answers = [];
          for (const url of ${JSON.stringify(urls)}) answers.push(await overH1(origin, url), ...(await overH2(origin, [url])));
          console.log(JSON.stringify(answers.map(({ alpn, status }) => alpn + ' ' + status)));`;
        const [enter = '', ...args] = [...pair.visit, process.execPath, '--input-type=module', '-e', program];
        const { stdout } = await run(enter, args);
        assert.deepEqual(JSON.parse(stdout), ['http/1.1 200', 'h2 200', 'http/1.1 200', 'h2 200']);
        const logged = await loggedSince(origin, before, ({ length }) => length >= 4);
        assert.deepEqual(new Set(logged.map(({ remoteAddress }) => remoteAddress)), new Set([visitAddresses[family]]));
        assert.equal(logged.length, 4);
      });

      // Every link has IPv4, and sites.test.ts loads pages from the other server.
      if ((name === 'IPv4' || server !== 'nginx') && !isThorough) continue;
      test(`Chrome gets all of a page over h3 and ${name}`, async () => {
        const rules = by(family).trust.hostRules.replace(/ (\S*:\S*)(?=,|$)/g, ' [$1]');
        const browser = await launchChrome({ ...origin, trust: { ...origin.trust, hostRules: rules } }, 'h3', pair.visit);
        try {
          const before = await logEnd(origin);
          const page = await browser.newPage();
          await page.goto(origin.sites[1]?.url as string, { waitUntil: 'load', timeout });
          const logged = await loggedSince(origin, before, ({ length }) => length >= 80);
          assert.deepEqual(
            new Set(logged.map(({ protocol, remoteAddress, status }) => `${protocol} ${remoteAddress} ${status}`)),
            new Set([`h3 ${visitAddresses[family]} 200`]),
          );
        } finally {
          await browser.close();
        }
      });
    }

    test('it has the port that it prefers, and no settings of the loopback', () => {
      assert.equal(origin.port, 4433);
      const { tcp } = origin.settings as { tcp: Record<string, unknown> };
      assert.equal('loopbackMtu' in tcp, false);
      assert.match(String(tcp.defaultCongestionControl), /^[a-z0-9]+$/);
    });

    test('addresses that the place lacks are named', async (t) => {
      const nowhere = { ...pair.place, addressPrefix: '10.115.9.' };
      const directory = await temporaryFolder();
      t.after(() => rm(directory, { recursive: true }));
      await assert.rejects(
        startOrigin({ directory, server, place: nowhere }),
        /did not start: .*10\.115\.9\.\d+:4433.*assign requested address/,
      );
    });
  });
}
