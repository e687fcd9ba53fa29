import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { afterDay, dayOfText, dayText, startOfDay } from './times.ts';

const zone = process.env.TZ;
describe('days in Berlin', () => {
  before(() => {
    process.env.TZ = 'Europe/Berlin';
  });
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  test('a day is the reader’s own, also where the clocks are changed', () => {
    assert.equal(startOfDay('2026-03-01'), '2026-02-28T23:00:00.000Z');
    assert.deepEqual([startOfDay('2026-03-29'), afterDay('2026-03-29')], ['2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
    assert.equal(afterDay('2026-12-31'), '2026-12-31T23:00:00.000Z');
  });

  test('what is no day is no moment', () => {
    assert.deepEqual([startOfDay(''), startOfDay('yesterday'), afterDay('2026-3-1')], [null, null, null]);
  });

  test('a day is read as people write it, and what is no day is none', () => {
    const now = Date.parse('2026-11-28T12:00:00Z');
    for (const text of ['22 Nov 2026', '22 november', '22. Nov. 2026', '2026-11-22', ' 22 NOV, 2026 ']) {
      assert.equal(dayOfText(text, now), '2026-11-22', text);
    }
    assert.equal(dayOfText('', now), '');
    for (const text of ['31 Feb 2026', '22 Foo 2026', 'yesterday', '11/22/2026', '2026-13-01'])
      assert.equal(dayOfText(text, now), null, text);
    assert.equal(dayText('2026-11-22'), '22 Nov 2026');
    assert.equal(dayText('whenever'), 'whenever');
  });
});
