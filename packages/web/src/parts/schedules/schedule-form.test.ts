import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schedule } from '@pronghorn/core/schemas';
import { formOf, newScheduleForm, requestOf } from './schedule-form.ts';

test('what is edited is what was stored, without what the service says of it', () => {
  const form = { ...newScheduleForm('Europe/Berlin'), name: 'shop at night', gate: 'budget' };
  const stored: Schedule = {
    id: '7',
    ...form,
    campaign: { ...form.campaign, priority: 'schedule' },
    createdAt: '2026-03-01T12:00:00.000Z',
    createdBy: 'Ada',
    nextRuns: ['2026-03-02T01:30:00.000Z'],
    lastStart: null,
  };
  assert.deepEqual(formOf(stored), form);
});

test('what is sent has no spaces around what was typed', () => {
  const sent = requestOf({ ...newScheduleForm('UTC'), name: ' shop ', cron: ' @daily ' });
  assert.deepEqual([sent.name, sent.cron, sent.timeZone], ['shop', '@daily', 'UTC']);
});
