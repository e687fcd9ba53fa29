import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { isThorough } from '@pronghorn/core/testing';
import { sharedStores } from '../../../testing/stores.ts';
import { testApi, testFolder } from '../../../testing/test-api.ts';

const script = join(import.meta.dirname, '../../../testing/restless-runner.ts');

/** Runs until it has said so many lines, then kills it wherever it is by then, which is no further than 20 lines on. @returns all that it said. */
async function runAndKill(options: object, lines: number): Promise<string[]> {
  const child = spawn(process.execPath, [script, JSON.stringify(options), String(lines + 20)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    said.push(line);
    if (said.length === lines) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return said;
}

/** Lines after which a process is killed, and rounds of the campaign: the last process finishes it. */
const [killedAfter, rounds] = isThorough ? [[1, 2, 7, 12, 23], 30] : [[2, 12], 12];

for (const [store, options] of Object.entries(sharedStores)) {
  test(`${store}: a process that is killed again and again loses nothing that it had stored, and counts nothing twice`, async (t) => {
    const folder = testFolder(t);
    const paths = { database: join(folder, 'pronghorn.db'), evidenceDirectory: join(folder, 'evidence'), ...options };
    const before = await testApi(t, paths);
    await before.campaign({ protocols: ['h1', 'h2', 'h3'], rounds });
    await before.app.close();

    const said: string[] = [];
    let kills = 0;
    for (const lines of [...killedAfter, Number.POSITIVE_INFINITY]) {
      const lived = await runAndKill(paths, lines);
      said.push(...lived);
      if (lived.at(-1) !== 'end') kills++;
    }
    assert.equal(kills, killedAfter.length);
    assert.equal(said.at(-1), 'end');

    const after = await testApi(t, paths);
    assert.deepEqual(after.app.database.pragma('integrity_check', { simple: true }), 'ok');
    for (const line of said.filter((word) => word.startsWith('visit'))) {
      const id = line.split(' ')[1] ?? '';
      assert.equal((await after.get(`/visits/${id}/resources`)).body.length, 70, `visit ${id} was stored, and is not there`);
    }
    const performed = after.app.tables.rounds.page(1, null, { limit: 1000, cursor: null }).items;
    assert.ok(performed.every(({ state }) => state === 'done'));
    for (const line of said.filter((word) => word.startsWith('round'))) {
      const [, id, attempt] = line.split(' ');
      assert.equal(performed.find((round) => round.id === id)?.attempt, Number(attempt), `round ${id} was done, and was done again`);
    }
    const results = (await after.get('/campaigns/1/results')).body;
    assert.deepEqual(
      results.cells[0].slots.map(({ valid }: { valid: number }) => valid),
      [rounds, rounds, rounds],
    );
  });
}
