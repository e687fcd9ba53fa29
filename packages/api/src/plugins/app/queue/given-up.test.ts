import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givenUpReason } from './round-transitions.ts';

const dns = (roundId: number) => ({
  roundId,
  slot: 0,
  reason: 'dns-error' as const,
  detail: 'nowhere.invalid: net::ERR_NAME_NOT_RESOLVED',
});
const busy = (roundId: number) => ({ roundId, slot: 0, reason: 'busy-machine' as const, detail: '' });

test('lasting reasons give a site up, in words that say what was found and how often', () => {
  const reason = givenUpReason([dns(1), { roundId: 2, slot: 0, reason: 'http-status', detail: 'found 404, expected 200' }, dns(3)]);
  assert.equal(
    reason,
    'The site was given up: the first 3 finished rounds have no valid visit, and trying again will not help: ' +
      'dns-error (a host name did not resolve) in 2 of 3 visits, http-status (the main document came with another status than expected) in 1 of 3 visits. ' +
      'Last: nowhere.invalid: net::ERR_NAME_NOT_RESOLVED',
  );
});

test('one reason that may pass keeps a site in', () => {
  assert.equal(givenUpReason([dns(1), dns(2), { roundId: 3, slot: 0, reason: 'load-timeout', detail: '' }]), null);
  assert.equal(givenUpReason([dns(1), dns(2), busy(3)]), null);
});

test('what the measurement failed at before it found out keeps no site in', () => {
  assert.match(givenUpReason([busy(1), dns(1), dns(2), busy(3), busy(3), dns(3)]) ?? '', /dns-error .* in 3 of 3 visits\. /);
});
