// Gates as a pipeline asks them, with real visits: by the script of docs/examples against the demo's origin, and of a service.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startApi } from '@pronghorn/api';
import type { Campaign, NotificationMessage } from '@pronghorn/core/schemas';
import { proves, quickBrowser, thoroughly } from '@pronghorn/core/testing';
import { parse } from 'csv-parse/sync';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { type Received, receiver } from '../../api/src/testing/receiver.ts';
import { main, quickLimits, run, start, startProgram, temporaryData } from './command.ts';
import { plainPages } from './pages.ts';
import { untilTrue } from './service/world.ts';

const examples = fileURLToPath(new URL('../../../docs/examples/gates/', import.meta.url));
const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' });

/** @returns how many checks a report has, how many failed, and how many could not be told */
function suitesOf(junit: string): string[] {
  const xml = readFileSync(junit, 'utf8');
  assert.equal(XMLValidator.validate(xml), true);
  const { tests, failures, skipped } = parser.parse(xml).testsuites;
  return [tests, failures, skipped];
}

test('a gate fails on a slowed page of the demo, and cannot tell what needs more rounds', proves('gates', 'demo'), async (t) => {
  const folder = await temporaryData((remove) => t.after(remove));
  const at = (name: string) => join(folder, name);
  const gate = async (config: string, ...options: string[]) => {
    // Over HTTP/3, as the examples are, each visit has a Chrome of its own.
    const cheaper = { ...JSON.parse(readFileSync(join(examples, config), 'utf8')), protocols: ['h2'], limits: quickLimits };
    await writeFile(at(config), JSON.stringify(cheaper));
    return run(['gate', '--config', at(config), '--data', at('data'), '--junit', at('gate.xml'), ...options]);
  };
  const reports = ['--json', at('slow.json'), '--markdown', at('slow.md')];
  const slow = await gate('slow.json', '--sites', 'truth-late-load', ...reports);
  assert.equal(slow.code, 1, slow.stdout + slow.stderr);
  assert.match(
    slow.stdout.replaceAll(/\s+/g, ' '),
    /Gate: FAIL \(1 check\).* FAIL .*onLoad p75 over HTTP\/2 is [\d,]+ ms .*; at most 1,000 ms is allowed\./,
  );
  const answer = JSON.parse(readFileSync(at('slow.json'), 'utf8'));
  assert.deepEqual([answer.outcome, answer.exitCode, answer.result.checks[0].rounds, answer.campaign.priority], ['fail', 1, 4, 'ci']);
  assert.deepEqual(suitesOf(at('gate.xml')), ['1', '1', '0']);
  assert.match(readFileSync(at('slow.md'), 'utf8'), /^### ❌ fail: /);

  const unsure = await gate('unsure.json', '--campaign', '1');
  assert.equal(unsure.code, 3, unsure.stdout + unsure.stderr);
  assert.match(
    unsure.stdout.replaceAll(/\s+/g, ' '),
    /\? onLoad p95 .*onLoad p95 .* 4 rounds are too few: at least 59 are needed to show that it holds\. Needs at least 55 more rounds\./,
  );
  assert.deepEqual(suitesOf(at('gate.xml')), ['1', '0', '1']);
  assert.equal((await gate('unsure.json', '--campaign', '1', '--exit-on', 'inconclusive=0')).code, 0);
});

test('of three gates in a shell script one passes, one fails, one cannot be told', thoroughly('gates', 'demo'), async (t) => {
  const folder = await temporaryData((remove) => t.after(remove));
  const command = join(folder, 'pronghorn');
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  await chmod(command, 0o755);
  const environment = { PRONGHORN: command, PRONGHORN_LINK: 'direct', CI: 'true', PRONGHORN_API: undefined };
  const { code, stdout, stderr } = await startProgram('sh', [join(examples, 'gates.sh'), folder, '--busy', '1'], environment).ended;
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /exit codes: fast 0, slow 1, unsure 3, unsure with inconclusive=0 0/);
  const told = stdout.replaceAll(/\s+/g, ' ');
  assert.match(told, /Gate: pass \(all 5 checks\)/);
  assert.match(told, /Gate: FAIL \(1 check\).* FAIL .*onLoad p75 over HTTP\/3 is [\d,]+ ms .*; at most 1,000 ms is allowed\./);
  assert.match(
    told,
    /\? onLoad p95 .*onLoad p95 .* 4 rounds are too few: at least 59 are needed to show that it holds\. Needs at least 55 more rounds\./,
  );

  const answer = (name: string) => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
  assert.deepEqual(
    ['fast', 'slow', 'unsure'].map((name) => [answer(name).outcome, answer(name).exitCode]),
    [
      ['pass', 0],
      ['fail', 1],
      ['inconclusive', 0],
    ],
  );
  assert.deepEqual([answer('slow').result.checks[0].rounds, answer('slow').campaign.priority], [4, 'ci']);

  const suites = (name: string) => suitesOf(join(folder, `${name}.xml`));
  assert.deepEqual(
    [suites('fast'), suites('slow'), suites('unsure')],
    [
      ['5', '0', '0'],
      ['1', '1', '0'],
      ['1', '0', '1'],
    ],
  );
  assert.match(readFileSync(join(folder, 'slow.md'), 'utf8'), /^### ❌ fail: /);
});

test('a file that is no gate for the page is refused before anything is measured', proves('gates'), async (t) => {
  const folder = await temporaryData((remove) => t.after(remove));
  const pages = await plainPages();
  t.after(() => pages.close());
  const config = join(folder, 'pronghorn.json');
  const gate = async (file: object, ...options: string[]) => {
    await writeFile(config, JSON.stringify(file));
    return run(['gate', '--config', config, '--data', folder, ...options]);
  };
  const once = { protocols: ['h1'], rounds: 1, limits: quickLimits };
  const refused = await gate({ ...once, assertions: ['onLoad h3 <= 1 s'] }, '--url', pages.url);
  assert.deepEqual([refused.code, pages.requested.length], [2, 0]);
  assert.match(refused.stderr, /The campaign has no protocol h3; it has h1/);
  const wrong = await gate({ assertions: ['onLoad < 1 s'] }, '--url', pages.url);
  assert.deepEqual([wrong.code, /expected|limits are inclusive/.test(wrong.stderr)], [2, true]);
  const nowhere = await gate({ ...once, assertions: ['onLoad <= 1 s'] });
  assert.deepEqual([nowhere.code, /nothing to measure/.test(nowhere.stderr)], [2, true]);
});

test('a page that does not load never passes', thoroughly('gates', 'invalid-visits'), async (t) => {
  const folder = await temporaryData((remove) => t.after(remove));
  const pages = await plainPages();
  t.after(() => pages.close());
  const config = join(folder, 'pronghorn.json');
  await writeFile(config, JSON.stringify({ protocols: ['h1'], rounds: 1, limits: quickLimits, assertions: ['onLoad <= 60 s'] }));
  const missing = await run(['gate', '--config', config, '--data', folder, '--url', `${pages.url}/missing`, '--format', 'json']);
  assert.equal(missing.code, 5, missing.stderr);
  const { result } = JSON.parse(missing.stdout);
  assert.deepEqual([result.outcome, result.checks[0].reasons[0].reason], ['unmeasured', 'unmeasured']);
  assert.match(result.checks[0].words, /^Not measured: 1 of 1 visit over HTTP\/1\.1 is not valid: The document’s status is 404/);
});

test('a service decides a gate, a page that is down is red, and its night is told', proves('gates', 'schedules'), async (t) => {
  let end = async () => {};
  t.after(() => end()); // first: it writes into the folder
  const folder = await temporaryData((remove) => t.after(remove));
  const pages = await plainPages();
  t.after(() => pages.close());
  const told = Promise.withResolvers<Received>();
  const { url: webhook, got } = await receiver(t, (reply, message) => {
    reply.writeHead(204).end();
    told.resolve(message);
  });
  const serve = startProgram(process.execPath, [main, 'serve', '--port', '0', '--open', '--runner', '--data', folder], {
    ...{ CI: 'true', PRONGHORN_RUNNER_LINK: 'direct', PRONGHORN_ACCESS_ALLOW_NET: '127.0.0.0/8' },
  });
  end = async () => {
    serve.child.kill('SIGTERM');
    await serve.ended;
  };
  await serve.says(/at (http:\/\/127\.0\.0\.1:\d+)/, 120_000);
  const [, api = ''] = /at (http:\/\/127\.0\.0\.1:\d+)/.exec(serve.stderr() + serve.stdout()) ?? [];
  const config = join(folder, 'pronghorn.json');
  const performed = { protocols: ['h1'], browser: quickBrowser, rounds: 5, limits: quickLimits };
  const rules = { assertions: ['onLoad median <= 60 s', 'onLoad median <= baseline + 50 %'] };
  const named = { name: 'The "best", second line: of all; ünïcode', url: `${pages.url}/missing?a,b;c'd="x",y`, expectStatus: 404 };
  await writeFile(config, JSON.stringify({ sites: [named], ...performed, ...rules }));
  const asked = ['gate', '--config', config, '--api', api, '--format', 'json'];
  const first = await run([...asked, '--branch', 'main', '--commit', 'abc']);
  assert.equal(first.code, 3, first.stderr);
  const { result, campaign: measured, url: report } = JSON.parse(first.stdout);
  assert.deepEqual(
    result.checks.map(({ outcome, reasons }: { outcome: string; reasons: { reason: string }[] }) => [outcome, reasons[0]?.reason]),
    [
      ['pass', undefined],
      ['inconclusive', 'no-baseline'],
    ],
    first.stdout,
  );
  assert.deepEqual([measured.annotations, measured.priority, report], [{ branch: 'main', commit: 'abc' }, 'ci', `${api}/#/campaigns/1`]);
  const [row]: Record<string, string>[] = parse(await (await fetch(`${api}/api/v1/campaigns/1/visits.csv`)).text(), { columns: true });
  assert.deepEqual([row?.site, row?.url, Number(row?.onLoad) > 0], [named.name, measured.sites[0].url, true], JSON.stringify(row));
  const again = await run([...asked, '--campaign', '1']);
  assert.deepEqual(JSON.parse(again.stdout).result, result);
  const gone = await run(['gate', '--config', config, '--api', 'http://127.0.0.1:9', '--campaign', '1', '--exit-on', 'error=77'], {});
  assert.equal(gone.code, 77, gone.stderr);

  const post = async (path: string, body: object = {}): Promise<{ id: string }> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(`${api}/api/v1${path}`, init);
    assert.ok(answer.ok, `${path}: ${await answer.clone().text()}`);
    return answer.json() as Promise<{ id: string }>;
  };
  await post('/notifications', { name: 'on call', kind: 'webhook', url: webhook, campaigns: 'scheduled' });

  const url = `${pages.url}/down`;
  const campaign = { name: 'shop at night', sites: [{ url, name: 'shop' }], ...performed };
  const assertions = ['onLoad p75 <= 2.5 s', 'onLoad <= baseline + 10 %'];
  await writeFile(config, JSON.stringify({ ...campaign, assertions }));
  const junit = join(folder, 'gate.xml');
  // As docs/gates.md has it for GitHub.
  const gate = await run(['gate', '--config', config, '--url', url, '--junit', junit, '--summary', '--exit-on', 'inconclusive=0'], {
    ...{ PRONGHORN_API: api, GITHUB_STEP_SUMMARY: join(folder, 'summary.md') },
  });
  assert.equal(gate.code, 5, gate.stdout + gate.stderr);
  const words = 'Not measured: 3 of 3 visits over HTTP/1.1 are not valid: The document’s status is 503; expected 200.';
  const said = gate.stdout.replaceAll(/\s+/g, ' ');
  assert.match(said, /^Gate: UNMEASURED \(all 2 checks\) All 2 checks are unmeasured: the page was down, blocked or hardly ever valid\./);
  assert.ok(said.includes(`! onLoad p75 <= 2500 ms (h1) at shop, native, cold ${words}`), said);
  const { failures, skipped, testsuite } = parser.parse(readFileSync(junit, 'utf8')).testsuites;
  assert.deepEqual([failures, skipped], ['2', '0']);
  assert.deepEqual(testsuite.testcase[0].failure, { message: words, type: 'unmeasured', '#text': words });
  assert.match(readFileSync(join(folder, 'summary.md'), 'utf8'), /^### 🚫 unmeasured: shop at night\n/);
  assert.deepEqual(got, [], 'a pipeline tells by its own colour who chose the campaigns of schedules');

  await post('/gates', { name: 'budget', campaign: null, rules: { assertions } });
  const schedule = await post('/schedules', { name: 'nightly', cron: '30 2 * * *', campaign, gate: 'budget' });
  const night = await post(`/schedules/${schedule.id}/start`);
  const { headers, text } = await told.promise;
  const { event, title, lines, campaignId, scheduleId } = JSON.parse(text) as NotificationMessage;
  assert.deepEqual(
    [headers['pronghorn-event'], event, title, campaignId, scheduleId],
    ['site-unmeasured', 'site-unmeasured', 'shop at night: shop was not measured', night.id, schedule.id],
  );
  assert.deepEqual(lines, [
    `shop (${url}): 3 of 3 visits are not valid: The document’s status is 503; expected 200. No earlier visit of it there was valid. Open the address in a browser. If this status is right, give it as the page’s expected status; if the browser gets another, the site refuses the runner’s address or user agent. Until then no gate and no comparison says how it loads.`,
  ]);
});

test('a gate that waits is interrupted, or has its campaign cancelled or deleted', proves('gates'), async (t) => {
  const folder = await temporaryData((remove) => t.after(remove));
  const config = join(folder, 'pronghorn.json');
  await writeFile(config, JSON.stringify({ sites: [{ url: 'https://a.invalid/' }], rounds: 2, assertions: ['onLoad h3 <= 1 s'] }));
  const files = { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence') };
  // Without a runner its campaigns stay queued. Its address is nobody else's, so that its port stays free while it restarts.
  let api = await startApi({ ...files, host: '127.45.67.89' });
  t.after(() => api.close());
  const { url } = api;
  const ask = (method: string, path: string) => fetch(`${api.url}/api/v1/campaigns/${path}`, { method });
  const stateOf = async (id: string) => ((await (await ask('GET', id)).json()) as Partial<Campaign>).state;
  const whileRestarting = async (change: () => Promise<void>) => {
    await api.close();
    api = await startApi(files);
    await change();
    await api.close();
    const { hostname: host, port } = new URL(url);
    api = await startApi({ ...files, host, port: Number(port) });
  };
  const gate = ['gate', '--config', config, '--api', url, '--format', 'json'];

  const interrupted = start(gate);
  await interrupted.says('0/2 rounds', 120_000);
  // As a pipeline ends a job. Ctrl-C ends `measure` in apart/local.test.ts, by the same handler.
  interrupted.child.kill('SIGTERM');
  assert.deepEqual([(await interrupted.ended).code, await stateOf('1')], [130, 'cancelled']);

  const cancelling = run(gate);
  await untilTrue(async () => (await stateOf('2')) === 'queued', 'the gate to have its campaign');
  await ask('POST', '2/cancel');
  const cancelled = await cancelling;
  assert.equal(cancelled.code, 3, cancelled.stderr);
  const { outcome, result } = JSON.parse(cancelled.stdout);
  assert.deepEqual([outcome, result.state, result.checks.length], ['inconclusive', 'cancelled', 1]);
  assert.match(result.words, /^Campaign 2 was cancelled before .* Resume it, and the gate is checked again/);

  const deleting = run(gate);
  await untilTrue(async () => (await stateOf('3')) === 'queued', 'the gate to have its campaign');
  // It is to find the campaign gone, not cancelled.
  await whileRestarting(async () => {
    await ask('POST', '3/cancel');
    assert.equal((await ask('DELETE', '3')).status, 204);
  });
  const deleted = await deleting;
  assert.equal(deleted.code, 4, deleted.stderr);
  assert.match(deleted.stderr, /pronghorn: Campaign 3 was deleted while its gate waited, so nothing is decided\. Ask again/);
});
