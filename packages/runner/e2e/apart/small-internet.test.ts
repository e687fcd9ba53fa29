// The runner on a machine whose way to the world is as ways to the world are: narrow, with names that have several addresses, half an IPv6.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { type Link, openLink } from '../../src/link/link.ts';
import { run } from '../../src/machine/run.ts';
import { onMachine } from '../egress-bench.ts';
import { type Visits, visitsOver } from '../laboratory.ts';
import { openInternet, type Route, rotating, type SmallInternet, split } from '../small-internet.ts';

await onMachine(import.meta.filename, 'a machine on a small Internet', () => {
  const directory = mkdtempSync(join(tmpdir(), 'pronghorn-internet-'));
  let world: SmallInternet;
  before(async () => {
    world = await openInternet(directory);
  });
  after(async () => {
    await world?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** With a link opened on a machine of such a way, as a runner does at its start. */
  async function over(way: Partial<Route>, body: (link: Link, visits: Visits) => Promise<void>): Promise<void> {
    await world.lead(way);
    const link = await openLink({ choice: 'veth', conditions: [], outside: true });
    // Names are asked for, as on the Internet; the origin's key alone is taken on trust.
    const trust = { spki: world.origin.trust.spki, hostRules: '', outside: true };
    const serves = (hostname: string) => !hostname.startsWith('_');
    const visits = visitsOver(link, { trust, serves, settings: world.origin.settings });
    try {
      await body(link, visits);
    } finally {
      await visits.engine.close();
      await link.close();
    }
  }

  const urlOf = (site: string) => world.origin.sites.find(({ name }) => name === site)?.url ?? assert.fail(site);

  /** Addresses that each protocol of a round came to. */
  async function round(link: Link, visits: Visits, url: string, protocols: readonly Protocol[] = ['h1', 'h2', 'h3']): Promise<string[]> {
    await link.beginRound?.([url]);
    const reached: string[] = [];
    for (const protocol of protocols) {
      const { outcome, resources } = (await visits.visit(url, protocol, { spec: { limits: { quietMs: 100 } } })).visit;
      assert.equal(outcome.verdict, 'valid', `${protocol}: ${JSON.stringify(outcome)}`);
      reached.push([...new Set(resources.map(({ remoteAddress }) => remoteAddress?.replace(/:\d+$/, '')))].join(' and '));
    }
    return reached;
  }

  /** Bytes of a picture of 4 MB that come over TCP, within three seconds at most. */
  const bytesIn3s = async ({ vantagePoint: { enter } }: Link): Promise<number> => {
    const script = `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; process.removeAllListeners('warning');
      const https = require('node:https');
      let bytes = 0;
      const tell = () => { console.log(bytes); process.exit(); };
      const get = (path, each) => https.get('${urlOf('large-objects')}' + path, { family: 4 }, each).on('error', () => {});
      get('', (page) => { let text = ''; page.on('data', (part) => { text += part; bytes += part.length; }).on('end', () => get(/assets\\/print-1[^"]*/.exec(text)[0], (picture) => picture.on('data', (part) => (bytes += part.length)).on('end', tell))); });
      setTimeout(tell, 3000);`;
    return Number(await run([...enter, process.execPath, '--input-type=commonjs', '-e', script]));
  };

  test('TCP gets through an uplink of 1,500 bytes, and through one of 1,400 whose router keeps silent', async () => {
    for (const way of [{}, { mtu: 1_400, icmp: false }])
      await over(way, async (link) => {
        const bytes = await bytesIn3s(link);
        assert.ok(bytes > 4_000_000, `${bytes} bytes in 3 s, over ${JSON.stringify(way)}`);
      });
  });

  test('h1, h2 and h3 of a round reach one server: of a name with four addresses, and of one whose families lead to two', async (context) => {
    await over({}, async (link, visits) => {
      for (const url of [urlOf(split.site), rotating.url(world.origin)]) {
        const rounds: string[][] = [];
        for (let n = 0; n < Number(process.env.ROUNDS ?? 2); n++) rounds.push(await round(link, visits, url));
        context.diagnostic(`${url}: ${rounds.map((reached) => reached.join(' ')).join(', ')}`);
        assert.deepEqual(
          rounds.filter((reached) => new Set(reached).size > 1),
          [],
        );
      }
    });
  });

  for (const v6 of ['slow', 'nowhere'] as const)
    test(`IPv6 that ${v6 === 'slow' ? 'is slower than IPv4' : 'leads nowhere'} is in the way of no protocol`, async () => {
      await over({ v6 }, async (link, visits) => {
        const reached = await round(link, visits, urlOf(split.site), ['h2', 'h3']);
        assert.ok(
          reached.every((address) => address.startsWith('44.55.66.')),
          reached.join(),
        );
      });
    });

  test('HTTP/3 that an HTTPS record alone announces is found, and measured', async () => {
    await over({}, async (link, visits) => {
      const url = urlOf('https-record');
      await link.beginRound?.([url]);
      const discovery = await visits.discover(url);
      assert.deepEqual(discovery.forced, [new URL(url).host]);
      assert.equal(discovery.hosts[0]?.altSvc, null);
      const { outcome } = (await visits.visit(url, 'h3', { discovery })).visit;
      assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
    });
  });
});
