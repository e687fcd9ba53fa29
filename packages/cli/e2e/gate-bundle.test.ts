// `pronghorn-gate` as pipelines have it: one file, and the package that npx takes, on this Node and on an older one where the machine has one.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, test } from 'node:test';
import { isThorough, proves } from '@pronghorn/core/testing';
import { version } from '@pronghorn/core/vocabulary';
import { bundledGate } from '../src/gate-bundle.ts';
import { startProgram } from './command.ts';
import { madeService } from './made-service.ts';

const folder = mkdtempSync(join(tmpdir(), 'pronghorn-gate-'));
const bundle = join(folder, 'bundle', 'pronghorn-gate.mjs');
const config = join(folder, 'pronghorn.json');
const asserted = {
  sites: [{ url: 'https://a.example/' }],
  ...{ protocols: ['h3'], rounds: 12, assertions: ['onLoad p75 <= 1 s', 'onLoad median <= 100 ms'] },
};
writeFileSync(config, JSON.stringify(asserted));
before(async () => void (await bundledGate(join(folder, 'bundle'))));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Of the machine, besides the one that runs this. */
const nodes = (process.env.PATH ?? '').split(delimiter).flatMap((path) => {
  const node = join(path, 'node');
  const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  const major = Number(/^v(\d+)/.exec(stdout ?? '')?.[1]);
  return major >= 20 ? [{ node, version: stdout.trim() }] : [];
});
const found = [...new Map(nodes.map((one) => [one.version, one])).values()].sort((a, b) => a.version.localeCompare(b.version));
/** The oldest can do least; on this one the bundle also runs in pipelines.test.ts. */
const others = isThorough ? found : found.slice(0, 1);

for (const { node, version } of others)
  test(`one file asks a service on Node ${version}`, proves('gates'), async (t) => {
    const service = await madeService(t, 500);
    const run = (...args: string[]) =>
      startProgram(node, [bundle, ...args], { PRONGHORN_API: service.url, GITHUB_SHA: 'abc', GITHUB_EVENT_NAME: 'push' }).ended;
    const failed = await run('--config', config, '--junit', join(folder, 'gate.xml'));
    assert.equal(failed.code, 1, failed.stderr);
    assert.match(failed.stdout, /^Gate: FAIL \(1 of 2 checks\)/);
    assert.deepEqual((await service.campaign('1')).annotations, { commit: 'abc', event: 'push' });
    const asked = await run('gate', '--config', config, '--campaign', '1', '--format', 'json');
    assert.deepEqual([asked.code, JSON.parse(asked.stdout).outcome], [1, 'fail'], asked.stderr);
    assert.match((await run('gates', 'list')).stdout, /There are no gates/);
    assert.match((await run('gates', 'save', 'budget', '--config', config)).stdout, /Gate 1, "budget", is stored/);
    const named = await run('--gate', 'budget', '--format', 'json');
    assert.deepEqual([named.code, JSON.parse(named.stdout).campaign.id], [1, '2'], named.stderr);
    assert.match((await run('schedule', 'list')).stdout, /There are no schedules/);
    assert.equal((await run('--config', '/nowhere.json')).code, 2);
  });

test('without a service it says that it measures nothing itself', proves('gates'), async () => {
  const { code, stderr } = await startProgram(process.execPath, [bundle, '--config', config], {
    PRONGHORN_API: undefined,
  }).ended;
  assert.equal(code, 2);
  assert.match(stderr, /Add --api or PRONGHORN_API\. This command measures nothing itself/);
});

test('on a Node that is too old it says what it needs', proves('gates'), async () => {
  const old = join(folder, 'old.cjs');
  writeFileSync(
    old,
    "Object.defineProperty(process, 'version', { value: 'v18.20.8' }); Object.defineProperty(process.versions, 'node', { value: '18.20.8' });",
  );
  const { code, stderr } = await startProgram(process.execPath, ['--require', old, bundle, '--version'], {}).ended;
  assert.deepEqual([code, /needs Node 20 or newer; this is v18\.20\.8/.test(stderr)], [69, true], stderr);
});

test('npx runs the package that npm makes of it', proves('gates'), () => {
  const npm = (program: string, ...args: string[]) =>
    execFileSync(program, args, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, npm_config_cache: join(folder, 'npm'), npm_config_update_notifier: 'false' },
    });
  const packed = npm('npm', 'pack', '--silent', './bundle').trim();
  assert.equal(npm('npx', '--yes', '--offline', `./${packed}`, '--version').trim(), version);
  assert.ok(statSync(join(folder, packed)).size < 500_000, 'it stays small enough to be brought in each job');
  chmodSync(bundle, 0o755);
  assert.equal(execFileSync(bundle, ['--version'], { encoding: 'utf8' }).trim(), version);
});
