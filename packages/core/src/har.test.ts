import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Ajv, type ErrorObject } from 'ajv';
import { example } from '../fixtures/visit.ts';
import { toHar } from './har.ts';

const require = createRequire(import.meta.url);
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  formats: { 'date-time': isDate, uri: URL.canParse, ipv4: /^\d+(\.\d+){3}$/, ipv6: /^[\da-f:]*:[\da-f:]*$/i },
});
ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json'));
for (const schema of Object.values(require('har-schema') as Record<string, object>)) ajv.addSchema(schema);

function isDate(text: string): boolean {
  return new Date(text).toISOString() === text;
}

function schemaErrors(har: unknown): ErrorObject[] {
  ajv.validate('har.json#', JSON.parse(JSON.stringify(har)));
  return ajv.errors ?? [];
}

const site = example.site;
const environment = example.environment;

test('a valid visit’s archive is what the HAR 1.2 schema says', () => {
  assert.deepEqual(schemaErrors(toHar(example)), []);
});

test('the schema check itself finds what is wrong', () => {
  const har = toHar(example);
  assert.notDeepEqual(schemaErrors({ log: { ...har.log, entries: [{ ...har.log.entries[0], time: 'long' }] } }), []);
  assert.notDeepEqual(schemaErrors({ log: { ...har.log, pages: [{ id: 1 }] } }), []);
});

test('the time of every entry is the sum of its known timings without ssl', () => {
  const { entries } = toHar(example).log;
  for (const { time, timings } of entries) {
    const { blocked, dns, connect, send, wait, receive } = timings;
    const known = [blocked, dns, connect, send, wait, receive].filter((phase) => phase !== -1);
    assert.ok(Math.abs(time - known.reduce((sum, phase) => sum + phase, 0)) < 1e-9);
    assert.ok(timings.send >= 0 && timings.wait >= 0 && timings.receive >= 0);
    assert.ok(timings.ssl <= timings.connect);
  }
  assert.equal(entries[0]?.time, 1 + 0.5 + 20 + 0.25 + 40 + 3);
});

test('an entry tells its protocol, connection, address, priority, initiator and bytes', () => {
  const [document, image, cached, failed] = toHar(example).log.entries;
  assert.equal(document?.request.httpVersion, 'h3');
  assert.equal(document?.response.httpVersion, 'h3');
  assert.equal(document?.connection, '17');
  assert.equal(document?.serverIPAddress, '192.0.2.1');
  assert.equal(image?.serverIPAddress, '2001:db8::1');
  assert.equal(image?._priority, 'Low');
  assert.deepEqual(image?._initiator, { type: 'parser', url: 'https://shop.example/?size=m&color=r%C3%B6d' });
  assert.equal(image?._resourceType, 'image');
  assert.equal(image?.response._transferSize, 5123);
  assert.deepEqual(document?.request.queryString, [
    { name: 'size', value: 'm' },
    { name: 'color', value: 'röd' },
  ]);
  assert.deepEqual(document?.response.headers, [
    { name: 'server', value: 'nginx/1.30.0' },
    { name: 'alt-svc', value: 'h3=":443"; ma=86400' },
  ]);
  assert.deepEqual([cached?._fromCache, cached?.response.bodySize, cached?.connection], ['memory', 0, undefined]);
  assert.deepEqual([failed?.response.status, failed?.response._error], [0, 'net::ERR_CONNECTION_REFUSED']);
  assert.equal(failed?.request.httpVersion, 'unknown');
  assert.deepEqual([failed?.time, failed?.timings.wait], [50, 50]);
});

test('entries stand in the order of their start, at the visit’s time', () => {
  const har = toHar({ ...example, resources: example.resources.toReversed() });
  assert.deepEqual(
    har.log.entries.map((entry) => entry.startedDateTime),
    ['2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05.070Z', '2026-01-02T03:04:05.071Z', '2026-01-02T03:04:05.080Z'],
  );
});

test('the page has the metrics, the title and what it ran in', () => {
  const { log } = toHar(example);
  const [page] = log.pages;
  assert.deepEqual(page.pageTimings, { onContentLoad: 120, onLoad: 412.5 });
  assert.equal(page._metrics?.speedIndex, 300);
  assert.equal(page.title, site.name);
  assert.deepEqual(log.browser, { name: 'Chrome', version: '156.0.8078.79' });
  assert.deepEqual(log.creator, { name: 'Pronghorn', version: environment.runner.version });
  assert.ok(log.entries.every((entry) => entry.pageref === page.id));
  assert.equal(log.comment, undefined);
});

test('an invalid visit’s archive says so and has no number of the page', () => {
  const outcome = { verdict: 'invalid', reason: 'wrong-protocol', detail: 'The document came over h2, asked for h3.' } as const;
  const har = toHar({ ...example, visit: { ...example.visit, outcome, finalUrl: null }, environment: null });
  assert.deepEqual(schemaErrors(har), []);
  assert.match(har.log.comment ?? '', /^Invalid visit, not a measurement: wrong-protocol \(.+\)\. The document came over h2/);
  assert.equal(har.log.pages[0].comment, har.log.comment);
  assert.deepEqual(har.log.pages[0].pageTimings, { onContentLoad: -1, onLoad: -1 });
  assert.deepEqual([har.log.pages[0]._metrics, har.log.pages[0]._verdict, har.log.pages[0]._url], [null, 'invalid', site.url]);
});

test('a visit without any request is an archive without entries', () => {
  const har = toHar({ ...example, resources: [] });
  assert.deepEqual([schemaErrors(har), har.log.entries], [[], []]);
});
