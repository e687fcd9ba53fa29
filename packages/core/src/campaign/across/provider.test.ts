import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DiscoveredHost } from '../../schemas/discovery.ts';
import { type HostMarks, providerOf, providers, siteProvider } from './providers.ts';

const told = (marks: Partial<HostMarks>) => providerOf({ host: 'shop.example:443', server: null, altSvc: null, ...marks });

test('a host is told by its name, with port and below a domain, but not by a name that only ends alike', () => {
  assert.equal(told({ host: 'fonts.gstatic.com:443' }), 'Google');
  assert.equal(told({ host: 'Facebook.com' }), 'Meta');
  assert.equal(told({ host: 'scontent.xx.fbcdn.net:443' }), 'Meta');
  assert.equal(told({ host: 'd111111abcdef8.cloudfront.net:443' }), 'Amazon CloudFront');
  assert.equal(told({ host: 'notgoogle.com:443' }), 'unknown');
  assert.equal(told({ host: 'google.com.example:443' }), 'unknown');
});

test('a host is told by its Server header, whatever its case and version', () => {
  assert.equal(told({ server: 'cloudflare' }), 'Cloudflare');
  assert.equal(told({ server: 'AkamaiGHost' }), 'Akamai');
  assert.equal(told({ server: 'gvs 1.0' }), 'Google');
  assert.equal(told({ server: 'BunnyCDN-DE1-1047' }), 'Bunny');
  assert.equal(told({ server: 'cloudflared' }), 'unknown');
});

test('a host is told by an Alt-Svc or an address that only one provider has', () => {
  assert.equal(told({ server: 'nginx', altSvc: 'h3=":443"; ma=93600' }), 'Akamai');
  assert.equal(told({ server: '', altSvc: 'h3=":443"; ma=93600', remoteAddress: '151.101.1.7:443' }), 'Akamai');
  assert.equal(told({ server: '', altSvc: '', remoteAddress: '151.101.1.7:443' }), 'Fastly');
  assert.equal(told({ server: 'nginx', remoteAddress: '151.101.1.7:443' }), 'Fastly');
  assert.equal(told({ remoteAddress: '[2606:4700::6810:1]:443' }), 'Cloudflare');
});

test('what others have as well tells nothing', () => {
  for (const server of ['nginx/1.30.0', 'Apache', 'Varnish', 'AmazonS3', 'LiteSpeed', 'Caddy', '', '  '])
    assert.equal(told({ server }), 'unknown', server);
  for (const altSvc of ['h3=":443"; ma=86400', 'h3=":443"; ma=2592000', 'h3=":443"; ma=936000', '', 'clear']) {
    assert.equal(told({ altSvc }), 'unknown', altSvc);
  }
  assert.equal(told({ remoteAddress: '192.0.2.1:443' }), 'unknown');
});

test('marks are lower case and belong to one provider each', () => {
  const marks = providers.flatMap(({ name, hosts, servers, altSvc, networks }) =>
    [...hosts, ...servers, ...altSvc, ...networks].map((mark) => ({ name, mark })),
  );
  assert.equal(new Set(marks.map(({ mark }) => mark)).size, marks.length);
  for (const { name, mark } of marks) assert.equal(mark, mark.toLowerCase(), name);
  for (const { name, source } of providers) assert.ok(source.length > 0, name);
});

const host = (name: string, transferBytes: number, server: string | null = null): DiscoveredHost => ({
  host: name,
  requests: 1,
  transferBytes,
  protocol: 'h2',
  server,
  altSvc: null,
  offersH3: false,
  h3: 'not-offered',
  probeError: null,
});

test('a site’s provider is that of its main document; who serves most bytes is told beside it, hosts of one provider together', () => {
  const hosts = [
    host('shop.example:443', 300, 'cloudflare'),
    host('shop.example:8443', 5),
    host('www.youtube.com:443', 250),
    host('i.ytimg.com:443', 445),
  ];
  assert.deepEqual(siteProvider({ siteId: '1', finalUrl: 'https://shop.example/', hosts }), {
    siteId: '1',
    provider: 'Cloudflare',
    mostBytes: 'Google',
    mostBytesShare: 0.695,
  });
  assert.equal(siteProvider({ siteId: '1', finalUrl: 'https://shop.example:8443/', hosts })?.provider, 'unknown');
});

test('an address counts where it is known', () => {
  const shop = host('shop.example:443', 10, 'nginx');
  const providerAt = (remoteAddress?: string | null) =>
    siteProvider({
      siteId: '1',
      finalUrl: 'https://shop.example/',
      hosts: [remoteAddress === undefined ? shop : { ...shop, remoteAddress }],
    })?.provider;
  assert.deepEqual([providerAt(), providerAt(null), providerAt('199.232.1.1:443')], ['unknown', 'unknown', 'Fastly']);
});

test('a discovery without hosts tells nothing, one without bytes has no share', () => {
  assert.equal(siteProvider({ siteId: '1', finalUrl: null, hosts: [] }), null);
  assert.equal(siteProvider({ siteId: '1', finalUrl: 'no address', hosts: [host('google.com:443', 1)] })?.provider, 'unknown');
  const empty = siteProvider({ siteId: '1', finalUrl: null, hosts: [host('google.com:443', 0)] });
  assert.deepEqual(empty, { siteId: '1', provider: 'unknown', mostBytes: 'Google', mostBytesShare: 0 });
});
