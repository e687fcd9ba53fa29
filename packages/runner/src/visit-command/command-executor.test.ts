import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { conditionNamed } from '@pronghorn/core/network';
import { type Capabilities, defaultLimits, type Lease, type LinkCheck } from '@pronghorn/core/schemas';
import type { Load } from '../engines/engine.ts';
import { standInEngine } from '../testing/stand-in-engine.ts';
import { testFolder } from '../testing/test-folder.ts';
import { commandExecutor, withContainers } from './command-executor.ts';
import { type Answer, answerLine } from './wire.ts';

const all: Capabilities = { engines: ['puppeteer'], browsers: ['chrome', 'headless-shell'], backends: ['veth', 'netem', 'direct'] };

const condition = conditionNamed('latency-50');
assert.ok(condition);
const lease = { spec: { conditions: [condition] } } as unknown as Lease;
const load: Load = {
  ...{ url: 'https://shop.example/', protocol: 'h2', discovery: 'forced', forced: [], view: 'cold' },
  ...{ isolation: 'container', browser: 'chrome', limits: defaultLimits },
};
const off: LinkCheck = {
  ...{ id: '00000000-0000-4000-8000-000000000000', checkedAt: '2026-03-01T12:00:00.000Z', condition: 'latency-50', backend: 'netem' },
  ...{ kernel: '6.12', tcLines: [], rtt: null, up: null, down: null, faults: ['none of 10 pings came back'] },
};
const good: LinkCheck = { ...off, faults: [] };
const loaded = await standInEngine({ loadMs: 0, resources: 1 }).load(load);
const loadedWith = (check: LinkCheck | null): Answer => ({ kind: 'loaded', check, link: null, ...loaded });

/** A visit command of the shell that has nothing to prove, or these answers; what it was asked is written down. */
const answering = ({
  proof = { kind: 'proof', check: null },
  load = proof,
  asked = '/dev/null',
}: {
  proof?: Answer;
  load?: Answer;
  asked?: string;
}) =>
  `read -r request; printf '%s\\n' "$request" >> '${asked}'
  case $request in *'"ask":"proof"'*) cat <<'END'\n${answerLine(proof)}END\n;; *) cat <<'END'\n${answerLine(load)}END\n;; esac`;

async function opened(command: string, choice: 'auto' | 'direct' = 'auto') {
  const place = commandExecutor(command, { choice, allowNet: [], fencing: 'fenced' as const, congestionControl: 'cubic' }, all);
  return { place, ...(await place.open(lease)) };
}

test('a runner offers what its containers can do, and other isolations where it can do as much itself', () => {
  const less: Capabilities = { ...all, browsers: ['chrome'], backends: ['veth', 'direct'] };
  assert.deepEqual(withContainers(all, less), { ...less, isolations: ['auto', 'context', 'process', 'container'] });
  assert.deepEqual(withContainers(less, all), { ...all, isolations: ['container'] });
  assert.deepEqual(withContainers(null, less), { ...less, isolations: ['container'] });
});

test('a condition that no container’s link matches is reported with every check', async () => {
  const { link } = await opened(answering({ proof: { kind: 'proof', check: off } }));
  const checks: LinkCheck[] = [];
  await assert.rejects(
    link.prepare(condition, async (check) => void checks.push(check)),
    /The link \(netem, kernel 6\.12\) does not match condition latency-50 in any of 3 containers: none of 10 pings came back\./,
  );
  assert.equal(checks.length, 3);
});

test('a link that is off in a visit’s container is reported with its check, once', async () => {
  const { link, engine } = await opened(answering({ proof: { kind: 'proof', check: good }, load: { kind: 'link-off', check: off } }));
  await link.prepare(condition, async () => {});
  await assert.rejects(engine.load(load), /does not match condition latency-50 in the container of this visit: none of 10 pings/);
  assert.deepEqual(link.takeChecks?.(), [off]);
  assert.deepEqual(link.takeChecks?.(), []);
});

test('every container is asked for the link that the campaign’s conditions need of those that containers have', async (t) => {
  const asked = join(testFolder(t), 'asked');
  const { link, engine } = await opened(answering({ proof: { kind: 'proof', check: good }, load: loadedWith(good), asked }));
  await link.prepare(condition, async () => {});
  await engine.load(load);
  const discovery = engine.discover?.(
    { id: 'site', url: load.url, name: 'shop', expectStatus: 200 },
    { id: '1', spec: lease.spec, verdicts: {}, replaces: null },
    'here',
  );
  await assert.rejects(discovery ?? Promise.resolve(), /answered loaded to a request for discovery/);
  const requests = readFileSync(asked, 'utf8').trim().split('\n');
  assert.deepEqual(
    requests.map((line) => JSON.parse(line)).map(({ ask, link: { choice } }) => [ask, choice]),
    [
      ['proof', 'netem'],
      ['load', 'netem'],
      ['discovery', 'netem'],
    ],
  );
  const place = commandExecutor(
    'true',
    { choice: 'auto', allowNet: [], fencing: 'fenced' as const, congestionControl: 'cubic' },
    { backends: ['veth', 'direct'] },
  );
  await assert.rejects(place.open(lease), /None of the links veth, direct supports the campaign’s conditions/);
});

test('what a visitor needs first fails with its own reason', async () => {
  const failed: Answer = { kind: 'failed', why: 'Step 1 (click #in) failed.', reason: 'step-failed' };
  const { engine } = await opened(answering({ load: failed }));
  await assert.rejects(engine.takeSteps?.(load) ?? Promise.resolve(), { reason: 'step-failed', message: failed.why });
});

/** A command whose loads reach shop.example at one address, and what hosts it was asked with, after which question. */
async function reaching(t: TestContext) {
  const asked = join(testFolder(t), 'asked');
  const network = loaded.evidence.network.map((event) =>
    event.method === 'Network.responseReceived'
      ? { ...event, params: { ...event.params, response: { ...event.params.response, remoteIPAddress: '203.0.113.1', remotePort: 443 } } }
      : event,
  );
  const answer: Answer = { kind: 'loaded', check: good, link: null, ...loaded, evidence: { ...loaded.evidence, network } };
  const hosts = () => {
    const requests = readFileSync(asked, 'utf8').trim().split('\n');
    return requests.map((line) => JSON.parse(line)).map(({ ask, link }) => [ask, link.hosts]);
  };
  return { ...(await opened(answering({ proof: { kind: 'proof', check: good }, load: answer, asked }))), hosts };
}

test('the address that a host had in one visit is passed on to the next one’s container', async (t) => {
  const { link, engine, hosts } = await reaching(t);
  await link.prepare(condition, async () => {});
  await engine.load(load);
  await engine.load(load);
  await engine.load({ ...load, url: 'https://other.example/' });
  assert.deepEqual(hosts(), [
    ['proof', {}],
    ['load', {}],
    ['load', { 'shop.example': '203.0.113.1' }],
    ['load', {}],
  ]);
});

test('after five minutes a page’s addresses are queried again, by its discovery too', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 });
  const { place, link, engine, hosts } = await reaching(t);
  await link.prepare(condition, async () => {});
  await engine.load(load);
  t.mock.timers.setTime(300_001);
  const site = { id: 'site', url: load.url, name: 'shop', expectStatus: 200 };
  const next = await place.open(lease);
  const discovery = next.engine.discover?.(site, { id: '1', spec: lease.spec, verdicts: {}, replaces: null }, 'here');
  await assert.rejects(discovery ?? Promise.resolve(), /answered loaded to a request for discovery/);
  assert.deepEqual(hosts().at(-1), ['discovery', { 'shop.example': null }]);
});

test('a container that measured nothing of its link, or another one, is refused', async () => {
  const silent = await opened(answering({ proof: { kind: 'proof', check: good }, load: loadedWith(null) }));
  await silent.link.prepare(condition, async () => {});
  await assert.rejects(silent.engine.load(load), /was to use the link netem, and checked none/);
  const { link } = await opened(answering({ proof: { kind: 'proof', check: null } }));
  await assert.rejects(
    link.prepare(condition, async () => {}),
    /was to use the link netem, and checked none/,
  );
  const other = await opened(answering({ proof: { kind: 'proof', check: { ...good, backend: 'guest' } } }));
  await assert.rejects(
    other.link.prepare(condition, async () => {}),
    /was to use the link netem, and checked the link guest/,
  );
});

test('a visit in a container of another kernel than the proven one is refused, and so is its second try; the next round proves the condition again', async () => {
  const { link, engine } = await opened(
    answering({ proof: { kind: 'proof', check: good }, load: loadedWith({ ...good, kernel: '6.13' }) }),
  );
  const proofs: LinkCheck[] = [];
  const prepare = () => link.prepare(condition, async (check) => void proofs.push(check));
  await prepare();
  for (let retry = 0; retry < 2; retry++)
    await assert.rejects(
      engine.load(load),
      /\(kernel 6\.13; .*\) differs from the one in which condition latency-50 was proven \(kernel 6\.12; /,
    );
  await prepare();
  assert.equal(proofs.length, 2);
});

test('after a visit whose command failed, the next round proves its condition again', async () => {
  const { link, engine } = await opened(answering({ proof: { kind: 'proof', check: good }, load: { kind: 'failed', why: 'gone' } }));
  const proofs: LinkCheck[] = [];
  const prepare = () => link.prepare(condition, async (check) => void proofs.push(check));
  await prepare();
  await prepare();
  assert.equal(proofs.length, 1);
  await assert.rejects(engine.load(load), /gone/);
  await prepare();
  assert.equal(proofs.length, 2);
});

test('a failure inside is reported as it is, an answer to another request is none, and a closed command runs nothing', async () => {
  const { link, engine, place } = await opened(answering({ load: { kind: 'failed', why: 'No Chrome was found.' } }), 'direct');
  await assert.rejects(engine.load(load), /has no condition/);
  assert.equal(await link.prepare(condition, async () => {}), null, 'a link that is not shaped has nothing to prove');
  await assert.rejects(engine.load(load), { message: 'No Chrome was found.' });
  await place.close();
  await assert.rejects(engine.load(load), /was stopped/);

  const other = await opened(answering({}), 'direct');
  await other.link.prepare(condition, async () => {});
  await assert.rejects(other.engine.load(load), /answered proof to a request for load/);
});
