import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMs } from '@pronghorn/core/testing';
import { madeSpec } from '../../../core/fixtures/made-campaign.ts';
import type { Evidence, NetworkEvent } from '../gather/evidence.ts';
import { standInEngine } from '../testing/stand-in-engine.ts';
import { discoverSite, pageHints } from './discover.ts';
import { unavailable } from './unavailable.ts';

const site = { id: 'a', url: 'https://a.example/', name: 'a', expectStatus: 200 };

test('a discovery fits into what the api accepts, whatever a page writes', async () => {
  const engine = standInEngine({ loadMs: 0, resources: 3_000 });
  const long = 'x'.repeat(8_000);
  const found = await discoverSite(
    {
      ...engine,
      httpsRecords: async (names) =>
        new Map(
          names.map((name) => [name, [{ priority: 1, target: '', alpn: ['h2', long.slice(0, 255), long.slice(0, 255)], port: null }]]),
        ),
      load: async (load) => {
        const { evidence, environment } = await engine.load({ ...load, protocol: 'h2' });
        let place = 0;
        const network = evidence.network.map((event) => {
          if (event.method === 'Network.requestWillBeSent' && place++ > 0)
            event.params.request.url = `https://h${place}.a.example/${place % 2 === 0 ? `${place}${long}` : ''}`;
          if (event.method === 'Network.responseReceived' && place > 1) {
            event.params.response.headers = {
              server: '"'.repeat(8_000),
              'content-encoding': '"'.repeat(8_000),
              'alt-svc': `h2=":443"; ma="${'"'.repeat(8_000)}`,
            };
            if (place % 2 === 0) event.params.response.status = 500;
            event.params.type = 'Script';
          }
          return event;
        });
        const page = evidence.page && { ...evidence.page, hints: Array.from({ length: 200 }, (_, i) => `preconnect https://${i}.${long}`) };
        return { evidence: { ...evidence, network, page }, environment };
      },
    },
    site,
    { id: '1', spec: madeSpec({ protocols: ['h2'] }), verdicts: {}, replaces: null },
    'test',
  );
  assert.equal(found.failure, null);
  assert.deepEqual([found.hosts.length, found.hints?.length], [1_000, 100]);
  assert.ok((found.answers?.length ?? 0) > 1_000, `${found.answers?.length} answers`);
  assert.ok(Buffer.byteLength(JSON.stringify(found)) < 8 * 2 ** 20);
});

test('a site whose HTTP/2 is broken is discovered over HTTP/1.1, and lacks neither', async () => {
  const engine = standInEngine({ loadMs: 0, resources: 3 });
  const loads: string[] = [];
  const found = await discoverSite(
    {
      ...engine,
      load: async (load) => {
        loads.push(load.protocol);
        const loaded = await engine.load(load);
        if (load.protocol === 'h1') return loaded;
        const end = { kind: 'navigation-failed', error: 'net::ERR_HTTP2_PROTOCOL_ERROR' } as const;
        return { ...loaded, evidence: { ...loaded.evidence, end, network: [], page: null } };
      },
    },
    site,
    { id: '1', spec: madeSpec({ protocols: ['h1', 'h2'] }), verdicts: {}, replaces: null },
    'test',
  );
  assert.equal(found.failure, null);
  assert.deepEqual(loads, ['h2', 'h2', 'h2', 'h1']);
  assert.deepEqual([unavailable('h1', found, 'forced'), unavailable('h2', found, 'forced')], [null, null]);
});

test('a page that hangs is told of after its first try, by what is still open, and is loaded once more', async () => {
  const engine = standInEngine({ loadMs: 0, resources: 3 });
  const [loads, warned]: [string[], string[]] = [[], []];
  const hanging = (isCured: boolean) =>
    discoverSite(
      {
        ...engine,
        load: async (load) => {
          loads.push(load.protocol);
          const loaded = await engine.load(load);
          if (isCured && load.protocol === 'h1') return loaded;
          const network = loaded.evidence.network.slice(0, -1).map((event, place) => {
            if (event.method === 'Network.requestWillBeSent' && place > 3) event.params.request.url = 'https://a.example/hang?token=1';
            return event;
          });
          return { ...loaded, evidence: { ...loaded.evidence, network, end: { kind: 'load-timeout', afterMs: 60_000, openRequests: 1 } } };
        },
      },
      site,
      { id: '1', spec: madeSpec({ protocols: ['h2'] }), verdicts: {}, replaces: null, warned: (text) => warned.push(text) },
      'test',
    );
  const detail = 'No load event after 60 s, still open: https://a.example/hang.';
  assert.deepEqual((await hanging(false)).failure, { reason: 'load-timeout', detail });
  assert.deepEqual([loads, warned], [['h2', 'h1'], [`a: ${detail} It is loaded once more, over HTTP/1.1.`]]);
  assert.equal((await hanging(true)).failure, null, 'one that hangs over HTTP/2 alone');
});

const answer = (headers: Record<string, string>, type = 'Document') =>
  ({
    method: 'Network.responseReceived',
    params: { type, response: { url: 'https://example.org/a/', headers } },
  }) as unknown as NetworkEvent;
const hints = (network: NetworkEvent[], ofDocument: string[] = []) =>
  pageHints({ network, page: { hints: ofDocument } as Evidence['page'] });

test('hints are those of the document and of its headers, each once', () => {
  const link =
    '<https://cdn.example>; rel=preconnect; crossorigin, </style.css>; rel=preload; as=style, <//img.example>; rel="dns-prefetch"';
  assert.deepEqual(hints([answer({ Link: link, 'Speculation-Rules': '"/rules.json"' })], ['preconnect https://cdn.example/']), [
    'preconnect https://cdn.example/',
    'dns-prefetch https://img.example/',
    'speculation rules',
  ]);
});

test('what works in every context is no hint, nor is what other resources say', () => {
  assert.deepEqual(hints([answer({ link: '</a.js>; rel=modulepreload' }), answer({ link: '<https://b>; rel=preconnect' }, 'Image')]), []);
  assert.deepEqual(pageHints({ network: [], page: null }), []);
});

test('hints are as long as addresses are, however long a page writes them', () => {
  const long = `https://cdn.example/${'x'.repeat(250_000)}`;
  const found = hints([answer({ link: `<${long}>; rel=preconnect` })], [`dns-prefetch ${long}`]);
  assert.deepEqual(
    found.map(({ length }) => length),
    [2_001, 2_001],
  );
});

test('a header of 250 KB of broken links is read at once', async () => {
  const cut = '<https://cdn.example>; rel=preconnect; title="a, <https://img.example>;rel="x dns-prefetch"; rel';
  assert.deepEqual(hints([answer({ link: cut })]), ['preconnect https://cdn.example/', 'dns-prefetch https://img.example/']);
  const ms = await cpuMs(() => {
    for (const piece of ['<a>;rel=x ', '<>;rel=', '<', '<a> ;;', '<a>;rel="'])
      hints([answer({ link: piece.repeat(250_000 / piece.length) })]);
  });
  assert.ok(ms < 2_500, `it took ${ms} ms`);
});
