import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hostsOf } from './inside.ts';
import { firefoxPreferences, protocolPreferences, userJs } from './preferences.ts';

const choices = { discovery: 'forced', forced: ['b.test:443', 'a.test:4433'], lab: false } as const;

test('each protocol is an upper bound, and HTTP/3 is forced on exact hosts alone, without a race against TCP', () => {
  assert.deepEqual(protocolPreferences({ ...choices, protocol: 'h1' }), {
    'network.http.http2.enabled': false,
    'network.http.http3.enable': false,
  });
  assert.deepEqual(protocolPreferences({ ...choices, protocol: 'h2' }), {
    'network.http.http2.enabled': true,
    'network.http.http3.enable': false,
  });
  const forced = protocolPreferences({ ...choices, protocol: 'h3' });
  assert.equal(forced['network.http.http3.alt-svc-mapping-for-testing'], 'a.test;h3=:4433,b.test;h3=:443');
  assert.equal(forced['network.http.http3.force-use-alt-svc-mapping-for-testing'], true);
  assert.ok(Number(forced['network.http.http3.backup_timer_delay']) > 600_000);
});

test('nothing is forced where Firefox finds HTTP/3 by itself, and only the lab’s CA may stand beside HTTP/3', () => {
  const found = protocolPreferences({ ...choices, protocol: 'h3', discovery: 'alt-svc' });
  assert.deepEqual(found, { 'network.http.http2.enabled': true, 'network.http.http3.enable': true });
  assert.equal(
    protocolPreferences({ ...choices, protocol: 'h3', lab: true })['network.http.http3.disable_when_third_party_roots_found'],
    false,
  );
});

test('a host that is to be forced on two ports is refused', () => {
  assert.throws(
    () => protocolPreferences({ ...choices, protocol: 'h3', forced: ['a.test:1', 'a.test:2'] }),
    /only one port of a host: a\.test/,
  );
});

test('clocks are exact, and certificates are never excused', () => {
  const preferences = firefoxPreferences({ ...choices, protocol: 'h2', lab: true });
  assert.equal(preferences['privacy.reduceTimerPrecision'], false);
  assert.equal(preferences['privacy.resistFingerprinting'], false);
  assert.match(userJs(preferences), /^user_pref\("privacy\.reduceTimerPrecision", false\);$/m);
  assert.doesNotMatch(userJs(preferences), /cert_override|ignoreCert/i);
});

test('names of the lab have the addresses of Chrome’s rules, and what Firefox can’t follow is refused', () => {
  const hostRules = 'MAP a.test 10.0.0.1,MAP b.test [fd00::1],MAP c.test ~NOTFOUND,MAP d.test 10.0.0.2:443,EXCLUDE 127.0.0.1';
  assert.deepEqual(hostsOf({ hostRules }), [
    ['a.test', '10.0.0.1'],
    ['b.test', 'fd00::1'],
    ['c.test', null],
    ['d.test', '10.0.0.2'],
  ]);
  for (const rule of ['MAP *.test 10.0.0.1', 'MAP a.test 10.0.0.1:8443']) assert.throws(() => hostsOf({ hostRules: rule }), /can't follow/);
  assert.deepEqual(hostsOf(undefined), []);
});
