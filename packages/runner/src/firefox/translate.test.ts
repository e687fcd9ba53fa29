import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { CDPSession } from 'puppeteer-core';
import { deriveResources } from '../derive/resources.ts';
import type { NetworkEvent } from '../gather/evidence.ts';
import { NetworkLog } from '../gather/network-log.ts';
import type { Carrier } from './inside.ts';
import { type BidiNetworkEvent, nameConnections, Translator } from './translate.ts';

/** What Firefox 153 said at the beginning of visits, without the headers of requests. */
interface Recording {
  events: { method: BidiNetworkEvent[0]; params: never }[];
  carriers: Carrier[];
}
const recorded: Record<string, Recording> = JSON.parse(readFileSync(new URL('./recorded.json', import.meta.url), 'utf8'));

function resourcesOf(name: string) {
  const { events, carriers } = recorded[name] as Recording;
  const session = new EventEmitter();
  const log = new NetworkLog(() => {});
  void log.attend(Object.assign(session, { send: async () => ({}) }) as unknown as CDPSession);
  const translator = new Translator();
  for (const { method, params } of events)
    for (const [event, translated] of translator.translate([method, params] as BidiNetworkEvent)) session.emit(event, translated);
  return deriveResources({ ...log, network: nameConnections(log.events, carriers), page: null });
}

test('what Firefox tells of an answer is told as Chrome tells it: protocol, connection, type, phases', () => {
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
    assert.ok(bodyBytes === 0 && transferBytes > 0, url);
  }
});

test('a redirect is a resource of its own, with its own connection', () => {
  const [redirect, document, font] = resourcesOf('redirect-h2');
  assert.deepEqual([redirect?.status, redirect?.connectionId, redirect?.connectionReused], [302, 1, false]);
  assert.deepEqual([document?.status, document?.connectionId, document?.connectionReused], [200, 2, false]);
  assert.deepEqual([document?.type, font?.type, font?.connectionReused], ['Document', 'Font', true]);
  assert.ok((redirect?.endMs ?? 0) <= (document?.startMs ?? 0) && (redirect?.transferBytes ?? 0) > 0);
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
