import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { findNginx, parseBuild, readBuild } from './find-server.ts';

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

const printed = `nginx version: nginx/1.30.6
built by gcc 16.2.0 (Debian 16.2.0-3)
built with OpenSSL 3.6.5 29 Sep 2026
TLS SNI support enabled
configure arguments: --with-http_v2_module --with-http_v3_module --with-http_gzip_static_module`;

test('version, TLS library and what its QUIC can do are read from what nginx prints', () => {
  assert.deepEqual(parseBuild(printed, 'nginx'), {
    version: '1.30.6',
    tlsLibrary: 'OpenSSL 3.6.5',
    hasCubic: true,
    hasEarlyHints: true,
    hasQuicEarlyData: true,
  });
  const older = printed.replace('1.30.6', '1.27.4').replace('29 Sep 2026', '29 Sep 2026 (running with OpenSSL 3.5.1 1 Jul 2025)');
  assert.deepEqual(parseBuild(older, 'nginx'), {
    version: '1.27.4',
    tlsLibrary: 'OpenSSL 3.5.1',
    hasCubic: false,
    hasEarlyHints: false,
    hasQuicEarlyData: false,
  });
});

test('a build without HTTP/3 is refused by name', () => {
  assert.throws(
    () => parseBuild(printed.replace('--with-http_v3_module', ''), '/usr/sbin/nginx'),
    /\/usr\/sbin\/nginx \(1\.30\.6\) was built without http_v3_module/,
  );
});

test('a program that is no nginx is refused with what it said', () => {
  assert.throws(() => readBuild('/bin/true'), /\/bin\/true -V names no version of nginx; it printed: nothing/);
});

test('PRONGHORN_NGINX is taken at its word', () => {
  process.env.PRONGHORN_NGINX = '/nowhere/nginx';
  assert.throws(() => findNginx(), /PRONGHORN_NGINX names \/nowhere\/nginx, which is not an executable file/);
  process.env.PRONGHORN_NGINX = process.execPath;
  assert.equal(findNginx(), process.execPath);
});

test('a version of nginx is the one that was brought for it', () => {
  process.env.PRONGHORN_TOOLS = '/nowhere';
  process.env.PRONGHORN_NGINX = process.execPath;
  assert.throws(
    () => findNginx('1.26.3'),
    /^Error: no nginx 1\.26\.3: there is none at \/nowhere\/nginx-1\.26\.3\/nginx\. Run nginx\/install\.sh \/nowhere\/nginx-1\.26\.3 1\.26\.3$/,
  );
});

test('without any nginx the error says where it looked and what to do', () => {
  delete process.env.PRONGHORN_NGINX;
  process.env.PRONGHORN_TOOLS = '/nowhere';
  process.env.PATH = '/nowhere';
  // A machine with an nginx of its own in /usr/sbin finds that one, or says why it won't do.
  try {
    assert.match(findNginx(), /nginx$/);
  } catch (error) {
    assert.match(
      (error as Error).message,
      /none at \/nowhere\/nginx\/nginx.*Run nginx\/install\.sh \/nowhere\/nginx, or let PRONGHORN_NGINX name one/,
    );
  }
});
