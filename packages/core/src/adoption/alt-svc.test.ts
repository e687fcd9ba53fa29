import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offersH3, parseAltSvc } from './alt-svc.ts';

const protocols = (header: string | null) => {
  const said = parseAltSvc(header);
  return said === 'clear' ? 'clear' : said.map(({ protocol, host, port }) => `${protocol} ${host}:${port}`);
};

test('services come with all that the header says of them', () => {
  assert.deepEqual(parseAltSvc('h3="alt.Example.net:8443"; ma=2592000; persist=1; v="46,43"'), [
    {
      protocol: 'h3',
      host: 'alt.example.net',
      port: 8443,
      maxAgeSeconds: 2_592_000,
      persist: true,
      parameters: Object.assign(Object.create(null), { ma: '2592000', persist: '1', v: '46,43' }),
    },
  ]);
  const [plain] = parseAltSvc('h3=":443"');
  assert.ok(typeof plain === 'object');
  assert.deepEqual([plain.maxAgeSeconds, plain.persist], [86_400, false]); // RFC 7838, section 3.1
});

test('commas, semicolons and quotes inside of quotes end nothing', () => {
  assert.deepEqual(protocols('h3=":443"; v="a,b;c\\",d"; ma=60, h2="x.example:80"'), ['h3 :443', 'h2 x.example:80']);
});

test('several headers joined by commas or lines are one list, and names are percent-decoded', () => {
  assert.deepEqual(protocols('h3-29=":443"\nh3=":443",,  w%3Dx%3Ay#z=":8000"'), ['h3-29 :443', 'h3 :443', 'w=x:y#z :8000']);
  assert.deepEqual(protocols('h3="[2001:db8::1]:443"'), ['h3 [2001:db8::1]:443']);
});

test('clear stands alone, in small letters', () => {
  assert.equal(protocols(' clear '), 'clear');
  assert.deepEqual(protocols('Clear'), []);
  assert.deepEqual(protocols('clear, h3=":443"'), ['h3 :443']);
});

test('what does not fit the grammar is left out, and the rest is read', () => {
  for (const broken of [
    '',
    ',',
    'h3',
    'h3=443',
    'h3=":"',
    'h3=":0"',
    'h3=":99999"',
    'h3=":443',
    '=":443"',
    'h3 =":443"x',
    '443:quic,p=1',
    '%="x"',
    'h3=";ma=1',
  ]) {
    assert.deepEqual(protocols(broken), [], broken);
  }
  assert.deepEqual(protocols('443:quic, h3=":443"; ma=; persist=2; =; x, h3-29=":443"'), ['h3 :443', 'h3-29 :443']);
  assert.deepEqual(protocols(null), []);
});

test('a long hostile header is read in no time', () => {
  for (const part of ['"', ',', ' ', ';', '\\', 'clear', 'h3=":443"; ', '%41', '"\\']) {
    assert.ok(Array.isArray(parseAltSvc(part.repeat(200_000).slice(0, 500_000))));
  }
});

test('h3 on the same port, with no host or its own, is an offer of HTTP/3', () => {
  assert.equal(offersH3('h3=":443"; ma=86400', 'example.org', 443), true);
  assert.equal(offersH3('h3-29=":443", h3=":443"', 'example.org', 443), true);
  assert.equal(offersH3('h3="example.org:8443"', 'example.org', 8443), true);
});

test('drafts, other ports, other hosts, clear and silence are no offer of HTTP/3', () => {
  for (const header of ['h3-29=":443"', 'h3=":8443"', 'h3="alt.example.net:443"', 'h2=":443"', 'clear', '', null]) {
    assert.equal(offersH3(header, 'example.org', 443), false, String(header));
  }
});
