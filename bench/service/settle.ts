// How long a campaign that goes on until it is settled holds the write lock after its last round: what it needs next is computed by a thread,
// and only what comes of it is written under the lock; before, all of it was done there.
// node bench/service/settle.ts [SITES]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApi } from '../../packages/api/src/app.ts';
import { createNextRounds } from '../../packages/api/src/plugins/app/rounds/next-rounds.ts';
import { openDatabase } from '../../packages/api/src/storage/database.ts';
import { makeDatabase } from '../../packages/api/src/testing/made-database.ts';
import { median } from '../../packages/core/src/math/index.ts';

const sites = Number(process.argv[2] ?? 100);
const times = 7;
const folder = mkdtempSync(join(tmpdir(), 'pronghorn-bench-'));
const file = join(folder, 'pronghorn.db');

const timed = (work: () => void): number => {
  const start = performance.now();
  work();
  return performance.now() - start;
};

try {
  makeDatabase(file, [{ campaigns: 1, sites, conditions: 12, rounds: 10 }]);
  const database = openDatabase(file);
  // Differences of 4 % in numbers that scatter by 15 %: within this margin few groups are settled after ten rounds.
  database.exec(`UPDATE campaigns SET state = 'running', spec = json_set(spec, '$.maximumRounds', 60, '$.margin', 0.001)`);
  const roundsToAdd = createNextRounds(database);
  const next = roundsToAdd(1);
  if (next === undefined) throw new Error('There is no campaign 1.');
  const computed = Array.from({ length: times }, () => timed(() => void roundsToAdd(1)));
  const write = database.transaction(() => {
    const insert = database.prepare(
      'INSERT INTO rounds (campaignId, siteId, condition, view, number, slotOrder) VALUES (1, @siteId, @condition, @view, @number, @order)',
    );
    for (const round of next.rounds) insert.run({ ...round, order: JSON.stringify(round.order) });
    throw new RangeError('to be done again');
  });
  const written = Array.from({ length: times }, () =>
    timed(() => {
      try {
        write.immediate();
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    }),
  );
  database.close();
  const [computing, writing] = [median(computed), median(written)];
  console.log(`${sites * 12} groups of 10 rounds; ${next.rounds.length} rounds are added`);
  console.log(`computing: ${computing.toFixed(0)} ms; writing: ${writing.toFixed(0)} ms`);
  console.log(
    `under the lock: before ${(computing + writing).toFixed(0)} ms, now ${writing.toFixed(0)} ms: ${((computing + writing) / writing).toFixed(1)} × less`,
  );

  const api = await buildApi({ database: file, evidenceDirectory: join(folder, 'evidence') });
  const whole = performance.now();
  await api.queue.decide();
  console.log(`a runner’s answer waits ${(performance.now() - whole).toFixed(0)} ms for both, with a thread that starts first`);
  await api.close();
} finally {
  rmSync(folder, { recursive: true });
}
