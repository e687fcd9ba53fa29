import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notLoaded } from './unmeasured.ts';

test('a page that no visit loaded says why, by reason and count', () => {
  const slot = { valid: 0, invalid: [{ reason: 'dns-error' as const, count: 3 }] };
  assert.deepEqual(notLoaded([slot, slot, slot]), {
    reasons: [{ reason: 'dns-error', count: 9 }],
    words: 'could not be loaded: a host name did not resolve (9 of 9 visits)',
  });
  const other = { valid: 0, invalid: [{ reason: 'quic-error' as const, count: 4 }] };
  assert.equal(
    notLoaded([slot, other])?.words,
    'could not be loaded: HTTP/3 was forced and failed: UDP is blocked, or there is no HTTP/3 (4 of 7 visits); a host name did not resolve (3)',
  );
});

test('what the measurement failed at is no reason beside one of the page', () => {
  const busy = { reason: 'busy-machine' as const, count: 2 };
  assert.equal(
    notLoaded([{ valid: 0, invalid: [busy, { reason: 'dns-error', count: 1 }] }])?.words,
    'could not be loaded: a host name did not resolve (1 of 1 visit)',
  );
  assert.match(notLoaded([{ valid: 0, invalid: [busy] }])?.words ?? '', /^could not be measured: other work or .* \(2 of 2 visits\)$/);
});

test('a page that a visit loaded, or that none has tried, has no reason', () => {
  assert.equal(
    notLoaded([
      { valid: 0, invalid: [{ reason: 'dns-error', count: 3 }] },
      { valid: 1, invalid: [] },
    ]),
    null,
  );
  assert.equal(notLoaded([{ valid: 0, invalid: [] }]), null);
});
