// The runner on a machine whose way to the world is as ways to the world are: narrow, with names that have several addresses, half an IPv6.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { isThorough, proves, quickBrowser, samples, thoroughly } from '@pronghorn/core/testing';
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
    await close();
    await world?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  let opened: { way: Partial<Route>; link: Link; visits: Visits } | undefined;
  async function close(): Promise<void> {
    const last = opened;
    opened = undefined;
    await last?.visits.engine.close();
    await last?.link.close();
  }

  /** A link opened on a machine of such a way, as a runner does at its start; the last one where that has the same way. */
  async function over(way: Partial<Route>): Promise<{ link: Link; visits: Visits }> {
    if (opened !== undefined && isDeepStrictEqual(opened.way, way)) return opened;
    await close();
    await world.lead(way);
    const link = await openLink({ choice: 'veth', conditions: [], outside: true });
    // Names are asked for, as on the Internet; the origin's key alone is taken on trust.
    const trust = { spki: world.origin.trust.spki, hostRules: '', outside: true };
    const serves = (hostname: string) => !hostname.startsWith('_');
    opened = { way, link, visits: visitsOver(link, { trust, serves, settings: world.origin.settings }) };
    return opened;
  }

  const urlOf = (site: string) => world.origin.sites.find(({ name }) => name === site)?.url ?? assert.fail(site);

  /** Addresses that each protocol of a round came to. */
  async function round(link: Link, visits: Visits, url: string, protocols: readonly Protocol[]): Promise<string[]> {
    await link.beginRound?.([url]);
    const reached: string[] = [];
    for (const protocol of protocols) {
      const { outcome, resources } = (await visits.visit(url, protocol, { spec: { isolation: 'process', browser: quickBrowser } })).visit;
      assert.equal(outcome.verdict, 'valid', `${protocol}: ${JSON.stringify(outcome)}`);
      reached.push([...new Set(resources.map(({ remoteAddress }) => remoteAddress?.replace(/:\d+$/, '')))].join(' and '));
    }
    return reached;
  }

  /** Bytes of a picture of 4 MB that come over TCP: all of them, however long they take, or those of a minute. */
  const bytesOfPicture = async ({ vantagePoint: { enter } }: Link): Promise<number> => {
    const script = `process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; process.removeAllListeners('warning');
      const https = require('node:https');
      let bytes = 0;
      const tell = () => { console.log(bytes); process.exit(); };
      const get = (path, each) => https.get('${urlOf('large-objects')}' + path, { family: 4 }, each).on('error', () => {});
      get('', (page) => { let text = ''; page.on('data', (part) => { text += part; bytes += part.length; }).on('end', () => get(/assets\\/print-1[^"]*/.exec(text)[0], (picture) => picture.on('data', (part) => (bytes += part.length)).on('end', tell))); });
      setTimeout(tell, 60000);`;
    return Number(await run([...enter, process.execPath, '--input-type=commonjs', '-e', script]));
  };

  test(
    'TCP gets through an uplink of 1,400 bytes whose router keeps silent, and through one of 1,500',
    proves('production-pages'),
    async () => {
      for (const way of [{ mtu: 1_400, icmp: false }, {}]) {
        const bytes = await bytesOfPicture((await over(way)).link);
        assert.ok(bytes > 4_000_000, `${bytes} bytes in a minute, over ${JSON.stringify(way)}`);
      }
    },
  );

  test(
    'each protocol of a round reaches one server: of a name with four addresses, and of one whose families lead to two',
    proves('protocols'),
    async (context) => {
      const { link, visits } = await over({});
      // One over TCP, and QUIC.
      const protocols = isThorough ? (['h1', 'h2', 'h3'] as const) : (['h2', 'h3'] as const);
      for (const url of [urlOf(split.site), rotating.url(world.origin)]) {
        const rounds: string[][] = [];
        for (let n = 0; n < samples(1, 2); n++) rounds.push(await round(link, visits, url, protocols));
        context.diagnostic(`${url}: ${rounds.map((reached) => reached.join(' ')).join(', ')}`);
        assert.deepEqual(
          rounds.filter((reached) => new Set(reached).size > 1),
          [],
        );
      }
    },
  );

  test('HTTP/3 that an HTTPS record alone announces is found, and measured', proves('alt-svc', 'discovery'), async () => {
    const { link, visits } = await over({});
    const url = urlOf('https-record');
    await link.beginRound?.([url]);
    const discovery = await visits.discover(url, { isolation: 'process', browser: quickBrowser });
    assert.deepEqual(discovery.forced, [new URL(url).host]);
    assert.equal(discovery.hosts[0]?.altSvc, null);
    const { outcome } = (await visits.visit(url, 'h3', { discovery, spec: { isolation: 'process' } })).visit;
    assert.equal(outcome.verdict, 'valid', JSON.stringify(outcome));
  });

  async function isInNoProtocolsWay(v6: Route['v6']): Promise<void> {
    const { link, visits } = await over({ v6 });
    const reached = await round(link, visits, urlOf(split.site), ['h2', 'h3']);
    assert.ok(
      reached.every((address) => address.startsWith('44.55.66.')),
      reached.join(),
    );
  }

  test('IPv6 that leads nowhere is in the way of no protocol', proves('production-pages'), () => isInNoProtocolsWay('nowhere'));

  test('IPv6 that is slower than IPv4 is in the way of no protocol', thoroughly('production-pages'), () => isInNoProtocolsWay('slow'));
});
