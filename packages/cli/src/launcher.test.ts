import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

// What it would bring is asked of its functions alone: started as a whole it would bring that.
const launcher = readFileSync(new URL('../../../pronghorn', import.meta.url), 'utf8');
function functionOf(name: string): string {
  const [found] = new RegExp(`^${name}\\(\\) \\{(?: .*\\}$|[^]*?^\\}$)`, 'm').exec(launcher) ?? [];
  return found ?? assert.fail(`./pronghorn has no function ${name}`);
}
const functions = ['names', 'wants_firefox', 'wants_browsertime', 'wants_transaction'].map(functionOf);
function broughtFor(...args: string[]): string[] {
  const script = `set -euo pipefail\n${functions.join('\n')}\nfor e in browsertime firefox transaction; do if "wants_$e" "$@"; then echo "$e"; fi; done`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...args], { encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout.split('\n').filter(Boolean);
}

test('the launcher brings the engines that a command names', () => {
  assert.deepEqual(broughtFor('measure', 'https://a.example/'), []);
  assert.deepEqual(broughtFor('demo', '--engine', 'firefox'), ['firefox']);
  assert.deepEqual(broughtFor('doctor', '--engine=browsertime'), ['browsertime']);
  assert.deepEqual(broughtFor('crosscheck', '--engines', 'puppeteer,firefox'), ['firefox']);
  assert.deepEqual(broughtFor('crosscheck', '--engines=firefox,puppeteer'), ['firefox']);
});

test('the launcher brings the client of REST calls for the commands that are about calls', () => {
  assert.deepEqual(broughtFor('load', 'https://a.example/'), ['transaction']);
  assert.deepEqual(broughtFor('factorial', 'rest-study'), ['transaction']);
  assert.deepEqual(broughtFor('measure', 'https://a.example/', '--engine', 'transaction'), ['transaction']);
  assert.deepEqual(broughtFor('doctor', '--engine=transaction'), ['transaction']);
});

test('the launcher brings all engines for a crosscheck that names none', () => {
  assert.deepEqual(broughtFor('crosscheck', 'https://a.example/', '--conditions', 'native'), ['browsertime', 'firefox']);
  assert.deepEqual(broughtFor('crosscheck', '--help'), []);
});

test('a proxy of the environment is for other machines alone', () => {
  const noProxy = (environment: NodeJS.ProcessEnv) =>
    spawnSync(
      'bash',
      ['-euc', `node=$(command -v node) tools=/tools\n${functionOf('use_node')}\nuse_node; echo "\${NO_PROXY:-} \${no_proxy:-}"`],
      {
        env: { PATH: process.env.PATH, ...environment },
        encoding: 'utf8',
      },
    ).stdout.trim();
  assert.equal(noProxy({ HTTP_PROXY: 'http://proxy.example:3128' }), '');
  const own = '127.0.0.1,::1,localhost,';
  assert.equal(noProxy({ NODE_USE_ENV_PROXY: '1' }), `${own} ${own}`);
  assert.equal(noProxy({ NODE_USE_ENV_PROXY: '1', NO_PROXY: '.intern' }), `${own}.intern ${own}.intern`);
});

test('the launcher brings Node and packages alone for who only asks a service', () => {
  const justAsks = (args: string[], environment: NodeJS.ProcessEnv = {}) =>
    spawnSync('bash', ['-c', `${functionOf('just_asks')}\njust_asks "$@"`, 'bash', ...args], { env: environment }).status === 0;
  for (const args of [
    'gates list',
    'schedule add nightly',
    'gate --api https://a.example',
    'gate --api=https://a.example',
    'campaign paper --sites x --api y',
  ])
    assert.equal(justAsks(args.split(' ')), true, args);
  assert.equal(justAsks(['gate', '--config', 'pronghorn.json'], { PRONGHORN_API: 'https://a.example' }), true);
  // A runner has an --api too, and measures for it.
  for (const args of ['gate --config a.json', 'measure --api', 'runner --api https://a.example', 'demo', ''])
    assert.equal(justAsks(args.split(' ')), false, args);
});
