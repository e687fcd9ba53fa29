import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApi } from '@pronghorn/api';
import { start, temporaryData } from './command.ts';

test('a gate is stored, listed, shown, changed and deleted from the command line', async (t) => {
  const folder = await temporaryData((remove) => t.after(remove));
  const api = await startApi({ database: ':memory:', evidenceDirectory: join(folder, 'evidence') });
  t.after(() => api.close());
  const config = join(folder, 'pronghorn.json');
  const file = (content: object) => writeFileSync(config, JSON.stringify(content));
  const gates = (...words: string[]) => start(['gates', ...words], { PRONGHORN_API: api.url }).ended;

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
  assert.deepEqual([gone.code, gone.stderr], [2, 'pronghorn: There is no gate "budget"; there are none.\n']);
});

test('what can’t be a gate is refused before it is sent, or by the service, with what is wrong', async (t) => {
  const folder = await temporaryData((remove) => t.after(remove));
  const api = await startApi({ database: ':memory:', evidenceDirectory: join(folder, 'evidence') });
  t.after(() => api.close());
  const config = join(folder, 'pronghorn.json');
  const save = (content: object) => {
    writeFileSync(config, JSON.stringify(content));
    return start(['gates', 'save', 'budget', '--api', api.url, '--config', config]).ended;
  };
  const noSites = await save({ rounds: 5, assertions: ['onLoad <= 1 s'] });
  assert.equal(noSites.code, 2);
  assert.match(noSites.stderr, /says how to measure \(rounds\), and has no sites\. Name some, or leave that out with --rules/);
  const nowhere = await save({ sites: [{ url: 'https://a.example/' }], protocols: ['h2'], assertions: ['onLoad h3 <= 1 s'] });
  assert.equal(nowhere.code, 2);
  assert.match(nowhere.stderr, /The campaign has no protocol h3; it has h2/);
  const apart = await start(['gates', 'list'], {}).ended;
  assert.equal(apart.code, 2);
  assert.match(apart.stderr, /--api <url>/);
});
