// What a visit counts, on the stored evidence of pages whose requests end in unusual ways (fixtures/make-evidence.ts, e2e/odd-server.ts).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Evidence, NetworkEvent } from '../gather/evidence.ts';
import { deriveMetrics } from './outcome.ts';
import { deriveResources } from './resources.ts';
import { traffic } from './traffic.ts';

const stored = (name: string): Evidence =>
  JSON.parse(gunzipSync(readFileSync(new URL(`../../fixtures/${name}.evidence.json.gz`, import.meta.url))).toString()).evidence;
const countsOf = (name: string) => traffic(deriveResources(stored(name)));

const mebibyte = 1024 * 1024;

test('images that a policy forbids never left Chrome: no requests, and no failures', () => {
  const { requests, failedRequests, blockedRequests } = countsOf('policy');
  assert.deepEqual({ requests, failedRequests, blockedRequests }, { requests: 1, failedRequests: 0, blockedRequests: 5 });
});

test('what the page took back and what CORS kept from it are blocked; only what the network failed is failed', () => {
  const { requests, failedRequests, blockedRequests } = countsOf('stopped');
  assert.deepEqual({ requests, failedRequests, blockedRequests }, { requests: 4, failedRequests: 1, blockedRequests: 2 });
  const told = deriveResources(stored('stopped')).map(({ url, failure, blocked }) => [new URL(url).pathname, failure, blocked]);
  assert.deepEqual(told, [
    ['/stopped', null, null],
    ['/silent', null, 'aborted'],
    ['/style.css', null, 'cors: MissingAllowOriginHeader'],
    ['/cut', 'net::ERR_HTTP2_PROTOCOL_ERROR', null],
  ]);
});

test('what Chrome takes for an address and is none is no request, and harms no other', () => {
  const evidence = stored('stopped');
  const [document] = evidence.network;
  assert.ok(document?.method === 'Network.requestWillBeSent');
  const asked = (url: string): NetworkEvent => {
    const { request } = document.params;
    return { ...document, params: { ...document.params, requestId: url, request: { ...request, url } } };
  };
  const typos = { ...evidence, network: [...evidence.network, asked('http://a%20b/x.png'), asked('https://%20example.com/')] };
  assert.deepEqual(deriveResources(typos), deriveResources(evidence));
});

test('bytes of what the visit’s end cut off, and of what the page took back, are those that came', () => {
  for (const name of ['unfinished', 'taken-back']) {
    const { transferBytes, finishedBytes, h2ByteShare } = countsOf(name);
    assert.ok(transferBytes > 2 * mebibyte && transferBytes < 2.1 * mebibyte, `${name}: ${transferBytes} bytes`);
    assert.ok(finishedBytes < 1_000, `${name}: ${finishedBytes} bytes are of what finished`);
    assert.equal(h2ByteShare, 1);
  }
});

test('what an Early Hint preloaded came over the network, whatever cache it was read from', () => {
  const hinted = stored('hinted');
  const style = deriveResources(hinted).find(({ type }) => type === 'Stylesheet');
  assert.deepEqual(
    {
      cache: style?.cache,
      initiator: style?.initiatorType,
      protocol: style?.protocol,
      connection: style?.connectionId,
      waitMs: style?.waitMs,
    },
    { cache: 'none', initiator: 'early-hints', protocol: 'h2', connection: null, waitMs: null },
  );
  assert.equal(style?.transferBytes, 20_025);
  assert.equal(countsOf('hinted').requests, 2);
});

test('the first byte is that of the hints, and the document’s own headers have a time of their own', () => {
  const { page, sockets, ...evidence } = stored('hinted');
  assert.ok(page);
  const { ttfb, documentHeaders } = deriveMetrics(page, deriveResources({ ...evidence, page }), { sockets }, null);
  assert.ok(ttfb < 100 && documentHeaders !== null && documentHeaders > 400, `${ttfb}, ${documentHeaders} ms`);
});

test('a navigation that starts again for client hints was two requests, and the one that nobody knows the protocol of is in no share', () => {
  const { requests, h1Share, h2Share, connections } = countsOf('critical');
  assert.deepEqual({ requests, h1Share, h2Share, connections }, { requests: 2, h1Share: 0, h2Share: 1, connections: 1 });
});

test('a redirect that Chrome makes itself is no object: the server never saw it', () => {
  const critical = stored('critical');
  const [first, , ...rest] = critical.network;
  const second = critical.network[1];
  assert.ok(first?.method === 'Network.requestWillBeSent' && second?.method === 'Network.requestWillBeSent');
  // As HSTS does it: from http to https, with a header that says so.
  const network: NetworkEvent[] = [
    { ...first, params: { ...first.params, request: { ...first.params.request, url: 'http://odd.pronghorn.test/critical' } } },
    { ...second, params: { ...second.params, redirectResponse: internal(second.params.redirectResponse) } },
    ...rest,
  ];
  const [document, ...others] = deriveResources({ ...critical, network });
  assert.deepEqual([document?.url, document?.protocol, others.length], ['https://odd.pronghorn.test/critical', 'h2', 0]);
});

function internal(response: Extract<NetworkEvent, { method: 'Network.requestWillBeSent' }>['params']['redirectResponse']) {
  assert.ok(response);
  return { ...response, url: 'http://odd.pronghorn.test/critical', headers: { ...response.headers, 'Non-Authoritative-Reason': 'HSTS' } };
}
