import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { findCaddy, parseCaddyBuild, readCaddyBuild } from './find-caddy.ts';

const before = { ...process.env };
afterEach(() => {
  process.env = { ...before };
});

const buildInfo = 'go\tgo1.26.5\npath\tgithub.com/caddyserver/caddy/v2/cmd/caddy\n';

test('a distribution’s build is read with the list of what it was built with', () => {
  const builtWith = 'golang-1.26 (= 1.26.5-1)\ngolang-github-lucas-clemente-quic-go (= 0.59.0-2)\ngolang-golang-x-net (= 1:0.56.0-1)\n';
  assert.deepEqual(parseCaddyBuild('2.11.4\n', buildInfo, builtWith, 'caddy'), {
    version: '2.11.4',
    go: 'go1.26.5',
    quicGo: '0.59.0',
    goNet: '0.56.0',
  });
});

test('the project’s own build says it itself', () => {
  const own = `${buildInfo}dep\tgithub.com/quic-go/quic-go\tv0.58.1\th1:abc=\ndep\tgolang.org/x/net\tv0.55.0\th1:def=\n`;
  assert.deepEqual(parseCaddyBuild('v2.11.2 h1:xyz=\n', own, '', 'caddy'), {
    version: '2.11.2',
    go: 'go1.26.5',
    quicGo: '0.58.1',
    goNet: '0.55.0',
  });
  assert.equal(parseCaddyBuild('2.11.4\n', buildInfo, '', 'caddy').quicGo, null, 'nobody says it');
});

test('an old Caddy and what is no Caddy are refused with what was found', () => {
  assert.throws(
    () => parseCaddyBuild('2.6.2\n', buildInfo, '', '/usr/bin/caddy'),
    /\/usr\/bin\/caddy is Caddy 2\.6\.2, and 2\.10 or newer/,
  );
  assert.throws(() => readCaddyBuild('/bin/true'), /\/bin\/true version doesn't say a version of Caddy, but: nothing/);
});

test('PRONGHORN_CADDY is taken at its word', () => {
  process.env.PRONGHORN_CADDY = '/nowhere/caddy';
  assert.throws(() => findCaddy(), /PRONGHORN_CADDY names \/nowhere\/caddy, which is not an executable file/);
  process.env.PRONGHORN_CADDY = process.execPath;
  assert.equal(findCaddy(), process.execPath);
});
