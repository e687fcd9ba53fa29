// `pronghorn runner` with a real Chrome.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { problemType } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { run, start, temporaryData } from '../command.ts';
import { plainPages } from '../pages.ts';
import { openWorld } from './world.ts';

test('the command performs campaigns, and its exit code says how it ended', proves('runners', 'command-line'), async (t) => {
  let mayAnswer: Promise<void> | undefined;
  const pages = await plainPages(async () => mayAnswer);
  t.after(() => pages.close());
  const world = await openWorld(t);
  await world.startApi();
  const submit = () => world.submit(2, { sites: [{ url: `${pages.url}/` }], protocols: ['h1', 'h1'], location: 'here' });
  await submit();
  const options = ['--api', world.url, '--location', 'here', '--no-fence'];
  const runner = start(['runner', '--name', 'measuring', ...options]);
  await runner.says(/Registered as runner 1/, 120_000);
  await runner.says(/\(id 2\) is complete/, 120_000);
  const { version, capabilities, state } = (await world.runner('measuring')) ?? {};
  assert.match(version ?? '', /^\d+\.\d+\.\d+(-rc\.\d+)?$/);
  assert.deepEqual(capabilities?.backends, ['direct']);
  assert.match(state ?? '', /alive|busy/);
  const visits = await world.visits('1');
  assert.equal(visits.length, 4);
  assert.deepEqual(
    [...new Set(visits.map(({ outcome }) => outcome.verdict))],
    ['valid'],
    JSON.stringify(visits.map(({ outcome }) => outcome)),
  );

  // Told to stop, it finishes its round.
  await submit();
  await runner.says(/Campaign 2: .*, round 1 \(id 3\)\./, 120_000);
  runner.child.kill('SIGTERM');
  const { code, stdout } = await runner.ended;
  assert.equal(code, 0, stdout);
  assert.match(stdout, /\(id 3\) is complete/);
  assert.doesNotMatch(stdout, /\(id 4\)/);
  assert.equal((await world.runner('measuring'))?.state, 'stopped');

  // With --once: of a round that was performed; of one that failed, since this is executable and no Chrome; of one in which it
  // was told to stop; of one that never came.
  const once = ['runner', '--name', 'once', '--once', ...options];
  const whole = await run(once);
  assert.equal(whole.code, 0, whole.stdout + whole.stderr);
  assert.match(whole.stdout, /\(id 4\) is complete/);
  const { id } = await submit();
  const chrome = join(world.folder, 'chrome');
  symlinkSync('/bin/false', chrome);
  const failing = await run(once, { PRONGHORN_CHROME: chrome });
  assert.equal(failing.code, 1, failing.stdout);
  assert.match(failing.stdout, /Chrome \(.*\) (did not start|found no sandbox)/);
  const held = Promise.withResolvers<void>();
  mayAnswer = held.promise;
  const last = start(once);
  await last.says(/Campaign 3: .*, round 2 \(id 6\)\./, 120_000);
  last.child.kill('SIGTERM');
  await last.says('Stopping');
  held.resolve();
  const lastEnded = await last.ended;
  assert.equal(lastEnded.code, 130, lastEnded.stdout);
  assert.match(lastEnded.stdout, /\(id 6\) is complete/);
  await world.ask('POST /campaigns/{id}/cancel', { id });
  const idle = start(once);
  await idle.says(/Registered as runner/, 120_000);
  idle.child.kill('SIGTERM');
  assert.equal((await idle.ended).code, 130);
});

test('a token that is refused ends the command, which says so', proves('runners', 'access'), async (t) => {
  const api = createServer((request, reply) => {
    const known = request.headers.authorization === 'Bearer prg_viewer';
    const [type, detail] = known
      ? (['forbidden', 'The token has the role viewer.'] as const)
      : (['unauthenticated', 'Nobody knows this token.'] as const);
    reply
      .writeHead(known ? 403 : 401, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify({ type: problemType(type), detail }));
  }).listen(0, '127.0.0.1');
  await once(api, 'listening');
  t.after(() => api.close());
  const address = api.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const folder = await temporaryData((remove) => t.after(remove));
  const file = join(folder, 'token');
  writeFileSync(file, 'prg_viewer\n');
  const viewer = await run(['runner', '--api', url, '--token-file', file]);
  assert.equal(viewer.code, 77);
  assert.match(viewer.stderr, /refuses this runner: The token has the role viewer\./);
  const unknown = await run(['runner', '--api', url], { PRONGHORN_TOKEN: 'prg_other' });
  assert.match(unknown.stderr, /Nobody knows this token\./);
  const missing = await run(['runner', '--api', url, '--token-file', join(folder, 'none')]);
  assert.deepEqual([missing.code, /can't be read/.test(missing.stderr)], [2, true]);
});
