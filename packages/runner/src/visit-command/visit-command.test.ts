import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionNamed } from '@pronghorn/core/network';
import { defaultLimits } from '@pronghorn/core/schemas';
import type { Load } from '../engines/engine.ts';
import { patienceMs, surveyVisitCommand, VisitCommand } from './visit-command.ts';
import { answerLine } from './wire.ts';

const condition = conditionNamed('native');
assert.ok(condition);
const link = {
  choice: 'auto' as const,
  conditions: [condition],
  allowNet: [],
  fencing: 'fenced' as const,
  congestionControl: 'cubic',
  hosts: {},
};
const load = (view: Load['view']): Load => ({
  ...{ url: 'https://shop.example/', protocol: 'h2', discovery: 'forced', forced: [], view },
  ...{ isolation: 'container', browser: 'chrome', limits: { ...defaultLimits, loadTimeoutMs: 60_000, settleMaxMs: 10_000 } },
});

test('a visit is waited for as long as its engine’s own limits and two minutes more, a repeat view for both loads', () => {
  const patience = (view: Load['view']) => patienceMs({ ask: 'load', link, lab: null, condition, load: load(view) });
  assert.equal(patience('cold'), 120_000 + 90_000);
  assert.equal(patience('warm'), 120_000 + 180_000);
});

test('capabilities are those that the command tells', async () => {
  const capabilities = { engines: ['puppeteer' as const], browsers: ['chrome' as const], backends: ['direct' as const] };
  const line = answerLine({ told: 'capabilities', capabilities });
  assert.deepEqual(await surveyVisitCommand(`read request; cat <<'END'\n${line}END`, 'auto', 'fenced'), capabilities);
});

test('requests wait for each other, also for one that fails', async () => {
  // Fails when another is at work; its own folder is the lock.
  const command = new VisitCommand(
    `lock=/tmp/visit-command-${process.pid}; mkdir $lock || exit 3; read request; sleep 0.05; rmdir $lock; exit 1`,
  );
  const asked = [1, 2, 3].map(() => command.ask({ ask: 'capabilities', choice: 'auto', fencing: 'fenced' }));
  for (const one of asked) await assert.rejects(one, /ended with exit code 1 and without an answer/);
});
