// What the kernel says of a Chrome that root started.
import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { launchChrome } from '../src/chrome/launch.ts';
import { findChrome } from '../src/machine/find.ts';

test('root’s Chrome is another user, and neither it nor what it starts can get a right', {
  skip: process.getuid?.() !== 0,
}, async (context) => {
  // Where no setuid helper stands beside it, as in the images.
  const folder = mkdtempSync(join(tmpdir(), 'chrome-rights-'));
  context.after(() => rmSync(folder, { recursive: true }));
  chmodSync(folder, 0o755);
  const whole = realpathSync(findChrome('chrome'));
  const alone = join(folder, basename(whole));
  copyFileSync(whole, alone);
  for (const name of readdirSync(dirname(whole)))
    if (name !== basename(whole) && name !== 'chrome-sandbox') symlinkSync(join(dirname(whole), name), join(folder, name));
  assert.equal(existsSync(join(folder, 'chrome-sandbox')), false);
  process.env.PRONGHORN_CHROME = alone;
  const chrome = await launchChrome({ protocol: 'h2', discovery: 'forced', forced: [], browser: 'chrome', lab: undefined });
  context.after(() => chrome.close());
  const said = readFileSync(`/proc/${chrome.pid}/status`, 'utf8');
  const [, user] = /^Uid:\t(\d+)/m.exec(said) ?? [];
  assert.equal(user, '47813');
  for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']) assert.match(said, new RegExp(`^Cap${set}:\t0+$`, 'm'));
  assert.match(said, /^NoNewPrivs:\t1$/m);
});
