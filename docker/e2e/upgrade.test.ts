// What is kept: an earlier release's volume under the services of now, and theirs when all containers are made anew.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Campaign, Runner, Token } from '../../packages/core/src/schemas/index.ts';
import { docker, missingEngine, type Project, runInside } from './engine.ts';
import { firstOf, Running } from './running.ts';

const missing = await missingEngine();
const example = (kind: 'sql' | 'json') =>
  readFileSync(new URL(`../../packages/api/src/storage/examples/0001.${kind}`, import.meta.url), 'utf8');
type Told = { visits: object[]; resources: object[]; rounds: object[]; discoveries: object[] };

describe('docker compose up with a volume that is there already', { skip: missing ?? false }, () => {
  let project: Project;
  let running: Running;

  before(async () => {
    project = await Running.prepare();
    // A container of the new release that waits, so that the volume gets its database before the service is started.
    await project.compose('build', '--quiet');
    const { stdout } = await project.compose('run', '--detach', '--no-deps', '--entrypoint', 'sleep', 'api', 'infinity');
    const schema = await runInside<number>(stdout.trim(), 'old-database.ts', { sql: example('sql') });
    assert.equal(schema, 1);
    await docker(['rm', '--force', stdout.trim()]);
    await project.up('api');
    running = await Running.open(project);
  });
  after(async () => {
    await project?.down();
  });

  it('tells of the campaigns of the first release what that told', async () => {
    const { outside } = running;
    const told = JSON.parse(example('json')) as Told;
    assert.partialDeepStrictEqual(await outside.all('/campaigns/1/visits'), told.visits);
    assert.partialDeepStrictEqual(await outside.all('/campaigns/1/rounds'), told.rounds);
    assert.partialDeepStrictEqual(await outside.all('/campaigns/1/discoveries'), told.discoveries);
    const [visit] = told.visits as { id: string }[];
    assert.partialDeepStrictEqual(await outside.ask('GET', `/visits/${visit?.id}/resources`), told.resources);
    assert.equal((await outside.request('GET', '/api/v1/campaigns/1/results')).status, 200);
  });

  it('keeps campaigns, tokens and runners when all containers are made anew', { timeout: 240_000 }, async () => {
    const { outside } = running;
    // Its pages are nowhere.
    await outside.ask('POST', '/campaigns/1/cancel');
    await project.up();
    const alive = async () => (await outside.all<Runner>('/runners')).filter(({ state }) => state === 'alive');
    const [runner] = await firstOf(async () => ((await alive()).length > 0 ? await alive() : undefined));
    const campaigns = await outside.all<Campaign>('/campaigns');
    const tokens = (await outside.all<Token>('/tokens')).map(({ id, name }) => ({ id, name }));
    await project.compose('down', '--timeout', '60');
    assert.deepEqual(await project.containers('api'), []);
    await project.up();
    assert.deepEqual(await outside.all<Campaign>('/campaigns'), campaigns);
    // The runner of before is still known, and the one of now took the token that was there.
    const [another] = await firstOf(async () => ((await alive()).length > 0 ? await alive() : undefined));
    assert.notEqual(another?.id, runner?.id);
    assert.partialDeepStrictEqual(
      (await outside.all<Runner>('/runners')).find(({ id }) => id === runner?.id),
      { name: runner?.name, state: 'stopped' },
    );
    assert.deepEqual(
      (await outside.all<Token>('/tokens')).map(({ id, name }) => ({ id, name })),
      tokens,
    );
    assert.equal(tokens.filter(({ name }) => name === 'runners of this machine').length, 1);
  });
});
