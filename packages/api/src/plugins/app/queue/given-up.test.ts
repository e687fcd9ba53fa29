import assert from 'node:assert/strict';
import { test } from 'node:test';
import { givenUpReason } from './given-up.ts';

const dns = { reason: 'dns-error' as const, detail: 'nowhere.invalid: net::ERR_NAME_NOT_RESOLVED' };

test('lasting reasons give a site up, in words that say what was found and how often', () => {
  const reason = givenUpReason([dns, { reason: 'http-status', detail: 'found 404, expected 200' }, dns]);
  assert.equal(
    reason,
    'The site was given up: the first 3 finished rounds have no valid visit, and trying again will not help: ' +
      'dns-error (a host name did not resolve) in 2 of 3 visits, http-status (the main document came with another status than expected) in 1 of 3 visits. ' +
      'Last: nowhere.invalid: net::ERR_NAME_NOT_RESOLVED',
  );
});

test('one reason that may pass keeps a site in', () => {
  assert.equal(givenUpReason([dns, dns, { reason: 'busy-machine', detail: '' }]), null);
});
