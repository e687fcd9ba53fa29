import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startApi } from '@pronghorn/api';
import { proves } from '@pronghorn/core/testing';
import { run, temporaryData } from './command.ts';
import { madeService } from './made-service.ts';

test('a gate is stored, listed, shown, changed and deleted from the command line', proves('gates'), async (t) => {
  const folder = await temporaryData((remove) => t.after(remove));
  const api = await startApi({ database: ':memory:', evidenceDirectory: join(folder, 'evidence') });
  t.after(() => api.close());
  const config = join(folder, 'pronghorn.json');
  const file = (content: object) => writeFileSync(config, JSON.stringify(content));
  const gates = (...words: string[]) => run(['gates', ...words], { PRONGHORN_API: api.url });

  assert.match((await gates('list')).stdout, /There are no gates\. Store one with: \.\/pronghorn gates save/);
  const content = {
    sites: [{ url: 'https://shop.example/' }],
    protocols: ['h2', 'h3'],
    rounds: 30,
    assertions: ['onLoad p75 h3 <= 2.5 s'],
  };
  file(content);
  const stored = await gates('save', 'budget', '--config', config);
  assert.equal(stored.stdout, 'Gate 1, "budget", is stored: 1 assertion; it measures https://shop.example/.\n', stored.stderr);
  assert.deepEqual(JSON.parse((await gates('show', 'budget', '--json')).stdout), content);

  file({ ...content, assertions: [...content.assertions, 'onLoad h3 <= h2 + 5 %'] });
  const changed = await gates('save', 'budget', '--config', config, '--rules');
  assert.equal(changed.stdout, 'Gate 1, "budget", is changed: 2 assertions; it measures nothing itself.\n', changed.stderr);
  assert.match((await gates('list')).stdout, /1 +budget +nothing itself +2 +20\d\d-/);

  await fetch(`${api.url}/api/v1/campaigns`, {
    ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ sites: content.sites, protocols: content.protocols, rounds: 1 }),
  });
  const asked = JSON.stringify({ gateId: '1', campaignId: '1' });
  await fetch(`${api.url}/api/v1/gates/check`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: asked });
  const { stdout: shown } = await gates('show', '1');
  assert.match(
    shown,
    /^Gate 1, "budget", changed .* It measures nothing itself\. It asserts\n {2}onLoad p75 h3 <= 2500 ms\n {2}onLoad h3 <= h2 \+ 5 %\n/,
  );
  assert.match(shown, /1 +20\d\d-.* its campaign is not done\n$/);

  assert.equal((await gates('delete', 'budget')).stdout, 'Gate 1, "budget", is deleted.\n');
  const gone = await gates('show', 'budget');
  assert.deepEqual([gone.code, gone.stderr], [2, 'pronghorn: There is no gate "budget"; the service has none.\n']);
});

test('what can’t be a gate is refused before it is sent, or by the service, with what is wrong', proves('gates'), async (t) => {
  const folder = await temporaryData((remove) => t.after(remove));
  const api = await startApi({ database: ':memory:', evidenceDirectory: join(folder, 'evidence') });
  t.after(() => api.close());
  const config = join(folder, 'pronghorn.json');
  const save = (content: object) => {
    writeFileSync(config, JSON.stringify(content));
    return run(['gates', 'save', 'budget', '--api', api.url, '--config', config]);
  };
  const noSites = await save({ rounds: 5, assertions: ['onLoad <= 1 s'] });
  assert.equal(noSites.code, 2);
  assert.match(noSites.stderr, /says how to measure \(rounds\), but has no sites\. Name some, or store only the assertions with --rules/);
  const nowhere = await save({ sites: [{ url: 'https://a.example/' }], protocols: ['h2'], assertions: ['onLoad h3 <= 1 s'] });
  assert.equal(nowhere.code, 2);
  assert.match(nowhere.stderr, /The campaign has no protocol h3; it has h2/);
  const apart = await run(['gates', 'list']);
  assert.equal(apart.code, 2);
  assert.match(apart.stderr, /--api <url>/);
});

/** A service with two gates, and with a token that may ask one of them. */
async function withGates(t: TestContext) {
  const service = await madeService(t, 500, { access: 'tokens' });
  const campaign = {
    sites: [{ url: 'https://shop.example/' }],
    protocols: ['h3' as const],
    rounds: 12,
    annotations: { event: 'push' as const },
  };
  await service.store({ name: 'checkout', campaign, rules: { assertions: ['onLoad p75 <= 1 s'] } });
  await service.store({ name: 'search', campaign, rules: { assertions: ['onLoad p75 <= 100 ms'] } });
  await service.store({ name: 'checkout rules', campaign: null, rules: { assertions: ['onLoad p75 <= 100 ms'] } });
  const token = await service.token('shop pipeline', { gates: ['checkout*'] });
  const environment = { PRONGHORN_API: service.url, PRONGHORN_TOKEN: token, GITHUB_SHA: 'abc', GITHUB_REF_NAME: 'faster' };
  return { service, gate: (...words: string[]) => run(['gate', ...words], environment) };
}

test('a token for a gate asks it by its name: what it stores is measured, and judges', proves('gates', 'access'), async (t) => {
  const { service, gate } = await withGates(t);
  const passed = await gate('--gate', 'checkout', '--format', 'json');
  assert.equal(passed.code, 0, passed.stderr);
  const { result, campaign } = JSON.parse(passed.stdout);
  assert.deepEqual([result.assertions, result.outcome, campaign.priority], [['onLoad p75 <= 1000 ms'], 'pass', 'ci']);
  assert.deepEqual((await service.campaign('1')).annotations, { event: 'push', commit: 'abc', branch: 'faster' });
  const failed = await gate('--gate', 'checkout rules', '--campaign', '1');
  assert.deepEqual([failed.code, failed.stdout.startsWith('Gate: FAIL (1 check)')], [1, true], failed.stderr);
});

test('a token for a gate asks no other, with nothing of its own, and is told why', proves('gates', 'access'), async (t) => {
  const { gate } = await withGates(t);
  const allowed = '"shop pipeline" may read, and ask gate checkout\\* only. Ask with another token.';
  for (const [words, told] of [
    [['--gate', 'search'], `Gate 2, "search", is not within the scope of "shop pipeline". ${allowed}`],
    [['--gate', 'checkout', '--url', 'https://else.example/'], 'The question has another campaign than gate "checkout"'],
    [['--gate', 'checkout', '--rounds', '30'], 'Leave campaign out (--url and --rounds of the command), or change its annotations only.'],
  ] as const) {
    const { code, stderr } = await gate(...words);
    const said = stderr.replaceAll(/\s+/g, ' ');
    assert.deepEqual([code, said.includes(told.replace('\\', ''))], [77, true], said);
  }
});

test('a gate that can’t be asked by its name says what to name', proves('gates'), async (t) => {
  const { gate } = await withGates(t);
  for (const [words, told] of [
    [['--gate', 'chekout'], 'There is no gate "chekout"; the service has "checkout", "search", "checkout rules".'],
    [
      ['--gate', 'checkout rules'],
      'Gate "checkout rules" measures nothing itself: it judges campaigns that others create. Name one with --campaign, or a page with --url.',
    ],
    [['--gate', 'checkout', '--config', 'x.json'], "option '--gate <name>' cannot be used with option '--config <file>'"],
    [['--gate', 'checkout', '--baseline', 'release'], "option '--gate <name>' cannot be used with option '--baseline <branch>'"],
  ] as const) {
    const { code, stderr } = await gate(...words);
    const said = stderr.replaceAll(/\s+/g, ' ');
    assert.deepEqual([code, said.includes(told)], [2, true], said);
  }
  const here = await run(['gate', '--gate', 'checkout']);
  assert.deepEqual([here.code, here.stderr.includes('no service is named. Add --api or PRONGHORN_API.')], [2, true], here.stderr);
});
