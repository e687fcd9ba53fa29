import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { CDPSession } from 'puppeteer-core';
import { deriveResources } from '../derive/resources.ts';
import type { NetworkEvent } from '../gather/evidence.ts';
import { NetworkLog } from '../gather/network-log.ts';
import type { Carrier } from './inside.ts';
import { nameOfError } from './session.ts';
import { type BidiNetworkEvent, nameConnections, Translator } from './translate.ts';

/** What Firefox 153 said at the beginning of visits, without the headers of requests. */
interface Recording {
  events: { method: BidiNetworkEvent[0]; params: never }[];
  carriers: Carrier[];
}
const recorded: Record<string, Recording> = JSON.parse(readFileSync(new URL('./recorded.json', import.meta.url), 'utf8'));

function resourcesOf(name: string) {
  const { events, carriers } = recorded[name] as Recording;
  return derive(heard(events), carriers);
}

/** What is kept of a visit's events. */
function heard(events: Recording['events']): NetworkLog {
  const session = new EventEmitter();
  const log = new NetworkLog(() => {});
  void log.attend(Object.assign(session, { send: async () => ({}) }) as unknown as CDPSession);
  const translator = new Translator();
  for (const { method, params } of events)
    for (const [event, translated] of translator.translate([method, params] as BidiNetworkEvent)) session.emit(event, translated);
  return log;
}

const derive = ({ events, bodyBytes, receivedBytes }: NetworkLog, carriers: readonly Carrier[]) =>
  deriveResources({ network: nameConnections(events, carriers), bodyBytes, receivedBytes, page: null, untold: ['sizes'] });

test('Firefox’s report of an answer is translated to Chrome’s: protocol, connection, type, phases', () => {
  const resources = resourcesOf('shop-h3');
  assert.deepEqual(
    resources.map(({ type, protocol, connectionId, connectionReused, remoteAddress, status }) => [
      ...[type, protocol, connectionId, connectionReused, remoteAddress, status],
    ]),
    [
      ['Document', 'h2', 1, false, '127.0.0.12:4433', 200],
      ['Stylesheet', 'h3', 2, false, '127.0.0.12:4433', 200],
      ['Stylesheet', 'h3', 2, true, '127.0.0.12:4433', 200],
    ],
  );
  const [document] = resources;
  assert.ok((document?.connectMs ?? 0) > 0 && (document?.tlsMs ?? 0) > 0 && (document?.tlsMs ?? 0) <= (document?.connectMs ?? 0));
  assert.match(document?.altSvc ?? '', /h3=/);
  for (const { url, startMs, endMs, queueingMs, dnsMs, connectMs, sendMs, waitMs, receiveMs, transferBytes, bodyBytes } of resources) {
    const phases = [queueingMs, dnsMs, connectMs, sendMs, waitMs, receiveMs].reduce<number>((sum, ms) => sum + (ms ?? 0), 0);
    assert.ok(
      endMs !== null && Math.abs(phases - (endMs - startMs)) < 0.01,
      `${url}: ${phases} of ${endMs === null ? null : endMs - startMs}`,
    );
    // Of compressed answers Firefox 153 doesn't tell what they hold.
    assert.ok(bodyBytes === null && transferBytes > 0, url);
  }
});

test('a redirect is a resource of its own, with its own connection', () => {
  const [redirect, document, font] = resourcesOf('redirect-h2');
  assert.deepEqual([redirect?.status, redirect?.connectionId, redirect?.connectionReused], [302, 1, false]);
  assert.deepEqual([document?.status, document?.connectionId, document?.connectionReused], [200, 2, false]);
  assert.deepEqual([document?.type, font?.type, font?.connectionReused], ['Document', 'Font', true]);
  assert.ok((redirect?.endMs ?? 0) <= (document?.startMs ?? 0));
});

test('a certificate that is refused is a failure with Firefox’s own name for it', () => {
  const [document, ...others] = resourcesOf('selfSigned-h2');
  assert.equal(others.length, 0);
  assert.match(document?.failure ?? '', /NS_ERROR_MODULE_SECURITY, MOZILLA_PKIX_ERROR_SELF_SIGNED_CERT/);
  assert.deepEqual([document?.status, document?.connectionId, document?.protocol], [null, null, null]);
});

test('without what Firefox’s own code tells, connections are unknown', () => {
  const events = [{ method: 'Network.responseReceived', params: { requestId: '2-a', response: { connectionId: 0 } } }] as NetworkEvent[];
  assert.deepEqual(nameConnections(events, []), events);
});

/** Of an event of the recording: another request in its place. */
function changed(
  name: string,
  place: number,
  { request, response, ...params }: { request?: object; response?: object; [more: string]: unknown },
): Recording['events'][number] {
  const { method, params: said } = (recorded[name] as Recording).events[place] as { method: BidiNetworkEvent[0]; params: never };
  const { request: asked, response: answered } = said as { request: object; response?: object };
  const own = { request: { ...asked, ...request }, ...(answered === undefined ? {} : { response: { ...answered, ...response } }) };
  return { method, params: { ...(said as object), ...params, ...own } as never };
}

test('of a connection that was begun ahead of its request, the request waited for the rest; of one that was there, for nothing', () => {
  const { events, carriers } = recorded['shop-h3'] as Recording;
  const timed = (early: { startMs: number; endMs: number }) => {
    const its = events.map(({ params }, place) => {
      const { url, timings } = (params as { request: { url: string; timings: Record<string, number> } }).request;
      const at = (ms: number) => (timings.requestTime ?? 0) + ms;
      const ahead = { connectStart: at(early.startMs), tlsStart: at(early.startMs), connectEnd: at(early.endMs), tlsEnd: at(early.endMs) };
      return changed(
        'shop-h3',
        place,
        url.endsWith('/') && (timings.connectStart ?? 0) > 0 ? { request: { timings: { ...timings, ...ahead } } } : {},
      );
    });
    const [document] = derive(heard(its), carriers);
    return [document?.connectMs, document?.tlsMs];
  };
  assert.deepEqual(timed({ startMs: -5, endMs: 4 }), [4, 4]);
  assert.deepEqual(timed({ startMs: -5, endMs: -1 }), [null, null]);
});

test('headers that came compressed have no size, since Firefox counts their text; transfer is of bodies', () => {
  const sizes = (resources: ReturnType<typeof resourcesOf>) =>
    resources.map(({ headerBytes, encodedBodyBytes, bodyBytes, transferBytes }) => [
      ...[headerBytes, encodedBodyBytes, bodyBytes, transferBytes],
    ]);
  // nginx sent 177 bytes of headers with the redirect, 253 with the document; Firefox says 254 and 405.
  assert.deepEqual(sizes(resourcesOf('redirect-h2')), [
    [null, null, 0, 0],
    [null, 2_916, null, 2_916],
    [null, 50_936, 50_936, 50_936],
  ]);
  assert.deepEqual(sizes(resourcesOf('shop-h3').slice(1)), [
    [null, 731, null, 731],
    [null, 353, null, 353],
  ]);
  // Over HTTP/1.1 they come as text: nginx sent 293 and 413 bytes, and Firefox says so.
  const overH1 = [0, 1, 2, 3, 4, 5].map((place) => {
    const headersSize = place < 3 ? 293 : 413;
    return changed('redirect-h2', place, { response: { protocol: 'http/1.1', headersSize, bytesReceived: headersSize } });
  });
  assert.deepEqual(sizes(derive(heard(overH1), [])), [
    [293, null, 0, 0],
    [413, 2_916, null, 2_916],
  ]);
});

test('an unfinished answer has no length, and a cached one sent nothing', () => {
  const [sent, started] = [3, 4].map((place) => changed('redirect-h2', place, { redirectCount: 0 }));
  const [cut] = derive(heard([sent, started] as Recording['events']), []);
  assert.deepEqual([cut?.status, cut?.bodyBytes, cut?.encodedBodyBytes, cut?.transferBytes], [200, null, null, 0]);
  const cached = [7, 8].map((place) => changed('redirect-h2', place, { response: { fromCache: true } }));
  const [font] = derive(heard([changed('redirect-h2', 6, {}), ...cached]), []);
  assert.deepEqual([font?.cache, font?.bodyBytes, font?.transferBytes], ['disk', null, 0]);
});

test('the end of sending is unknown: waiting begins with the request', () => {
  for (const { sendMs, waitMs } of resourcesOf('shop-h3')) assert.ok(sendMs === null && waitMs !== null && waitMs > 0);
});

test('a redirect of Firefox’s own, to https, is none of the network', () => {
  const events = [
    changed('redirect-h2', 0, { request: { url: 'http://article.pronghorn.test:4433/' } }),
    ...(recorded['redirect-h2'] as Recording).events.slice(3, 6),
  ];
  const resources = derive(heard(events), (recorded['redirect-h2'] as Recording).carriers);
  assert.deepEqual(
    resources.map(({ url, status, connectionId }) => [url, status, connectionId]),
    [['https://article.pronghorn.test:4433/', 200, 1]],
  );
});

test('a WebSocket is no request', () => {
  const headers = [{ name: 'Sec-WebSocket-Key', value: { type: 'string', value: '78ymUb23mbmUl3Khh2cFWg==' } }];
  const request = { headers, destination: '', url: 'https://shop.pronghorn.test/live' };
  const events = [6, 7].map((place) => changed('redirect-h2', place, { request, response: { status: 101 } }));
  const log = heard(events);
  assert.deepEqual([log.requests, log.open.size, log.events.length], [0, 0, 0]);
  assert.deepEqual(log.sockets, [{ kind: 'websocket', url: 'wss://shop.pronghorn.test/live' }]);
});

test('without a destination or initiator, the type follows from the method and the accepted types', () => {
  const typeOf = (request: object) => {
    const [resource] = derive(heard([changed('redirect-h2', 6, { request: { destination: '', initiatorType: null, ...request } })]), []);
    return resource?.type;
  };
  const accepts = (value: string) => ({ headers: [{ name: 'Accept', value: { type: 'string', value } }] });
  assert.deepEqual(
    [
      { method: 'POST' },
      { method: 'OPTIONS' },
      accepts('text/event-stream'),
      accepts('*/*'),
      { initiatorType: 'fetch', method: 'POST' },
    ].map(typeOf),
    ['Ping', 'Preflight', 'EventSource', 'Other', 'Fetch'],
  );
});

test('a data URL with a request’s number takes no connection from it', () => {
  const { events, carriers } = recorded['redirect-h2'] as Recording;
  // Each process of Firefox numbers what it opens; that of the page numbers data URLs, here an earlier one.
  const request = { request: '3-another-process', url: 'data:image/png,', timings: { requestTime: 1, requestStart: 1, responseStart: 1 } };
  const ofData = [6, 7].map((place) => changed('redirect-h2', place, { request, response: { url: 'data:image/png,', protocol: 'data' } }));
  const reused = (resources: ReturnType<typeof resourcesOf>) =>
    resources.map(({ connectionId, connectionReused }) => [connectionId, connectionReused]);
  assert.deepEqual(reused(derive(heard([...events, ...ofData]), carriers)), reused(derive(heard(events), carriers)));
});

test('of an error of BiDi what went wrong is kept, not its stack', () => {
  const said =
    'Protocol error (browsingContext.navigate): unknown error Error: NS_BINDING_ABORTED NavigationError@chrome://remote/x.mjs:28:5\n#check@…';
  assert.equal(nameOfError(said), 'NS_BINDING_ABORTED');
  assert.equal(
    nameOfError('NS_ERROR_GENERATE_FAILURE(NS_ERROR_MODULE_SECURITY, SSL_ERROR_X) at'),
    'NS_ERROR_GENERATE_FAILURE(NS_ERROR_MODULE_SECURITY, SSL_ERROR_X)',
  );
  assert.equal(nameOfError('invalid argument: no URL\nstack'), 'invalid argument: no URL');
});
