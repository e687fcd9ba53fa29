// The file by which a runner comes to trust a demo origin, and nothing else.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { UsageError } from '../program/errors.ts';
import { labOfFile } from './runner.ts';

const written = {
  domain: 'pronghorn.test',
  addresses: ['172.31.115.111', '172.31.115.112'],
  trust: { spki: 'AAAA', hostRules: 'MAP shop.pronghorn.test 172.31.115.112' },
  settings: { server: 'nginx' },
};

test('the names below the origin’s domain are served by it, and no others', (context) => {
  const { lab, addresses } = labOfFile(fileWith(context, JSON.stringify(written)));
  assert.equal(lab.serves('shop.pronghorn.test'), true);
  assert.equal(lab.serves('pronghorn.test'), true);
  assert.equal(lab.serves('notpronghorn.test'), false);
  assert.equal(lab.serves('shop.pronghorn.test.example.org'), false);
  assert.deepEqual(addresses, written.addresses);
  assert.deepEqual(lab.settings, { server: 'nginx' });
});

test('a file that is not there, no JSON, or of something else is refused with its name', (context) => {
  const refuses = (path: string, words: RegExp) =>
    assert.throws(
      () => labOfFile(path),
      (error: Error) => error instanceof UsageError && words.test(error.message) && error.message.includes(path),
    );
  refuses(join(tmpdir(), 'no-such-lab.json'), /can't be read/);
  refuses(fileWith(context, '{'), /is not JSON/);
  refuses(fileWith(context, JSON.stringify({ ...written, trust: { spki: 'AAAA' } })), /is not one of a demo origin: at \/trust: must have/);
});

function fileWith(context: { after(undo: () => void): void }, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-lab-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'lab.json');
  writeFileSync(path, text);
  return path;
}
