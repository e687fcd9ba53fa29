// Commands behind a link that shapes: what holds on every machine.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Condition, LinkCheck } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { surveyBackends } from '@pronghorn/runner';
import { behindLink, type Exported, exported, quick, quickShell, runOnSoundLink, temporaryData } from './command.ts';
import { plainPages } from './pages.ts';

const survey = await surveyBackends();
const shapes = survey.some(({ name, can }) => (name === 'netem' || name === 'guest') && can === true);

/** Options of a test that needs a link that shapes. */
export const shaping = {
  skip: shapes ? false : `no link here can shape (${survey.map(({ name, can }) => `${name}: ${can}`).join('; ')})`,
};

const farAway: Condition = {
  name: 'far-away',
  up: { delayMs: 40 },
  down: { delayMs: 40, rateKbps: 20_000, queueBytes: 100_000 },
};

/**
 * @param presets what it measures under, besides a condition of a file
 * @param judged whether the machine is quiet, so that the link is within tolerance, and no first byte is late
 */
export async function measuredUnderConditions(
  t: TestContext,
  presets: Readonly<Record<string, number>>,
  protocols: readonly Protocol[],
  { judged }: { judged: boolean },
): Promise<void> {
  const rtts = { ...presets, [farAway.name]: 80 };
  const folder = await temporaryData((remove) => t.after(remove));
  const [file, json] = [join(folder, 'far-away.json'), join(folder, 'all.json')];
  await writeFile(file, JSON.stringify(farAway));
  const named = Object.keys(presets);
  const conditions = [...(named.length > 0 ? ['--conditions', named.join()] : []), '--condition', file];
  const asked = ['--origin', 'caddy', '--protocols', protocols.join(), '--rounds', '1', ...(judged ? quick : quickShell), '--json', json];
  const { code, stdout, stderr } = await runOnSoundLink(t, (data) => ['demo', ...conditions, ...asked, '--data', data], behindLink);
  assert.equal(code, 0, stderr + stdout);
  const visited = Object.keys(rtts).length * protocols.length;
  assert.match(stdout.replaceAll(/\s+/g, ' '), new RegExp(`Proof: in ${visited} of ${visited} valid visits? \\(100 %\\)`));
  assert.match(stderr, /Caddy.* behind an emulated network \((netem|guest)\)/i);

  const { campaign, visits, linkChecks }: Exported & { linkChecks: LinkCheck[] } = JSON.parse(await readFile(json, 'utf8'));
  assert.deepEqual(
    campaign.spec.conditions.map(({ name }) => name),
    Object.keys(rtts),
  );
  for (const [condition, rttMs] of Object.entries(rtts)) {
    const check = linkChecks.find((one) => one.condition === condition);
    assert.ok(check !== undefined && (!judged || check.faults.length === 0), `${condition}: ${JSON.stringify(check)}`);
    assert.equal(check.rtt?.requestedMs, rttMs);
    assert.ok(check.down !== null && check.down.loss.sent >= 8_000 && check.up !== null, 'the first check is a full one');
    for (const { protocol, outcome, link } of visits.filter((visit) => visit.condition === condition && visit.counted)) {
      assert.ok(outcome.verdict === 'valid');
      assert.deepEqual(link?.refused, [], 'the page is all the origin’s');
      assert.ok(Number.isInteger(link?.receiveDrops));
      // Two round trips before the first byte with QUIC, three with TCP and TLS 1.3.
      const trips = protocol === 'h3' ? 2 : 3;
      const { ttfb } = outcome.metrics;
      // A guest's clock that is short of CPU time may run ahead by some per cent.
      const [soonest, latest] = judged ? [trips * rttMs, (trips + 0.9) * rttMs + 150] : [0.94 * trips * rttMs, Number.POSITIVE_INFINITY];
      assert.ok(ttfb > soonest && ttfb < latest, `${condition} ${protocol}: ${ttfb} ms to the first byte`);
    }
  }
}

/** @returns what `link check` says at last */
export async function checkedLink(t: TestContext, conditions: readonly string[]): Promise<{ code: number | null; verdict: string }> {
  const { code, stdout, stderr } = await runOnSoundLink(t, (data) => ['link', 'check', ...conditions, '--data', data], behindLink);
  for (const condition of conditions) assert.match(stdout, new RegExp(`^${condition} +rtt `, 'm'), stderr);
  for (const line of stdout.split('\n')) assert.ok([...line].length <= 100, line);
  const verdict = stdout.trimEnd().split('\n').at(-1) ?? '';
  assert.match(verdict, /tolerance\. Link (netem|guest), kernel \d/);
  return { code, verdict };
}

/** Calls of a server on this machine over each protocol, cold and warm, behind a link with this condition. */
export async function measuredCalls(t: TestContext, condition: string, rttMs: number): Promise<void> {
  const server = await plainPages();
  t.after(server.close);
  const workload = ['--users', '2', '--requests', '10', '--path', '/one', '--path', '/two', '--view', 'cold,warm'];
  // Other work on the machine makes no run invalid: what is tested is not how fast it is.
  const measure = ['measure', `${server.url}/`, '--engine', 'transaction', '--protocols', 'h1,h2,h3', '--rounds', '1', '--conditions'];
  const { code, stdout, stderr, data } = await runOnSoundLink(
    t,
    (data) => [...measure, condition, ...workload, '--busy', '1', '--data', data],
    behindLink,
  );
  assert.equal(code, 0, stderr + stdout);
  const { visits } = await exported(data);
  const counted = visits.filter((visit) => visit.counted);
  assert.deepEqual(counted.map(({ protocol, view }) => `${view} ${protocol}`).sort(), [
    ...['cold h1', 'cold h2', 'cold h3'],
    ...['warm h1', 'warm h2', 'warm h3'],
  ]);
  for (const { outcome } of counted) {
    assert.ok(outcome.verdict === 'valid' && 'latency' in outcome.metrics, JSON.stringify(outcome));
    const { requests, failedRequests, connections, latency, handshake } = outcome.metrics;
    assert.deepEqual([requests, failedRequests, connections], [20, 0, 2]);
    // A guest's clock that is short of CPU time may run ahead by some per cent.
    assert.ok(latency > 0.94 * rttMs && (handshake ?? 0) > 0.94 * rttMs, JSON.stringify({ latency, handshake }));
  }
  for (const path of ['/one', '/two']) assert.ok(server.requested.filter((requested) => requested === path).length >= 60, path);
  assert.match(stdout, /Pronghorn-Transaction\/Go 1\./);
}
