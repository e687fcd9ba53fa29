import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { deal, writeBatches } from './batches.ts';
import { testFiles } from './proofs.ts';
import { stepNames, testFilesOf } from './steps.ts';

test('files are dealt to batches of at most so many, each once, neighbours apart', () => {
  assert.deepEqual(deal(['a', 'b', 'c', 'd', 'e'], 2), [['a', 'd'], ['b', 'e'], ['c']]);
  assert.deepEqual(deal([], 8), []);
});

test('modules start in the order of their batches, and are gone in the end', () => {
  const { modules, remove } = writeBatches('/', [['z.test.ts'], ['a.test.ts', 'b.test.ts']]);
  assert.deepEqual([...modules.keys()], [...modules.keys()].sort());
  assert.deepEqual([...modules.values()], [['z.test.ts'], ['a.test.ts', 'b.test.ts']]);
  remove();
  for (const module of modules.keys()) assert.ok(!existsSync(module));
});

const filesOf = (isThorough: boolean) => stepNames.flatMap((step) => testFilesOf(step, isThorough));

test('each test file is run, none twice by the first tier, and none of the thorough tier by it', () => {
  const files = filesOf(false);
  assert.deepEqual(
    files.sort(),
    testFiles().filter((file) => !file.includes('/thorough/')),
  );
  assert.deepEqual([...new Set(filesOf(true))].sort(), testFiles());
});
