import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '../testing/test-folder.ts';
import { rightless } from './run.ts';
import { rightsOf } from './unprivileged.ts';

test('a Chrome with a setuid helper beside it may get rights, also when it is started by a link elsewhere', (t) => {
  const folder = testFolder(t);
  const [opt, bin] = [join(folder, 'opt'), join(folder, 'bin')];
  for (const made of [opt, bin]) mkdirSync(made);
  writeFileSync(join(opt, 'chrome'), '');
  symlinkSync(join(opt, 'chrome'), join(bin, 'google-chrome'));
  assert.deepEqual([rightsOf(join(opt, 'chrome')), rightsOf(join(bin, 'google-chrome'))], [rightless, rightless]);
  writeFileSync(join(opt, 'chrome-sandbox'), '');
  assert.deepEqual([rightsOf(join(opt, 'chrome')), rightsOf(join(bin, 'google-chrome'))], [[], []]);
});
