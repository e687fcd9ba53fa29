import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Capabilities, conditionNamed, defaultLimits, type Lease, type LinkCheck } from '@pronghorn/core';
import type { Load } from '../engines/engine.ts';
import { type Answer, answerLine } from './wire.ts';
import { visitCommandWorkplace, withContainers } from './workplace.ts';

const all: Capabilities = { engines: ['puppeteer'], browsers: ['chrome', 'headless-shell'], backends: ['veth', 'netem', 'direct'] };

test('a runner offers what its containers can do, and other isolations where it can do as much itself', () => {
  const less: Capabilities = { ...all, browsers: ['chrome'], backends: ['veth', 'direct'] };
  assert.deepEqual(withContainers(all, less), { ...less, isolations: ['context', 'process', 'container'] });
  assert.deepEqual(withContainers(less, all), { ...all, isolations: ['container'] });
  assert.deepEqual(withContainers(null, less), { ...less, isolations: ['container'] });
});

const condition = conditionNamed('latency-50');
assert.ok(condition);
const options = { choice: 'auto' as const, allowNet: [], congestionControl: 'cubic' };
const lease = { spec: { conditions: [condition] } } as unknown as Lease;
const load: Load = {
  ...{ url: 'https://shop.example/', protocol: 'h2', discovery: 'forced', forced: [], view: 'cold' },
  ...{ isolation: 'container', browser: 'chrome', limits: defaultLimits },
};
const off: LinkCheck = {
  ...{ id: '00000000-0000-4000-8000-000000000000', checkedAt: '2026-03-01T12:00:00.000Z', condition: 'latency-50', backend: 'netem' },
  ...{ kernel: '6.12', tcLines: [], rtt: null, up: null, down: null, faults: ['none of 10 pings came back'] },
};
/** A visit command of the shell that has nothing to prove, or these answers. */
const answering = ({ proof = { told: 'proof', check: null }, load = proof }: { proof?: Answer; load?: Answer }) =>
  `read request; case $request in *'"ask":"proof"'*) cat <<'END'\n${answerLine(proof)}END\n;; *) cat <<'END'\n${answerLine(load)}END\n;; esac`;

async function opened(command: string) {
  const place = visitCommandWorkplace(command, options);
  return { place, ...(await place.open(lease)) };
}

test('a condition that no container’s link does is told with every check', async () => {
  const { link } = await opened(answering({ proof: { told: 'proof', check: off } }));
  const checks: LinkCheck[] = [];
  await assert.rejects(
    link.prepare(condition, async (check) => void checks.push(check)),
    /The link \(netem, kernel 6\.12\) does not do what condition latency-50 says in any of 3 containers: none of 10 pings came back\./,
  );
  assert.equal(checks.length, 3);
});

test('a link that is off in a visit’s container is told with its check', async () => {
  const { link, engine } = await opened(answering({ load: { told: 'link-off', check: off } }));
  const checks: LinkCheck[] = [];
  assert.equal(
    await link.prepare(condition, async (check) => void checks.push(check)),
    null,
    'a link that is not shaped has nothing to prove',
  );
  await assert.rejects(engine.load(load), /does not do what condition latency-50 says in the container of this visit: none of 10 pings/);
  assert.deepEqual(checks, [off]);
});

test('after a visit whose command failed, the next round proves its condition anew', async () => {
  const { link, engine } = await opened(
    answering({ proof: { told: 'proof', check: { ...off, faults: [] } }, load: { told: 'failed', why: 'gone' } }),
  );
  const proofs: LinkCheck[] = [];
  const prepare = () => link.prepare(condition, async (check) => void proofs.push(check));
  await prepare();
  await prepare();
  assert.equal(proofs.length, 1);
  await assert.rejects(engine.load(load), /gone/);
  await prepare();
  assert.equal(proofs.length, 2);
});

test('what fails inside is told as it is, an answer to something else is none, and one that is closed runs nothing', async () => {
  const { link, engine, place } = await opened(answering({ load: { told: 'failed', why: 'No Chrome was found.' } }));
  await assert.rejects(engine.load(load), /No condition was chosen/);
  await link.prepare(condition, async () => {});
  await assert.rejects(engine.load(load), { message: 'No Chrome was found.' });
  await place.close();
  await assert.rejects(engine.load(load), /told to stop/);

  const other = await opened(answering({}));
  await other.link.prepare(condition, async () => {});
  await assert.rejects(other.engine.load(load), /was asked for load and told proof/);
});
