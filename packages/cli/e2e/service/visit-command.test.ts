// A runner that performs each visit by a command of the operator's, and that command itself.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultLimits } from '@pronghorn/core/schemas';
import { isThorough, proves, thoroughly } from '@pronghorn/core/testing';
import { type Request, requestLine } from '../../../runner/src/visit-command/wire.ts';
import { alive, descendants, leavesNothing, main, profilesOf, run, start, temporaryData, until } from '../command.ts';
import { plainPages } from '../pages.ts';
import { openWorld } from './world.ts';

const visitCommand = `exec '${process.execPath}' '${main}' visit`;

test('a runner with a visit command performs visits in containers, and leaves nothing', proves('isolation', 'runners'), async (t) => {
  const pages = await plainPages();
  t.after(() => pages.close());
  const world = await openWorld(t);
  await world.startApi();
  const submit = (path: string, isolation: 'context' | 'container') =>
    world.submit(1, { sites: [{ url: `${pages.url}${path}` }], protocols: ['h1'], isolation });
  const isolations = isThorough ? (['container', 'context'] as const) : (['container'] as const);
  for (const isolation of isolations) await submit('/', isolation);
  const runner = start(['runner', '--api', world.url, '--name', 'both', '--visit-command', visitCommand, '--no-fence']);
  await runner.says(/isolations: auto, context, process, container/, 120_000);
  const ids = isolations.map((_, index) => String(index + 1));
  for (const id of ids) await runner.says(`(id ${id}) is complete`, 120_000);
  assert.deepEqual((await world.runner('both'))?.capabilities.isolations, ['auto', 'context', 'process', 'container']);
  for (const id of ids) {
    const visits = await world.visits(id);
    assert.deepEqual(
      visits.map(({ outcome }) => outcome.verdict),
      ['valid'],
      JSON.stringify(visits.map(({ outcome }) => outcome)),
    );
  }

  await submit('/endless', 'container');
  const asked = pages.requested.length;
  await until(() => pages.requested.slice(asked).filter((path) => path === '/endless.png').length > 0, 120_000, 'the page to be loaded');
  const below = descendants(runner.pid);
  const profiles = profilesOf(runner.pid);
  if (!isThorough) {
    // A visit whose runner is gone breaks off.
    runner.child.kill('SIGKILL');
    await until(
      () => alive(below).length === 0,
      120_000,
      () => `the visit to end with its runner: ${alive(below)}`,
    );
    return;
  }
  runner.child.kill('SIGTERM');
  await runner.says(/Stopping:/, 120_000);
  runner.child.kill('SIGTERM');
  const { code, stdout, stderr } = await runner.ended;
  assert.equal(code, 0, stdout + stderr);
  await leavesNothing(profiles, below);
});

test('without a visit command nobody takes such a campaign, which says why', proves('isolation'), async (t) => {
  const world = await openWorld(t);
  await world.startApi();
  await world.submit(1, { isolation: 'container' });
  const runner = world.startRunner('plain');
  await runner.says(/^registered/);
  const { why } = await world.ask('GET /campaigns/{id}/queue', { id: '1' });
  assert.match(why ?? '', /^No runner that could perform it can give each visit a container: .*--visit-command/);
});

test('a visit command that can’t measure ends the runner at its start, with what it said', proves('isolation'), async () => {
  const runner = (command: string) => run(['runner', '--api', 'http://127.0.0.1:9', '--visit-command', command]);
  const missing = await runner('no-such-wrapper run -i visit');
  assert.equal(missing.code, 4);
  assert.match(missing.stderr, /The visit command ended with exit code 127 and without an answer\. It said: .*no-such-wrapper.*not found/);
  const talkative = await runner('echo Welcome');
  assert.match(talkative.stderr, /did not write exactly one answer to its standard output: "Welcome".*`pronghorn visit`/);
  const blind = await runner(`PRONGHORN_CHROME=/nowhere PRONGHORN_HEADLESS_SHELL=/nowhere ${visitCommand}`);
  assert.match(blind.stderr, /PRONGHORN_CHROME names \/nowhere, which is not an executable file/);
  const empty = await run(['runner', '--api', 'no-address'], { PRONGHORN_VISIT_COMMAND: '', PRONGHORN_LAB: '', PRONGHORN_LOCATION: '' });
  assert.match(empty.stderr, /no-address/, 'a variable without a value asks for nothing');
  if (!isThorough) return;
  const deaf = await runner(`${visitCommand} < /dev/null`);
  assert.match(deaf.stderr, /Standard input ended without a request.*docker run -i/);
});

test('commands that measure by themselves have no containers, and say what has', proves('isolation'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const measure = await run(['measure', 'http://127.0.0.1:9/', '--isolation', 'container', '--data', data]);
  assert.deepEqual([measure.code, /Allowed choices are auto, context, process\./.test(measure.stderr)], [2, true], measure.stderr);
  const config = join(data, 'pronghorn.json');
  const asked = { sites: [{ url: 'http://127.0.0.1:9/' }], protocols: ['h1'], isolation: 'container', assertions: ['onLoad p75 <= 2.5 s'] };
  writeFileSync(config, JSON.stringify(asked));
  const gate = await run(['gate', '--config', config, '--data', data]);
  assert.equal(gate.code, 2);
  assert.match(gate.stderr, /gives each visit a container, which needs a runner with --visit-command: use a service.*--api/);
  assert.match((await run(['resume', '--data', data])).stderr, /there is nothing to resume/, 'no campaign was made');
  const world = await openWorld(t);
  const api = await world.startApi();
  await world.submit(1, { isolation: 'container' });
  await api.close();
  const resume = await run(['resume', '1', '--link', 'direct', '--data', world.folder]);
  assert.equal(resume.code, 2);
  assert.match(resume.stderr, /gives each visit a container, which needs a runner with --visit-command: start `\.\/pronghorn serve --data/);
});

test('a visit whose asker is gone breaks off and leaves nothing', thoroughly('isolation'), async (t) => {
  const pages = await plainPages();
  t.after(() => pages.close());
  const visit = start(['visit']);
  const request: Request = {
    ask: 'load',
    link: { choice: 'direct', conditions: [], allowNet: [], fencing: 'unfenced', congestionControl: 'cubic', hosts: {} },
    lab: null,
    condition: { name: 'native', up: {}, down: {} },
    load: {
      url: `${pages.url}/endless`,
      protocol: 'h1',
      discovery: 'forced',
      forced: [],
      view: 'cold',
      isolation: 'container',
      browser: 'chrome',
      limits: { ...defaultLimits, loadTimeoutMs: 600_000, settleMaxMs: 1_000 },
    },
  };
  visit.child.stdin?.write(requestLine(request));
  await until(() => pages.requested.includes('/endless.png'), 120_000, 'the page to be loaded');
  const below = descendants(visit.pid);
  const profiles = profilesOf(visit.pid);
  assert.notDeepEqual(alive(below), []);
  visit.child.stdin?.end();
  const { code, stdout, stderr } = await visit.ended;
  assert.deepEqual([code, stdout.length], [130, 0], stderr);
  assert.match(stderr, /Standard input has ended, so the runner is gone\. Nothing was measured/);
  await leavesNothing(profiles, below);
});
