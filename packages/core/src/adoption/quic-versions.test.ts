import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familyOf, quicVersions } from './alt-svc.ts';

test('headers of real servers say which versions they speak', () => {
  // Cloudflare 2020, Google 2020, Facebook 2020, LiteSpeed 2020, Google 2019, any server of today.
  assert.deepEqual(quicVersions('h3-27=":443"; ma=86400, h3-28=":443"; ma=86400, h3-29=":443"; ma=86400'), ['h3-27', 'h3-28', 'h3-29']);
  assert.deepEqual(
    quicVersions('h3-29=":443"; ma=2592000,h3-T051=":443"; ma=2592000,h3-Q050=":443"; ma=2592000,quic=":443"; ma=2592000; v="46,43"'),
    ['h3-29', 'h3-Q050', 'h3-T051', 'quic-43', 'quic-46'],
  );
  assert.deepEqual(quicVersions('h3-29=":443"; ma=3600,h3-27=":443"; ma=3600'), ['h3-27', 'h3-29']);
  assert.deepEqual(quicVersions('quic=":443"; ma=2592000; v="43,46", h3-Q043=":443"; ma=2592000, hq-29=":443"'), [
    'h3-Q043',
    'hq-29',
    'quic-43',
    'quic-46',
  ]);
  assert.deepEqual(quicVersions('quic=":443"; ma=2592000'), ['quic']);
  assert.deepEqual(quicVersions('h3=":443"; ma=86400'), ['h3']);
});

test('what is neither HTTP/3 nor QUIC is not told, and nothing is when all is withdrawn', () => {
  assert.deepEqual(quicVersions('h2="alt.example:443", h3-x=":443", quicker=":443"'), []);
  assert.deepEqual(quicVersions('clear'), []);
  assert.deepEqual(quicVersions(null), []);
});

test('every version is of one family', () => {
  const families = ['h3', 'h3-29', 'h3-Q050', 'h3-T051', 'quic', 'quic-46', 'quic-Q046', 'hq-29', 'hq-interop', 'h2'].map(familyOf);
  assert.deepEqual(families, [
    'h3',
    'h3-draft',
    'google-quic',
    'google-quic',
    'google-quic',
    'google-quic',
    'google-quic',
    'hq',
    'hq',
    null,
  ]);
});
