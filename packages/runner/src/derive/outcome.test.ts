// Derivations on the stored evidence of real visits (fixtures/make-evidence.ts makes it anew).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Outcome } from '@pronghorn/core/schemas';
import type { Evidence, VisitRequest } from '../gather/evidence.ts';
import { hostWithPort } from './document.ts';
import { deriveOutcome, mustHaveCome } from './outcome.ts';

interface Stored {
  asked: VisitRequest;
  evidence: Evidence;
  outcome: Outcome;
}

const stored = (name: string): Stored =>
  JSON.parse(gunzipSync(readFileSync(new URL(`../../fixtures/${name}.evidence.json.gz`, import.meta.url))).toString());

test('stored evidence derives again to what was derived at the time', async () => {
  for (const name of ['sharded', 'revalidated']) {
    const { asked, evidence, outcome } = stored(name);
    assert.deepEqual((await deriveOutcome(asked, evidence, 1)).outcome, outcome, name);
  }
});

test('the sharded page came over three protocols, each host over its own', async () => {
  const { asked, evidence } = stored('sharded');
  const { resources } = await deriveOutcome(asked, evidence, 1);
  const forced = new Set(asked.forced);
  for (const { url, host, protocol } of resources) {
    if (forced.has(hostWithPort(url))) assert.equal(protocol, 'h3', url);
    else assert.equal(protocol, host.startsWith('sharded-h1') ? 'http/1.1' : 'h2', url);
  }
  assert.deepEqual([...new Set(resources.map(({ protocol }) => protocol))].sort(), ['h2', 'h3', 'http/1.1']);
});

test('the visual progress curve is the one that the metrics were derived of, and of an invalid visit there is none', async () => {
  const { asked, evidence } = stored('sharded');
  const { outcome, progress } = await deriveOutcome(asked, evidence, 1);
  assert.ok(outcome.verdict === 'valid' && progress !== null);
  const changes = progress.filter(({ completeness }, at) => completeness !== (progress[at - 1]?.completeness ?? 0));
  assert.deepEqual([changes[0]?.atMs, changes.at(-1)?.atMs], [outcome.metrics.firstVisualChange, outcome.metrics.lastVisualChange]);
  assert.equal(progress.at(-1)?.completeness, 1);
  assert.equal((await deriveOutcome(asked, { ...evidence, page: null }, 1)).progress, null);
});

test('with a video, SpeedIndex is its program’s; without one it is null, never 0', async () => {
  const { asked, evidence } = stored('sharded');
  const video = { speedIndex: 190, firstVisualChange: 133, lastVisualChange: 433, curve: [{ atMs: 433, completeness: 1 }] };
  const of = async (given: Evidence['video']) => await deriveOutcome(asked, { ...evidence, frames: [], video: given ?? null }, 1);
  const { outcome, progress } = await of(video);
  assert.ok(outcome.verdict === 'valid', JSON.stringify(outcome));
  const { speedIndex, firstVisualChange, lastVisualChange } = outcome.metrics;
  assert.deepEqual([speedIndex, firstVisualChange, lastVisualChange, progress], [190, 133, 433, video.curve]);
  const without = await of(null);
  assert.ok(without.outcome.verdict === 'valid');
  assert.deepEqual([without.outcome.metrics.speedIndex, without.outcome.metrics.firstVisualChange, without.progress], [null, null, null]);
});

test('a response confirmed by a 304 has the protocol of its new connection, not the one that Chrome tells', async () => {
  const { asked, evidence } = stored('revalidated');
  const told = evidence.network.find((event) => event.method === 'Network.responseReceived');
  assert.equal(told?.params.response.protocol, 'h2');
  const [document] = (await deriveOutcome(asked, evidence, 1)).resources;
  assert.equal(document?.protocol, 'h3');
  assert.equal(document?.status, 304);
});

test('the verdict depends on what the evidence says', async () => {
  const { asked, evidence } = stored('sharded');
  const verdictOf = async (a: VisitRequest, e: Evidence, share = 1) => {
    const { outcome } = await deriveOutcome(a, e, share);
    return outcome.verdict === 'valid' ? 'valid' : outcome.reason;
  };
  assert.equal(await verdictOf({ ...asked, protocol: 'h2' }, evidence), 'wrong-protocol');
  assert.equal(await verdictOf({ ...asked, forced: [...asked.forced, ...hostsOf(evidence)] }, evidence), 'wrong-protocol');
  assert.equal(await verdictOf(asked, { ...evidence, frames: [] }), 'no-visual-progress');
  assert.equal(await verdictOf(asked, { ...evidence, cpu: { ownShare: 0, foreignShare: 0.5 } }, 0.2), 'busy-machine');
});

function hostsOf({ network }: Evidence): string[] {
  return network.flatMap((event) => (event.method === 'Network.requestWillBeSent' ? [hostWithPort(event.params.request.url)] : []));
}

test('a page before that does not come is named, and its failure is that of the page behind it; a Chrome that goes away is none', () => {
  const ended = (end: Evidence['end']) => () =>
    mustHaveCome('https://shop.example/list', 'forced', { end, network: [], page: null } as unknown as Evidence);
  assert.throws(ended({ kind: 'navigation-failed', error: 'net::ERR_CONNECTION_RESET' }), {
    reason: 'connection-error',
    message:
      'The page before, https://shop.example/list, failed (connection-error), so this one was not opened: https://shop.example/list: net::ERR_CONNECTION_RESET',
  });
  assert.throws(ended({ kind: 'browser-crashed' }), { reason: 'browser-crashed' });
  assert.throws(ended({ kind: 'download' }), { reason: 'step-failed' }, 'no page at all');
});
