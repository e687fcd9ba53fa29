// What the volumes keep when all containers are made anew, and what the documentation's lines for a backup and for restoring it bring back: nothing is
// lost, and nothing removed where there is no backup.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { allItems } from '../../packages/core/src/client/index.ts';
import type { Campaign, Visit } from '../../packages/core/src/schemas/index.ts';
import { proves } from '../../packages/core/src/testing/proves.ts';
import type { Project } from './engine.ts';
import { reasonToSkip } from './passed.ts';
import { Running } from './running.ts';

const mark = '/data/of-this-volume';

describe('the volumes of docker compose', { ...proves('containers', 'upkeep'), skip: await reasonToSkip(import.meta.filename) }, () => {
  const { backup, restore } = documentedLines();
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-backup-'));
  let project: Project;
  let running: Running;
  let campaign: Campaign;
  let visits: Visit[];

  before(async () => {
    project = await Running.prepare();
    await project.up();
    running = await Running.open(project);
    const { id } = await running.start({ conditions: ['native'], rounds: 1 });
    visits = await running.visitsOf({ id });
    campaign = await running.outside.ask('GET /campaigns/{id}', { id });
  });
  afterEach(async (t) => {
    if (project !== undefined && 'passed' in t && !t.passed)
      console.error((await project.compose('logs', '--no-color', '--tail', '40')).stdout);
  });
  after(async () => {
    await project?.down();
    rmSync(folder, { recursive: true, force: true });
  });

  it('keep campaigns, tokens and runners when all containers are made anew', { timeout: 600_000 }, async () => {
    const tokensOf = async () =>
      (await allItems((query) => running.outside.ask('GET /tokens', { query }))).map(({ id, name }) => ({ id, name }));
    const [runner] = await running.registered(1);
    const tokens = await tokensOf();
    await project.compose('down', '--timeout', '60');
    assert.deepEqual(await project.containers('api'), []);
    await project.up();
    assert.deepEqual(await running.outside.ask('GET /campaigns/{id}', { id: campaign.id }), campaign);
    // The runner of before is still known, and the one of now took the token that was there.
    const [another] = await running.registered(1);
    assert.notEqual(another?.id, runner?.id);
    assert.partialDeepStrictEqual(
      (await running.runners()).find(({ id }) => id === runner?.id),
      { name: runner?.name, state: 'stopped' },
    );
    assert.deepEqual(await tokensOf(), tokens);
    assert.equal(tokens.filter(({ name }) => name === 'runners of this machine').length, 1);
  });

  it('lose nothing where there is no backup of that name', async () => {
    const containers = async () => Promise.all(['api', 'runner', 'origin'].map((service) => project.containers(service)));
    const before = await containers();
    await assert.rejects(project.shell(restore, folder), { code: 1 });
    assert.deepEqual(await containers(), before);
    assert.deepEqual(await running.outside.ask('GET /campaigns/{id}', { id: campaign.id }), campaign);
    assert.deepEqual(readdirSync(folder), []);
  });

  it('have campaigns, visits, their evidence and tokens again from a backup, where they are new', { timeout: 600_000 }, async () => {
    const { outside } = running;
    const [visit] = visits.filter(({ counted }) => counted);
    const evidence = () => outside.client.text('GET /visits/{id}/evidence', { id: visit?.id ?? '' });
    const before = await evidence();
    assert.ok(before.length > 1_000, before);

    await project.shell(backup, folder);
    const backups = join(folder, 'backups');
    const [name = '', ...others] = readdirSync(backups);
    assert.deepEqual([name.endsWith('.part'), others], [false, []]);
    assert.equal(statSync(backups).mode & 0o777, 0o700);
    assert.doesNotMatch(await project.exec('api', 'ls', '/data'), /backup/, 'the volume keeps no second copy');

    await project.exec('api', 'touch', mark);
    await outside.ask('POST /tokens', { body: { name: 'later', role: 'viewer' } });
    const named = restore.replace(/^backup=.*$/m, `backup=backups/${name}`);
    assert.notEqual(named, restore);
    await project.shell(named, folder);

    await assert.rejects(project.exec('api', 'ls', mark), /No such file/);
    assert.deepEqual(await outside.ask('GET /campaigns/{id}', { id: campaign.id }), campaign);
    assert.deepEqual(await running.visitsOf(campaign), visits);
    assert.equal(await evidence(), before);
    const tokens = (await allItems((query) => outside.ask('GET /tokens', { query }))).map((token) => token.name);
    assert.deepEqual([tokens.includes('test'), tokens.includes('later')], [true, false]);
    // The runner shows a token that was made since.
    const again = await running.start({ conditions: ['native'], rounds: 1 });
    assert.ok((await running.visitsOf(again)).length > 0);
  });
});

/** Of docs/containers.md. */
function documentedLines(): { backup: string; restore: string } {
  const docs = readFileSync(new URL('../../docs/containers.md', import.meta.url), 'utf8');
  const section = docs.split('\n## Backups\n')[1]?.split('\n## ')[0] ?? '';
  const [backup, restore, ...others] = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, lines]) => lines);
  if (backup === undefined || restore === undefined || others.length > 0)
    throw new Error('docs/containers.md has not two blocks of commands under "Backups": a backup, and how to restore it.');
  return { backup, restore };
}
