import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { Ajv, type ErrorObject } from 'ajv';
import { example } from '../../fixtures/visit.ts';
import { cpuMs } from '../testing/proves.ts';
import { type Har, toHar } from './har.ts';

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
  assert.deepEqual([cached?._fromCache, cached?.response.bodySize, cached?.connection], ['memory', 0, undefined]);
  assert.deepEqual([failed?.response.status, failed?.response._error], [0, 'net::ERR_CONNECTION_REFUSED']);
  assert.equal(failed?.request.httpVersion, 'unknown');
  assert.deepEqual([failed?.time, failed?.timings.wait], [50, 50]);
});

test('sizes are those that came, and −1 where nobody told them; a cache has no headers and a body of 0', () => {
  const sizes = toHar(example).log.entries.map(({ response }) => [
    ...[response.headersSize, response.bodySize, response.content.size, response.content.compression, response._transferSize],
  ]);
  assert.deepEqual(sizes, [
    [188, 2_012, 6_000, 3_988, 2_200],
    [-1, 5_000, 5_000, 0, 5_123],
    [-1, 0, 14, undefined, 0],
    [-1, -1, 0, undefined, 0],
  ]);
  const [document] = example.resources;
  assert.ok(document);
  const confirmed = { ...document, status: 304, headerBytes: 170, encodedBodyBytes: 0, transferBytes: 170, bodyBytes: 19_611 };
  const [{ response } = { response: undefined }] = toHar({ ...example, resources: [confirmed] }).log.entries;
  assert.deepEqual([response?.headersSize, response?.bodySize, response?.content], [170, 0, { size: 19_611, mimeType: 'text/html' }]);
  const ofFirefox = toHar({ ...example, resources: [{ ...document, bodyBytes: null }] }).log.entries[0]?.response.content;
  assert.deepEqual([ofFirefox?.size, ofFirefox?.compression], [-1, undefined]);
});

test('headers are those that are safe to hand on, each line for itself; or none', () => {
  const headers = (which: 'safe' | 'none') => toHar({ ...example, headers: which }).log.entries.map(({ response }) => response.headers);
  assert.deepEqual(
    headers('safe')[0]?.map(({ name, value }) => `${name}: ${value}`),
    [
      ...['alt-svc: h3=":443"; ma=86400', 'cache-control: max-age=60', 'content-encoding: gzip', 'content-type: text/html'],
      ...['server: nginx/1.30.0', 'via: 1.1 first', 'via: 2 second'],
    ],
  );
  assert.deepEqual([headers('none').flat(), headers('safe').at(-1)], [[], []]);
  assert.match(toHar(example).log.creator.comment, /request headers are not recorded/);
  assert.deepEqual(schemaErrors(toHar({ ...example, headers: 'none' })), []);
});

test('a redirect names what followed it, and nothing else does', () => {
  const [document, image] = example.resources;
  assert.ok(document && image);
  const redirect = { ...document, url: 'https://shop.example/old', status: 301, endMs: 64.75 };
  const next = { ...document, seq: 1, startMs: 64.75 };
  const urls = toHar({ ...example, resources: [redirect, { ...image, seq: 2, startMs: 64.75 }, next] }).log.entries;
  assert.deepEqual(
    urls.map(({ response }) => response.redirectURL),
    [document.url, '', ''],
  );
  assert.equal(toHar({ ...example, resources: [redirect] }).log.entries[0]?.response.redirectURL, '');
});

test('values of parameters that tell of a secret are left out wherever an archive has a URL', () => {
  const hostile = [
    'https://user:hostile@shop.example/a?access_token=hostile&size=m',
    'https://shop.example/a?X-Amz-Signature=hostile&X-Amz-Credential=hostile#id_token=hostile',
    'https://shop.example/a;jsessionid=hostile?apiKey=hostile',
    'https://shop.example/a?user%5Bpassword%5D=hostile%20a&sid=hostile',
    'https://shop.example/a?next=https%3A%2F%2Fb.example%2F%3Fauth%3Dhostile%26size%3Dm',
    'https://shop.example/a?deep=%253Fsession_id%253Dhostile%2526x%253D1',
    `https://shop.example/verify/eyJhbGciOiJIUzI1NiJ9.${'hostile'.repeat(3)}.hostile`,
    `https://shop.example/a?sig=${'%hostile'.repeat(3)}`,
    'https://shop.example/a?password=1%26hostile%23hostile;hostile&x=1',
    'https://shop.example/a?next=%2Fb%3Fpassword%3D1%2526hostile%26x%3D1',
  ];
  const [document] = example.resources;
  assert.ok(document);
  for (const url of hostile) {
    const outcome = { verdict: 'invalid', reason: 'http-status', detail: `${url} answered 403.` } as const;
    const har = toHar({
      ...example,
      visit: { ...example.visit, finalUrl: url, outcome },
      site: { ...site, url, name: url },
      resources: [
        { ...document, url: 'https://shop.example/', status: 302, endMs: 70 },
        { ...document, url, initiatorUrl: url, seq: 1, startMs: 70 },
      ],
    });
    assert.doesNotMatch(JSON.stringify(har), /hostile/, url);
    assert.match(har.log.entries[1]?.request.url ?? '', /^https:\/\/shop\.example\/.*\[REDACTED\]/);
    assert.deepEqual(schemaErrors(har), []);
  }
  const usual = 'https://shop.example/compass/author/a?passenger=1&monkey=2&keyword=3&barcode=4&author=5&design=6&q=a+b%20c#top';
  assert.equal(toHar({ ...example, resources: [{ ...document, url: usual }] }).log.entries[0]?.request.url, usual);
});

test('the longest URL that is kept is read in no time', async () => {
  const [document] = example.resources;
  assert.ok(document);
  const ms = await cpuMs(() => {
    for (const unit of ['a', '?a=', '&', '%25', '%253F', '//', 'eyJ', '?a'])
      toHar({ ...example, resources: [{ ...document, url: `https://shop.example/?q=${unit.repeat(8_000 / unit.length)}` }] });
  });
  assert.ok(ms < 1_000, `it took ${ms} ms`);
});

test('an archive of many URLs full of beginnings of tokens takes no time', async () => {
  const [document] = example.resources;
  assert.ok(document);
  const resources = Array.from({ length: 100 }, (_, seq) => ({ ...document, seq, url: `https://shop.example/${'eyJ'.repeat(2_600)}` }));
  const ms = await cpuMs(() => void toHar({ ...example, resources }));
  assert.ok(ms < 1_000, `it took ${ms} ms`);
});

test('a token is left out where other words stand before it', () => {
  const [document] = example.resources;
  assert.ok(document);
  const token = `eyJhbGciOiJIUzI1NiJ9.${'hostile'.repeat(3)}.hostile`;
  for (const before of ['', 'of-', 'a.', 'a.longer-than-ten.', 'eyJ.', 'eyJ-', 'eyJa.eyJb.']) {
    const har: Har = toHar({ ...example, resources: [{ ...document, url: `https://shop.example/${before}${token}/end` }] });
    const kept = before === 'eyJ-' ? '' : before;
    assert.equal(har.log.entries[0]?.request.url, `https://shop.example/${kept}[REDACTED]/end`);
  }
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
  assert.deepEqual(page.pageTimings, { onContentLoad: 120, onLoad: 412.5, _firstContentfulPaint: 130, _largestContentfulPaint: 390 });
  assert.equal(page._metrics?.speedIndex, 300);
  assert.equal(page.title, site.name);
  assert.deepEqual(log.browser, { name: 'Chrome', version: '156.0.8078.79' });
  assert.deepEqual([log.creator.name, log.creator.version], ['Pronghorn', environment.runner.version]);
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
