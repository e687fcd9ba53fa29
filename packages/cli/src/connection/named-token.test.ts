import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { UsageError } from '../program/errors.ts';
import { namedToken } from './token.ts';

test('what the command line says of the token goes before the environment', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-place-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, ' prg_file\n');
  assert.equal(namedToken({ tokenFile, token: 'prg_option' }, 'prg_environment'), 'prg_file');
  assert.equal(namedToken({ token: 'prg_option' }, 'prg_environment'), 'prg_option');
  assert.equal(namedToken({}, 'prg_environment\n'), 'prg_environment');
  assert.equal(namedToken({}, ''), null);
});

test('a token file that is not there or empty is named', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-place-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const tokenFile = join(folder, 'token');
  const error = (message: RegExp) => (thrown: unknown) => thrown instanceof UsageError && message.test(thrown.message);
  assert.throws(() => namedToken({ tokenFile }), error(/\/token can't be read \(there is no such file or folder\)/));
  writeFileSync(tokenFile, '\n');
  assert.throws(() => namedToken({ tokenFile }), error(/\/token is empty; expected one line/));
});
