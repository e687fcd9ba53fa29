// The service as an operator runs it: the real command, its signals, its log, its runner.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type RunningApi, startApi } from '@pronghorn/api';
import type { Campaign } from '@pronghorn/core/schemas';
import { proves, thoroughly } from '@pronghorn/core/testing';
import {
  behindLink,
  descendants,
  leavesNothing,
  main,
  profilesOf,
  quickLimits,
  type Running,
  run,
  start,
  startProgram,
  temporaryData,
  until,
} from './command.ts';
import { plainPages } from './pages.ts';
import { ask, measuresItsOwn } from './served-demo.ts';
import { untilTrue } from './service/world.ts';

/** Waits until it serves. @returns where */
async function urlOf(service: Running): Promise<string> {
  await service.says(/Pronghorn serves .* at http/, 240_000);
  const [, url = ''] = /at (http:\/\/[^/]+)\//.exec(service.stderr()) ?? [];
  return url;
}
const stopped = async (service: Running, signal: NodeJS.Signals = 'SIGTERM') => {
  service.child.kill(signal);
  return await service.ended;
};
/** The api on a data folder that no process serves any more. */
const reopened = async <T>(data: string, look: (api: RunningApi) => Promise<T>): Promise<T> => {
  const api = await startApi({ database: join(data, 'pronghorn.db'), evidenceDirectory: join(data, 'evidence') });
  return await look(api).finally(() => api.close());
};

test(
  'serve --demo measures pages of its own, for who has its link, until its server is gone',
  {
    ...proves('demo', 'service'),
    timeout: 900_000,
  },
  (t) => measuresItsOwn(t, { PRONGHORN_RUNNER_LINK: 'direct' }),
);

/** A network with a way to the world, through a firewall that forwards nothing, as Docker and ufw leave it. */
const firewalled = `
ip link set lo up
ip link add world type veth peer name away
ip address add 10.99.0.2/24 dev world
ip link set world up
ip link set away up
ip route add default via 10.99.0.1
nft 'add table inet closed'
nft 'add chain inet closed forward { type filter hook forward priority 0; policy drop; }'
exec "$@"`;

test('serve --demo has its own pages where a firewall lets no visit out', {
  skip: thoroughly('demo', 'fence').skip || (process.getuid?.() !== 0 && 'needs root'),
}, async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const serve = [process.execPath, main, 'serve', '--demo', '--port', '0', '--data', data];
  const service = startProgram('unshare', ['--net', '--', 'sh', '-ec', firewalled, 'sh', ...serve], { CI: 'true', ...behindLink });
  await service.says('Try it: ', 480_000);
  assert.match(
    service.stderr().replaceAll(/\s+/g, ' '),
    /Only the demo's pages can be measured: The machine's firewall drops packets that it forwards/,
  );
  assert.equal((await stopped(service)).code, 0);
});

test('the first start shows a token once; two processes serve one data folder, and the runner beside one measures there alone', {
  ...proves('service', 'runners', 'access', 'upkeep'),
}, async (t) => {
  const mayEnd = Promise.withResolvers<void>();
  let roundsDone = async () => 0;
  const pages = await plainPages(async () => ((await roundsDone()) >= 1 ? mayEnd.promise : undefined));
  t.after(pages.close);
  const data = await temporaryData((remove) => t.after(remove));
  const environment = { PRONGHORN_RUNNER_LINK: 'direct', PRONGHORN_RUNNER_NAME: 'beside', PRONGHORN_ACCESS_ALLOW_NET: '127.0.0.0/8' };
  const service = start(['serve', '--runner', '--port', '0', '--data', data], environment);
  const url = await urlOf(service);
  await service.says('#token=');
  const [, token] = new RegExp(`${url}/#token=(prg_[0-9a-f]{64})`).exec(service.stderr()) ?? [];
  assert.equal((await ask(`${url}/api/v1/campaigns`)).status, 401);
  assert.equal((await ask(`${url}/metrics`)).status, 401);
  assert.deepEqual((await ask(`${url}/healthz`)).body, { status: 'ok' });
  assert.equal((await ask<{ status: string }>(`${url}/readyz`)).body.status, 'ready');
  await untilTrue(
    async () => /^pronghorn_runners\{state="alive"\} 1$/m.test((await ask<string>(`${url}/metrics`, { token })).body),
    'the metrics to have the runner',
  );
  const measure = await run(['measure', 'https://a.invalid/', '--data', data]);
  assert.equal(measure.code, 2);
  assert.match(measure.stderr, /Runner beside works for a service on the data folder .* end it, or name another folder with --data/);
  const { body: all } = await ask<{ items: Campaign[] }>(`${url}/api/v1/campaigns`, { token });
  assert.equal(all.items.length, 0, 'nothing was made');

  // What is made at one is known at the other. The second round waits for its page.
  const other = start(['serve', '--port', '0', '--data', data]);
  const otherUrl = await urlOf(other);
  const body = { sites: [{ url: `${pages.url}/` }], protocols: ['h1'], rounds: 3, limits: { ...quickLimits, loadTimeoutMs: 600_000 } };
  const made = await ask<Campaign>(`${url}/api/v1/campaigns`, { token, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const known = async (at = otherUrl) => (await ask<Campaign>(`${at}/api/v1/campaigns/1`, { token })).body;
  // Of the one that serves to the end.
  roundsDone = async () => (await known(url)).progress.roundsDone;
  await untilTrue(async () => (await known()).progress.roundsDone >= 1, 'a round to be done');

  const copy = join(data, 'copy');
  const copied = await run(['backup', copy, '--evidence', '--data', data]);
  assert.equal(copied.code, 0, copied.stderr);
  assert.match(copied.stdout, /copy: 1 campaign, [1-9]\d* visits?, \S+ MB, \d+ files? of evidence; checked\./);
  assert.equal((await run(['backup', copy, '--data', data])).code, 2);

  // An open event stream does not keep a service from ending, and is ended.
  const stream = await fetch(`${otherUrl}/api/v1/campaigns/1/events`, {
    headers: { authorization: `Bearer ${token}`, 'last-event-id': '0' },
  });
  const later = await stopped(other, 'SIGINT');
  assert.equal(later.code, 0, later.stderr);
  assert.match(await stream.text(), /event: log\ndata: .*campaign-made/);
  assert.doesNotMatch(later.stderr, /prg_|first start/);

  const profiles = profilesOf(service.pid);
  const below = descendants(service.pid);
  service.child.kill('SIGTERM');
  await service.says('finishes its round');
  mayEnd.resolve();
  const { code, stdout, stderr } = await service.ended;
  assert.equal(code, 0, stderr);
  await leavesNothing(profiles, below);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.flatMap(({ event }) => (event?.startsWith('service') ? event : [])),
    ['service-started', 'service-stopping'],
  );
  assert.match(stdout, /"event":"round-leased".*Runner beside took round 1 of/);
  assert.doesNotMatch(stdout, /prg_/);
  const rounds = await reopened(
    data,
    async (api) => (await ask<{ items: { state: string; attempt: number }[] }>(`${api.url}/api/v1/campaigns/1/rounds`)).body.items,
  );
  assert.deepEqual(
    rounds.map(({ state, attempt }) => `${state} ${attempt}`),
    ['done 1', 'done 1', 'queued 0'],
    'no round was begun and given back',
  );

  const restored = await reopened(copy, async (api) => (await ask<Campaign>(`${api.url}/api/v1/campaigns/1`)).body);
  assert.deepEqual([restored.state, restored.progress.roundsDone >= 1], ['running', true]);
  assert.match((await run(['retention', '--dry-run', '--data', copy])).stdout, /Would be removed from .*copy:\n {2}resources of 0 visits/);
});

test('a second signal ends at once, also while the runner has a page that never ends', thoroughly('service'), async (t) => {
  const pages = await plainPages();
  t.after(pages.close);
  const data = await temporaryData((remove) => t.after(remove));
  const service = start(['serve', '--open', '--runner', '--port', '0', '--data', data], { PRONGHORN_RUNNER_LINK: 'direct' });
  const url = await urlOf(service);
  const limits = { ...quickLimits, loadTimeoutMs: 600_000 };
  const body = { sites: [{ url: `${pages.url}/endless` }], protocols: ['h1'], rounds: 1, limits };
  assert.equal((await ask(`${url}/api/v1/campaigns`, { body })).status, 201);
  await until(() => pages.requested.includes('/endless.png'), 120_000, 'the page to load');
  const below = descendants(service.pid);
  service.child.kill('SIGTERM');
  await service.says('finishes its round');
  service.child.kill('SIGTERM');
  await service.ended;
  assert.equal(service.child.signalCode, 'SIGTERM', 'as if nobody had handled it');
  await leavesNothing('/nowhere', below);
});

test('a configuration that cannot be used ends with 2 and says everything that is wrong', proves('service'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const config = join(data, 'config.json');
  writeFileSync(config, '{ "listen": { "prot": 80 } }');
  const { code, stderr } = await run(['serve', '--config', config, '--data', data], { PRONGHORN_LISTEN_PORT: 'eighty' });
  assert.equal(code, 2);
  assert.match(stderr, /config\.json: listen\.prot is unknown; did you mean port\?/);
  assert.match(stderr, /PRONGHORN_LISTEN_PORT is "eighty"; expected a whole number from 0 to 65535\./);
  const open = await run(['serve', '--open', '--host', '0.0.0.0', '--data', data]);
  assert.equal(open.code, 2);
  assert.match(open.stderr, /may not listen on 0\.0\.0\.0 while access is open/);
  const demo = await run(['serve', '--demo', '--data', data], { PRONGHORN_LISTEN_HOST: '0.0.0.0' });
  assert.equal(demo.code, 2);
  assert.match(demo.stderr, /--demo is only for this machine.* Add --host 127\.0\.0\.1, or leave out --demo/);
});

test('--print-config tells each setting, its value and where that comes from', proves('service'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const config = join(data, 'config.json');
  writeFileSync(config, '{ "log": { "level": "warn" } }');
  const { code, stdout } = await run(['serve', '--print-config', '--config', config, '--port', '0', '--data', data], {
    PRONGHORN_LOG_PRETTY: 'never',
  });
  assert.equal(code, 0);
  for (const row of [
    /^listen\.port +0 +flag$/m,
    /^log\.level +"warn" +\S+config\.json$/m,
    /^log\.pretty +"never" +PRONGHORN_LOG_PRETTY$/m,
    /^listen\.host +"127\.0\.0\.1" +default$/m,
  ])
    assert.match(stdout, row);
});
