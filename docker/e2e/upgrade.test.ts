// What the volumes keep when all containers are made anew.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allItems } from '../../packages/core/src/client/index.ts';
import { missingEngine, type Project } from './engine.ts';
import { firstOf, Running } from './running.ts';

const missing = await missingEngine();

describe('docker compose up with a volume that is there already', { skip: missing ?? false }, () => {
  let project: Project;
  let running: Running;

  before(async () => {
    project = await Running.prepare();
    await project.up('api');
    running = await Running.open(project);
  });
  after(async () => {
    await project?.down();
  });

  it('keeps campaigns, tokens and runners when all containers are made anew', { timeout: 240_000 }, async () => {
    const { outside } = running;
    const tokensOf = async () => (await allItems((query) => outside.ask('GET /tokens', { query }))).map(({ id, name }) => ({ id, name }));
    const campaignsOf = () => allItems((query) => outside.ask('GET /campaigns', { query }));
    const runnersOf = () => allItems((query) => outside.ask('GET /runners', { query }));
    const { id } = await running.start({});
    await outside.ask('POST /campaigns/{id}/cancel', { id });
    await project.up();
    const alive = async () => (await runnersOf()).filter(({ state }) => state === 'alive');
    const [runner] = await firstOf(async () => ((await alive()).length > 0 ? await alive() : undefined));
    const campaigns = await campaignsOf();
    const tokens = await tokensOf();
    await project.compose('down', '--timeout', '60');
    assert.deepEqual(await project.containers('api'), []);
    await project.up();
    assert.deepEqual(await campaignsOf(), campaigns);
    // The runner of before is still known, and the one of now took the token that was there.
    const [another] = await firstOf(async () => ((await alive()).length > 0 ? await alive() : undefined));
    assert.notEqual(another?.id, runner?.id);
    assert.partialDeepStrictEqual(
      (await runnersOf()).find(({ id }) => id === runner?.id),
      { name: runner?.name, state: 'stopped' },
    );
    assert.deepEqual(await tokensOf(), tokens);
    assert.equal(tokens.filter(({ name }) => name === 'runners of this machine').length, 1);
  });
});
