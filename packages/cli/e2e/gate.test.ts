// Gates as a pipeline asks them, with real visits: by the script of docs/examples against the demo's origin, and of a service.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startApi } from '@pronghorn/api';
import type { Campaign, NotificationMessage } from '@pronghorn/core/schemas';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { type Received, receiver } from '../../api/src/testing/receiver.ts';
import { main, quickLimits, run, start, startProgram, temporaryData } from './command.ts';
import { plainPages } from './pages.ts';

const examples = fileURLToPath(new URL('../../../docs/examples/gates/', import.meta.url));
const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' });

test('of three gates in a shell script one passes, one fails on a slowed page, one cannot be told: by exit codes and reports', async (t) => {
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
  assert.match(told, /Gate: FAIL \(1 check\).* FAIL .*onLoad p75 over HTTP\/3 is 1,\d+ ms .*; at most 1,000 ms is allowed\./);
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

  const suites = (name: string) => {
    const xml = readFileSync(join(folder, `${name}.xml`), 'utf8');
    assert.equal(XMLValidator.validate(xml), true);
    const { tests, failures, skipped } = parser.parse(xml).testsuites;
    return [tests, failures, skipped];
  };
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

test('a page that does not load never passes, and a file that is wrong is refused before anything runs', async (t) => {
  const folder = await temporaryData((remove) => t.after(remove));
  const pages = await plainPages();
  t.after(() => pages.close());
  const config = join(folder, 'pronghorn.json');
  const gate = async (file: object, ...options: string[]) => {
    await writeFile(config, JSON.stringify(file));
    return run(['gate', '--config', config, '--data', folder, ...options]);
  };
  const once = { protocols: ['h1'], rounds: 1, limits: quickLimits };
  const missing = await gate({ ...once, assertions: ['onLoad <= 60 s'] }, '--url', `${pages.url}/missing`, '--format', 'json');
  assert.equal(missing.code, 5, missing.stderr);
  const { result } = JSON.parse(missing.stdout);
  assert.deepEqual([result.outcome, result.checks[0].reasons[0].reason], ['unmeasured', 'unmeasured']);
  assert.match(result.checks[0].words, /^Not measured: 1 of 1 visit over HTTP\/1\.1 is not valid: The document’s status is 404/);

  const before = pages.requested.length;
  const refused = await gate({ ...once, assertions: ['onLoad h3 <= 1 s'] }, '--url', pages.url);
  assert.deepEqual([refused.code, pages.requested.length], [2, before]);
  assert.match(refused.stderr, /The campaign has no protocol h3; it has h1/);
  const wrong = await gate({ assertions: ['onLoad < 1 s'] }, '--url', pages.url);
  assert.deepEqual([wrong.code, /expected|limits are inclusive/.test(wrong.stderr)], [2, true]);
  const nowhere = await gate({ ...once, assertions: ['onLoad <= 1 s'] });
  assert.deepEqual([nowhere.code, /nothing to measure/.test(nowhere.stderr)], [2, true]);
});

test('a service decides a gate when its runners have measured, and a campaign that was measured can be asked again', async (t) => {
  const folder = await temporaryData((remove) => t.after(remove));
  const pages = await plainPages();
  t.after(() => pages.close());
  const serve = startProgram(process.execPath, [main, 'serve', '--port', '0', '--open', '--runner', '--data', folder], {
    ...{ CI: 'true', PRONGHORN_RUNNER_LINK: 'direct' },
  });
  t.after(async () => {
    serve.child.kill('SIGTERM');
    await serve.ended;
  });
  await serve.says(/at (http:\/\/127\.0\.0\.1:\d+)/);
  const [, api = ''] = /at (http:\/\/127\.0\.0\.1:\d+)/.exec(serve.stderr() + serve.stdout()) ?? [];
  const config = join(folder, 'pronghorn.json');
  const rules = { assertions: ['onLoad median <= 60 s', 'onLoad median <= baseline + 50 %'] };
  await writeFile(config, JSON.stringify({ protocols: ['h1'], rounds: 5, limits: quickLimits, ...rules }));
  const asked = ['gate', '--config', config, '--api', api, '--format', 'json'];
  const first = await run([...asked, '--url', pages.url, '--branch', 'main', '--commit', 'abc']);
  assert.equal(first.code, 3, first.stderr);
  const { result, campaign, url } = JSON.parse(first.stdout);
  assert.deepEqual(
    result.checks.map(({ outcome, reasons }: { outcome: string; reasons: { reason: string }[] }) => [outcome, reasons[0]?.reason]),
    [
      ['pass', undefined],
      ['inconclusive', 'no-baseline'],
    ],
    first.stdout,
  );
  assert.deepEqual([campaign.annotations, campaign.priority, url], [{ branch: 'main', commit: 'abc' }, 'ci', `${api}/#/campaigns/1`]);
  const again = await run([...asked, '--campaign', '1']);
  assert.deepEqual(JSON.parse(again.stdout).result, result);
  const gone = await run(['gate', '--config', config, '--api', 'http://127.0.0.1:9', '--campaign', '1', '--exit-on', 'error=77'], {});
  assert.equal(gone.code, 77, gone.stderr);
});

test('a page that answers 503 to all is red in CI by the documented line, and whoever is on call is told of its night', {
  timeout: 120_000,
}, async (t) => {
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
  t.after(async () => {
    serve.child.kill('SIGTERM');
    await serve.ended;
  });
  await serve.says(/at (http:\/\/127\.0\.0\.1:\d+)/);
  const [, api = ''] = /at (http:\/\/127\.0\.0\.1:\d+)/.exec(serve.stderr() + serve.stdout()) ?? [];
  const post = async (path: string, body: object = {}): Promise<{ id: string }> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(`${api}/api/v1${path}`, init);
    assert.ok(answer.ok, `${path}: ${await answer.clone().text()}`);
    return answer.json() as Promise<{ id: string }>;
  };
  await post('/notifications', { name: 'on call', kind: 'webhook', url: webhook, campaigns: 'scheduled' });

  const url = `${pages.url}/down`;
  const campaign = { name: 'shop at night', sites: [{ url, name: 'shop' }], protocols: ['h1'], rounds: 5, limits: quickLimits };
  const assertions = ['onLoad p75 <= 2.5 s', 'onLoad <= baseline + 10 %'];
  const config = join(folder, 'pronghorn.json');
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
    `shop (${url}): 3 of 3 visits are not valid: The document’s status is 503; expected 200. No earlier visit of it there was valid. Open the address in a browser. If this status is right, give it as the page’s expected status. Until then no gate and no comparison says how it loads.`,
  ]);
});

test('a gate that is interrupted while it waits cancels the campaign that was made for it', async (t) => {
  const folder = await temporaryData((remove) => t.after(remove));
  // Without a runner its campaign stays queued.
  const api = await startApi({ database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence') });
  t.after(() => api.close());
  const config = join(folder, 'pronghorn.json');
  await writeFile(config, JSON.stringify({ sites: [{ url: 'https://a.invalid/' }], rounds: 2, assertions: ['onLoad <= 1 s'] }));
  const gate = start(['gate', '--config', config, '--api', api.url]);
  await gate.says('0/2 rounds');
  gate.child.kill('SIGINT');
  const { code } = await gate.ended;
  const campaign = (await (await fetch(`${api.url}/api/v1/campaigns/1`)).json()) as Campaign;
  assert.deepEqual([code, campaign.state], [130, 'cancelled']);
});

/** A gate that waits for a campaign without a runner. */
async function waitingGate(t: TestContext) {
  const folder = await temporaryData((remove) => t.after(remove));
  const options = { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence') };
  let api = await startApi(options);
  t.after(() => api.close());
  const config = join(folder, 'pronghorn.json');
  await writeFile(config, JSON.stringify({ sites: [{ url: 'https://a.invalid/' }], rounds: 2, assertions: ['onLoad h3 <= 1 s'] }));
  const gate = start(['gate', '--config', config, '--api', api.url, '--format', 'json']);
  await gate.says('0/2 rounds');
  return {
    gate,
    async restart(): Promise<void> {
      const port = Number(new URL(api.url).port);
      await api.close();
      api = await startApi({ ...options, port });
    },
    ask: (method: string, path: string) => fetch(`${api.url}/api/v1/campaigns/1${path}`, { method }),
  };
}

test('a gate whose campaign is cancelled ends at once, though the service was restarted meanwhile: inconclusive, and it says what to do', async (t) => {
  const { gate, restart, ask } = await waitingGate(t);
  await restart();
  await ask('POST', '/cancel');
  const { code, stdout, stderr } = await gate.ended;
  assert.equal(code, 3, stderr);
  const { outcome, result } = JSON.parse(stdout);
  assert.deepEqual([outcome, result.state, result.checks.length], ['inconclusive', 'cancelled', 1]);
  assert.match(result.words, /^Campaign 1 was cancelled before .* Resume it, and the gate is checked again/);
});

test('a gate whose campaign is deleted decided nothing', async (t) => {
  const { gate, ask } = await waitingGate(t);
  gate.child.kill('SIGSTOP'); // it is to find the campaign gone, not cancelled
  await ask('POST', '/cancel');
  assert.equal((await ask('DELETE', '')).status, 204);
  gate.child.kill('SIGCONT');
  const { code, stderr } = await gate.ended;
  assert.equal(code, 4, stderr);
  assert.match(stderr, /pronghorn: Campaign 1 was deleted while its gate waited, so nothing is decided\. Ask again/);
});
