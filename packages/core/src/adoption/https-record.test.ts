import assert from 'node:assert/strict';
import { test } from 'node:test';
import { h3Offers, httpsRecordName, httpsRecordWords, type ServiceBinding } from './https-record.ts';

const binding = (given: Partial<ServiceBinding>): ServiceBinding => ({ priority: 1, target: '', alpn: [], port: null, ...given });

test('HTTP/3 is offered here by the header, by the record, or by both', () => {
  const h3 = [binding({ alpn: ['h3', 'h2'] })];
  assert.deepEqual(h3Offers(['h3=":443"'], [], 'a.example', 443), { here: true, elsewhere: null });
  assert.deepEqual(h3Offers([], h3, 'a.example', 443), { here: true, elsewhere: null });
  assert.deepEqual(h3Offers([], h3, 'a.example', 8443), { here: true, elsewhere: null }, 'a record without a port is of the URL’s');
  assert.deepEqual(h3Offers(['h3=":443"; ma=0'], [], 'a.example', 443), { here: false, elsewhere: null }, 'withdrawn');
  for (const one of ['clear', 'h3=":443"; ma=0'])
    assert.deepEqual(h3Offers([one, 'h3=":443"'], [], 'a.example', 443), { here: false, elsewhere: null }, 'withdrawn by the document');
  assert.deepEqual(h3Offers(['clear'], h3, 'a.example', 443), { here: true, elsewhere: null }, 'browsers take the record’s');
  assert.deepEqual(h3Offers(['clear'], [binding({ alpn: ['h2'] })], 'a.example', 443), { here: false, elsewhere: null });
});

test('another host or port is told with what named it, beside an offer here and without', () => {
  assert.deepEqual(h3Offers(['h3=":8443", h3-29=":9443"', 'h3=":8443"'], [], 'a.example', 443), {
    here: false,
    elsewhere: 'port 8443 (Alt-Svc)',
  });
  const records = [binding({ alpn: ['h3'] }), binding({ alpn: ['h3'], target: 'cdn.example', port: 444 })];
  assert.deepEqual(h3Offers([], records, 'a.example', 443), { here: true, elsewhere: 'cdn.example:444 (HTTPS record)' });
});

test('records are written in the order of their priority, and another port has a name of its own', () => {
  assert.equal(httpsRecordWords([]), null);
  const records = [binding({ priority: 2, target: 'b.example', port: 8443 }), binding({ alpn: ['h3', 'h2'] })];
  assert.equal(httpsRecordWords(records), '1 . alpn=h3,h2; 2 b.example port=8443');
  assert.deepEqual([httpsRecordName('a.example', 443), httpsRecordName('a.example', 8443)], ['a.example', '_8443._https.a.example']);
});

test('of a thousand offers some are named', () => {
  const ports = Array.from({ length: 1_000 }, (_, i) => `h3=":${i + 1}"`);
  assert.deepEqual(h3Offers([ports.join(', ')], [], 'a.example', 443), {
    here: true,
    elsewhere: 'port 1 (Alt-Svc), port 2 (Alt-Svc), port 3 (Alt-Svc), port 4 (Alt-Svc), port 5 (Alt-Svc), and 994 more',
  });
  const records = Array.from({ length: 1_000 }, (_, port) => binding({ port }));
  assert.ok((httpsRecordWords(records)?.length ?? 0) < 200);
});
