import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiscoveredHost, SiteDiscovery } from '@pronghorn/core/schemas';
import { unavailable } from './unavailable.ts';

const found = (host: Partial<DiscoveredHost>, finalUrl = 'https://shop.example/'): SiteDiscovery => ({
  ...{ id: '1', campaignId: '1', siteId: '1', runner: 'here', discoveredAt: '', finalUrl, redirects: [], forced: [] },
  hosts: [
    {
      ...{ host: 'shop.example:443', requests: 1, transferBytes: 1, protocol: 'h2', server: null, altSvc: null, httpsRecord: null },
      ...{ offersH3: false, h3Elsewhere: null, h3: 'not-offered', probeError: null },
      ...host,
    },
  ],
  ...{ objectCoverage: 0, byteCoverage: 0, failure: null },
});
const why = (host: Partial<DiscoveredHost>, how: 'forced' | 'alt-svc' = 'forced') => unavailable('h3', found(host), how)?.detail ?? null;

test('a host without HTTP/3 is said to be so with all that was looked at', () => {
  assert.equal(why({}), 'shop.example:443 does not offer HTTP/3: no Alt-Svc header, no HTTPS record.');
  assert.match(why({ altSvc: 'h2=":443"', httpsRecord: '1 . alpn=h2' }) ?? '', /: Alt-Svc h2=":443", HTTPS record 1 \. alpn=h2\.$/);
  const { httpsRecord: _, ...host } = found({}).hosts[0] as DiscoveredHost;
  assert.match(unavailable('h3', { ...found({}), hosts: [host] }, 'forced')?.detail ?? '', /no Alt-Svc header, HTTPS record unknown\.$/);
});

test('a host that is proven, by whatever it was offered, is measured', () => {
  assert.equal(why({ h3: 'proven', httpsRecord: '1 . alpn=h3,h2', offersH3: true }), null);
});

test('a host that offers HTTP/3 and does not answer is reported with its offer and its error', () => {
  const words = why({ h3: 'failed', offersH3: true, httpsRecord: '1 . alpn=h3', probeError: 'net::ERR_QUIC_PROTOCOL_ERROR' });
  assert.match(
    words ?? '',
    /advertises HTTP\/3 \(no Alt-Svc header, HTTPS record 1 \. alpn=h3\), but it failed in each of 3 tries: net::ERR_QUIC_PROTOCOL_ERROR\.$/,
  );
});

test('a server on 127.0.0.1 alone is told of the address that Chrome tried; another host’s first address is unknown here', () => {
  const failed = (host: string, remoteAddress: string) => {
    const given = {
      host,
      remoteAddress,
      h3: 'failed',
      offersH3: true,
      altSvc: 'h3=":8443"',
      probeError: 'net::ERR_QUIC_HANDSHAKE_FAILED',
    } as const;
    return unavailable('h3', found(given, `https://${host}/`), 'forced')?.detail ?? '';
  };
  assert.match(
    failed('localhost:8443', '127.0.0.1:8443'),
    /Alt-Svc h3=":8443".*HANDSHAKE_FAILED\. Chrome tried \[::1\]:8443, .* HTTP\/2 came from 127\.0\.0\.1:8443\. Let the server listen at \[::1\]:8443 too\.$/,
  );
  for (const [host, address] of [
    ['localhost:8443', '[::1]:8443'],
    ['notlocalhost:8443', '127.0.0.1:8443'],
    ['shop.example:443', '192.0.2.1:443'],
  ] as const)
    assert.match(failed(host, address), /HANDSHAKE_FAILED\.$/);
});

test('HTTP/3 on another port is not said to be missing: it can’t be forced, and Chrome finds it', () => {
  assert.match(
    why({ altSvc: 'h3=":8443"', h3Elsewhere: 'port 8443 (Alt-Svc)' }) ?? '',
    /offers HTTP\/3 on port 8443 \(Alt-Svc\) alone, which is not forced/,
  );
  assert.equal(why({ altSvc: 'h3=":8443"', h3Elsewhere: 'port 8443 (Alt-Svc)' }, 'alt-svc'), null);
});

test('a site that ends on plain http has h1 alone', () => {
  const discovery = { ...found({}, 'http://shop.example/'), hosts: [] };
  assert.equal(unavailable('h1', discovery, 'forced'), null);
  for (const protocol of ['h2', 'h3'] as const) {
    const fault = unavailable(protocol, discovery, 'forced');
    assert.equal(fault?.reason, 'protocol-unavailable');
    assert.match(fault?.detail ?? '', /http:\/\/shop\.example\/, which is plain http/);
  }
});
