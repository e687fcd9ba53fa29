import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeSpec } from '../../../fixtures/made-campaign.ts';
import type { Condition } from '../../schemas/condition.ts';
import { previousCampaign } from './previous-campaign.ts';

const native: Condition = { name: 'native', up: {}, down: {} } as Condition;
const slow = (delayMs: number): Condition => ({ name: 'slow', up: { delayMs }, down: { delayMs } }) as Condition;
const made = (
  id: string,
  { urls = ['https://a.example/', 'https://b.example/'], conditions = [native], browser = 'chrome' as 'chrome' | 'headless-shell' } = {},
) => ({
  ...{ id, location: null },
  sites: urls.map((url) => ({ id: url, url, name: url, expectStatus: 200 })),
  spec: madeSpec({ conditions, browser }),
});
const before = (campaign: ReturnType<typeof made>, ...earlier: ReturnType<typeof made>[]) => {
  const found = previousCampaign(campaign, earlier);
  return found && [found.campaign.id, found.isSameSetup];
};

test('the last campaign of the same pages, setup and conditions is found, in whatever order they stand, and none before it is read', () => {
  const alike = made('8', { urls: ['https://b.example/', 'https://a.example/'] });
  function* earlier() {
    yield made('9', { urls: ['https://a.example/'] });
    yield alike;
    assert.fail('reads on');
  }
  assert.deepEqual(previousCampaign(made('10'), earlier()), { campaign: alike, isSameSetup: true });
});

test('the same pages count most, then the way of measuring, then the conditions', () => {
  const [otherWay, fewerPages] = [made('9', { browser: 'headless-shell' }), made('8', { urls: ['https://a.example/'] })];
  assert.deepEqual(before(made('10'), fewerPages, otherWay), ['9', false]);
  assert.deepEqual(before(made('10'), fewerPages), ['8', true]);
  const [both, one] = [made('10', { conditions: [native, slow(50)] }), made('9')];
  assert.deepEqual(before(both, one, made('8', { conditions: [native, slow(50)] })), ['8', true]);
  assert.deepEqual(before(both, one, made('8', { conditions: [native, slow(50)], browser: 'headless-shell' })), ['9', true]);
});

test('a campaign that shares no page, or no condition with the same numbers, has nothing to compare', () => {
  assert.equal(before(made('10'), made('9', { urls: ['https://c.example/'] })), undefined);
  assert.equal(before(made('10', { conditions: [slow(50)] }), made('9', { conditions: [slow(60)] })), undefined);
});
