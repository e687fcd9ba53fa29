import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firefox } from './doctor.ts';

test('a missing Firefox is a note, and a fault to who asks for its engine', async (t) => {
  const before = process.env.PRONGHORN_FIREFOX;
  t.after(() => {
    if (before === undefined) delete process.env.PRONGHORN_FIREFOX;
    else process.env.PRONGHORN_FIREFOX = before;
  });
  process.env.PRONGHORN_FIREFOX = '/nowhere/firefox';
  assert.equal((await firefox('note')).level, 'note');
  const { level, text } = await firefox('bad');
  assert.equal(level, 'bad');
  assert.match(text, /names \/nowhere\/firefox, which is not an executable file/);
});
