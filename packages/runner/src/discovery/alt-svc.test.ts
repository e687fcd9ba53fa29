import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offersH3 } from './alt-svc.ts';

test('h3 on the same port, with no host or its own, is an offer', () => {
  assert.equal(offersH3('h3=":443"; ma=86400', 'example.org', 443), true);
  assert.equal(offersH3('h3-29=":443", h3=":443"', 'example.org', 443), true);
  assert.equal(offersH3('h3="example.org:8443"', 'example.org', 8443), true);
});

test('drafts, other ports, other hosts, clear and silence are none', () => {
  for (const header of ['h3-29=":443"', 'h3=":8443"', 'h3="alt.example.net:443"', 'h2=":443"', 'clear', '', null]) {
    assert.equal(offersH3(header, 'example.org', 443), false, String(header));
  }
});
