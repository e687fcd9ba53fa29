import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { removeFolder, temporaryFolder } from './machine/run-folder.ts';
import { lackOfRoom } from './runner.ts';

test('a full disk is reported with its folder and the needed room', () => {
  const folder = temporaryFolder('room');
  assert.equal(lackOfRoom([folder], 0), null);
  assert.match(
    lackOfRoom([folder], Number.MAX_SAFE_INTEGER) ?? '',
    new RegExp(`^The disk of ${folder} has \\d+ MB left, and the runner needs \\d+ MB`),
  );
});

test('a folder that somebody cleaned away is there again', () => {
  const folder = temporaryFolder('room');
  removeFolder(folder);
  assert.equal(lackOfRoom([folder], 0), null);
  assert.ok(existsSync(folder));
});
