import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionNamed } from '@pronghorn/core/network';
import { chromeFlags, effectiveConnectionOf, type FlagChoices, protocolFlags } from './flags.ts';

const lab = { spki: 'key=', hostRules: 'MAP shop.test 127.0.0.2' };

test('each protocol has the flags that were measured to give it', () => {
  const flags = (protocol: 'h1' | 'h2' | 'h3') => protocolFlags({ protocol, discovery: 'forced', forced: ['b.test:443', 'a.test:443'] });
  assert.deepEqual(flags('h1'), ['--disable-quic', '--disable-http2']);
  assert.deepEqual(flags('h2'), ['--disable-quic']);
  assert.deepEqual(flags('h3'), ['--origin-to-force-quic-on=a.test:443,b.test:443']);
});

test('Alt-Svc discovery forces nothing', () => {
  assert.deepEqual(protocolFlags({ protocol: 'h3', discovery: 'alt-svc', forced: ['a.test:443'] }), []);
});

test('no Chrome ever ignores certificates, and only the demo origin’s key is excused', () => {
  const user = chromeFlags({ protocol: 'h3', discovery: 'forced', forced: ['a.test:443'], browser: 'chrome', lab: undefined });
  assert.ok(!user.some((flag) => /ignore-certificate|host-resolver|allow-insecure/.test(flag)));
  const demo = chromeFlags({ protocol: 'h2', discovery: 'forced', forced: [], browser: 'chrome', lab });
  assert.ok(demo.includes('--ignore-certificate-errors-spki-list=key='));
  assert.ok(!demo.includes('--ignore-certificate-errors'));
});

test('only where an own authority is trusted are dictionaries taken from others than public ones', () => {
  const features = (choices: Partial<FlagChoices>) =>
    chromeFlags({ protocol: 'h2', discovery: 'forced', forced: [], browser: 'chrome', lab: undefined, ...choices }).filter((flag) =>
      flag.startsWith('--disable-features='),
    );
  const own = /^--disable-features=Translate,.*,CompressionDictionaryTransportRequireKnownRootCert$/;
  for (const choices of [{ lab }, { visitor: { ca: 'PEM' } }]) assert.match(features(choices).join(' '), own);
  const [usual, ...others] = features({ visitor: { language: 'de' } });
  assert.doesNotMatch(usual ?? '', own);
  assert.deepEqual(others, [], 'of two alike Chrome takes the later one');
});

test('with a local certificate, Alt-Svc discovery names each host once on a port that nothing uses', () => {
  const flags = chromeFlags({ protocol: 'h3', discovery: 'alt-svc', forced: ['a.test:4433'], browser: 'chrome', lab });
  assert.ok(flags.includes('--origin-to-force-quic-on=a.test:1'));
});

test('in the laboratory no other name resolves, unless pages may take what they name from the world', () => {
  const rules = (trust: typeof lab & { outside?: boolean }) =>
    chromeFlags({ protocol: 'h2', discovery: 'forced', forced: [], browser: 'chrome', lab: trust }).find((flag) => /resolver/.test(flag));
  assert.equal(rules(lab), '--host-resolver-rules=MAP shop.test 127.0.0.2,MAP * ~NOTFOUND');
  assert.equal(rules({ ...lab, outside: true }), '--host-resolver-rules=MAP shop.test 127.0.0.2');
});

test('if only one host may be reached, it resolves to its confirmed address, and no other name resolves', () => {
  const rules = (only: { host: string; at: string }) =>
    chromeFlags({ protocol: 'h3', discovery: 'forced', forced: [], browser: 'chrome', lab: undefined, only }).find((flag) =>
      /resolver/.test(flag),
    );
  assert.equal(
    rules({ host: 'a.test:8443', at: '192.0.2.1:8443' }),
    '--host-resolver-rules=MAP a.test:8443 192.0.2.1:8443,MAP * ~NOTFOUND',
  );
  assert.equal(rules({ host: 'localhost:8443', at: '' }), '--host-resolver-rules=MAP * ~NOTFOUND,EXCLUDE localhost');
});

test('in the laboratory a visitor’s proxy is reached', () => {
  const visitor = { proxy: 'http://127.0.0.3:3128' };
  const flags = chromeFlags({ protocol: 'h2', discovery: 'forced', forced: [], browser: 'chrome', lab, visitor });
  assert.ok(flags.includes('--host-resolver-rules=MAP shop.test 127.0.0.2,MAP * ~NOTFOUND,EXCLUDE 127.0.0.3'));
});

const of = (name: string) => effectiveConnectionOf(conditionNamed(name) ?? assert.fail(name));

test('a page sees the connection of its condition, by round trip or by rate', () => {
  assert.equal(of('native'), '4g');
  assert.equal(of('latency-200'), '4g');
  assert.equal(of('bandwidth-1'), '4g');
  assert.equal(of('4g'), '4g');
  assert.equal(of('3g'), '3g', '300 ms');
  assert.equal(of('3g-slow'), '3g', '400 ms');
  assert.equal(of('satellite'), '3g', '650 ms');
  assert.equal(of('loss-1.rtt-1400'), '2g');
  assert.equal(effectiveConnectionOf({ name: 'thin', up: {}, down: { rateKbps: 700 } }), '3g', '700 kbit/s at 0 ms');
  assert.equal(effectiveConnectionOf({ name: 'thinner', up: {}, down: { rateKbps: 50 } }), 'slow-2g');
});
