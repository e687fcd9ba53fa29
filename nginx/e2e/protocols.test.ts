import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { connect } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import { proves } from '@pronghorn/core/testing';
import { type Origin, serverNames } from '../src/index.ts';
import { logEnd, loggedSince } from './access-log.ts';
import { addressOf, handshake, overH1, overH2 } from './requests.ts';
import { temporaryOrigin } from './temporary-origin.ts';

for (const server of serverNames) {
  describe(`on ${server}`, proves('servers', 'protocols'), () => {
    let origin: Origin;
    let close: () => Promise<void>;
    before(async () => {
      ({ origin, close } = await temporaryOrigin({ server }));
    });
    after(() => close());

    const site = (name: string) => {
      const found = origin.sites.find((candidate) => candidate.name === name);
      assert.ok(found, name);
      return found.url;
    };

    test('one port answers h1 and h2, with the same page and the same headers', async () => {
      const h1 = await overH1(origin, site('article'));
      const [h2] = await overH2(origin, [site('article')]);
      assert.deepEqual([h1.alpn, h1.status, h2?.alpn, h2?.status], ['http/1.1', 200, 'h2', 200]);
      assert.deepEqual(h1.body, h2?.body);
      for (const { headers } of [h1, h2 as typeof h1]) {
        assert.equal(headers['alt-svc'], `h3=":${origin.port}"; ma=86400`);
        assert.equal(headers['timing-allow-origin'], '*');
        assert.equal(headers['access-control-allow-origin'], '*');
        assert.equal(headers['cache-control'], 'no-cache');
        assert.match(headers.server as string, { nginx: /^nginx\//, caddy: /^Caddy$/ }[server]);
        assert.ok(headers.etag);
      }
    });

    test('text is compressed for clients that accept it, pictures never', async () => {
      const plain = await overH1(origin, site('shop'));
      const packed = await overH1(origin, site('shop'), { 'accept-encoding': 'gzip' });
      assert.equal(plain.headers['content-encoding'], undefined);
      assert.equal(packed.headers['content-encoding'], 'gzip');
      assert.deepEqual(gunzipSync(packed.body), plain.body);
      const picture = /\/assets\/pot-01\.[0-9a-f]+\.png/.exec(plain.body.toString())?.[0];
      const png = await overH1(origin, new URL(picture as string, site('shop')).href, { 'accept-encoding': 'gzip' });
      assert.deepEqual([png.headers['content-type'], png.headers['content-encoding']], ['image/png', undefined]);
      assert.equal(png.headers['cache-control'], 'public, max-age=31536000, immutable');
    });

    test('a document that is known already is not sent again', async () => {
      const first = await overH1(origin, site('article'));
      const again = await overH1(origin, site('article'), { 'if-none-match': first.headers.etag as string });
      assert.deepEqual([again.status, again.body.length, again.headers['cache-control']], [304, 0, 'no-cache']);
    });

    test('h1only does not speak h2, h2only refuses h1, and neither offers h3', async () => {
      const answer = await overH1(origin, origin.odd.h1only);
      assert.deepEqual([answer.status, answer.headers['alt-svc']], [200, undefined]);
      await assert.rejects(handshake(origin, origin.odd.h1only, ['h2']), { code: 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL' });
      const [h2] = await overH2(origin, [origin.odd.h2only]);
      assert.deepEqual([h2?.status, h2?.headers['alt-svc']], [200, undefined]);
      assert.equal((await overH1(origin, origin.odd.h2only)).status, 505);
    });

    test('only TLS 1.3 is spoken, with the cipher and key exchange that the settings name', async () => {
      const socket = await handshake(origin, site('article'), ['h2']);
      assert.deepEqual([socket.getProtocol(), socket.getCipher().name], ['TLSv1.3', 'TLS_AES_128_GCM_SHA256']);
      socket.destroy();
    });

    test('the self-signed host is refused by a client that trusts the CA', async () => {
      await assert.rejects(handshake(origin, origin.odd.selfSigned, ['h2']), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    });

    test('a second connection resumes the first one’s TLS session, and the log says so', async () => {
      const first = await handshake(origin, site('large-objects'), ['http/1.1']);
      const [session] = (await once(first, 'session')) as [Buffer];
      first.destroy();
      const { hostname } = new URL(site('large-objects'));
      const before = await logEnd(origin);
      const second = connect({
        host: addressOf(origin, hostname),
        port: origin.port,
        servername: hostname,
        session,
        rejectUnauthorized: false,
      });
      await once(second, 'secureConnect');
      const { localPort } = second;
      assert.equal(second.isSessionReused(), true);
      second.write(`GET / HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
      await second.resume().toArray();
      const isHere = ({ host }: { host: string }) => host === `${hostname}:${origin.port}`;
      const entry = (await loggedSince(origin, before, (entries) => entries.some(isHere))).find(isHere);
      assert.deepEqual(
        [entry?.tlsResumed, entry?.earlyData, entry?.protocol, entry?.status, entry?.remotePort],
        [true, false, 'http/1.1', 200, localPort],
      );
    });

    test('what decides results is stored: the server, its version, its settings, and the kernel’s', async () => {
      const { settings } = origin as { settings: Record<string, Record<string, unknown>> };
      assert.equal(settings.server, server);
      assert.match(String(settings.version), /^\d+\.\d+\.\d+$/);
      if (server === 'nginx') {
        assert.equal(settings.directives?.http3_stream_buffer_size, '1m');
        assert.equal(settings.directives?.ssl_buffer_size, '4k');
      } else {
        assert.equal(settings.tls?.protocol_min, 'tls1.3');
        assert.match(String(settings.quicGo), /^\d+\.\d+\.\d+$/);
      }
      assert.match(String(settings.tcp?.defaultCongestionControl), /^[a-z0-9]+$/);
      assert.match(String(settings.tcp?.sendBuffer), /^\d+ \d+ \d+$/);
      assert.match(String(settings.udp?.sendBufferMost), /^\d+$/);
      assert.equal(JSON.stringify(settings).includes(String(origin.port)), false, 'the port is not a setting');
    });
  });
}
