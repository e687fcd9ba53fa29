import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Campaign, RoundLinkCheck, Visit } from '@pronghorn/core';
import { madeSpec } from '../../../../core/fixtures/made-campaign.ts';
import { visitFacts } from './visit-facts.ts';

const campaign = { spec: madeSpec({ sites: [], isolation: 'container' }) } as unknown as Campaign;
const visit = {
  ...{ protocol: 'h3', condition: 'native', view: 'cold', roundNumber: 1, position: 0, retry: 0, attempt: 1, finalUrl: null, cpu: null },
  ...{ link: null, startedAt: '2026-03-01T12:00:10.000Z', wallMs: 8_000, environmentId: 'one' },
} as unknown as Visit;
const check = (second: string, faults: string[] = [], attempt = 1) =>
  ({ ...{ attempt, checkedAt: `2026-03-01T12:00:${second}.000Z`, rtt: null, up: null, down: null, faults } }) as unknown as RoundLinkCheck;
const linkOf = (one: Visit, checks: readonly RoundLinkCheck[], of = campaign) =>
  visitFacts(one, of, checks, []).find(([name]) => name.startsWith('Link'));

test('a visit in a container of its own tells of that container’s link, not of a later one’s', () => {
  const checks = [check('05', ['first']), check('09', ['its own']), check('14', ['the next']), check('09', ['of another attempt'], 2)];
  assert.deepEqual(linkOf(visit, checks), ['Link, measured before it', 'Verdict: its own.']);
});

test('a visit that never loaded tells of the link that was found while it was tried', () => {
  const checks = [check('05', ['first']), check('14', ['its own']), check('23', ['the next'])];
  const unloaded = { ...visit, environmentId: null };
  assert.deepEqual(linkOf(unloaded, checks), ['Link, measured before it', 'Verdict: its own.']);
  assert.equal(linkOf(unloaded, [check('05', ['first']), check('23', ['the next'])]), undefined, 'its container never got that far');
});

test('a visit of another campaign tells of its round’s link', () => {
  const of = { spec: madeSpec({ sites: [] }) } as unknown as Campaign;
  assert.deepEqual(linkOf(visit, [check('05')], of), ['Link, measured before its round', 'Verdict: within tolerance.']);
  assert.deepEqual(linkOf(visit, [], of), ['Link', 'the machine’s own network']);
});
