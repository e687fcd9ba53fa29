import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign } from '@pronghorn/core/schemas';
import { campaignBefore } from './campaign-before.ts';

const made = (id: string, given: { urls?: string[]; conditions?: string[]; schedule?: string; visitsValid?: number } = {}) =>
  ({
    id,
    ...(given.schedule === undefined
      ? { createdBy: 'nightly', createdByKind: 'token' }
      : { createdBy: given.schedule, createdByKind: 'schedule' }),
    progress: { rounds: 9, roundsDone: 9, visitsValid: given.visitsValid ?? 9, visitsInvalid: 0 },
    sites: (given.urls ?? ['https://a.example/', 'https://b.example/']).map((url) => ({ url })),
    spec: { conditions: (given.conditions ?? ['4g', 'native']).map((name) => ({ name })) },
  }) as unknown as Campaign;

test('a campaign is compared with the last one before it that measured the same pages under the same conditions, in whatever order', () => {
  const older = [
    made('9', { visitsValid: 0 }),
    made('8', { conditions: ['4g'] }),
    made('7', { urls: ['https://a.example/'] }),
    made('6', { urls: ['https://b.example/', 'https://a.example/'], conditions: ['native', '4g'] }),
    made('5'),
  ];
  assert.equal(campaignBefore(made('10'), older)?.id, '6');
  assert.equal(campaignBefore(made('10', { urls: ['https://c.example/'] }), older), undefined);
});

test('one of a schedule is compared with the one that the schedule started before, even if it was changed since; a token of its name is none', () => {
  const older = [made('9'), made('8', { schedule: 'other' }), made('7', { schedule: 'nightly', conditions: ['4g'] })];
  assert.equal(campaignBefore(made('10', { schedule: 'nightly' }), older)?.id, '7');
  assert.equal(campaignBefore(made('10', { schedule: 'nightly' }), older.slice(0, 2))?.id, '9');
});
