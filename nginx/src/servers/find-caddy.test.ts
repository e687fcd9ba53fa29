import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { findCaddy, parseCaddyBuild, readCaddyBuild } from './find-server.ts';

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

test('an old Caddy and another program are refused with what was found', () => {
  assert.throws(
    () => parseCaddyBuild('2.6.2\n', buildInfo, '', '/usr/bin/caddy'),
    /\/usr\/bin\/caddy is Caddy 2\.6\.2, and 2\.10 or newer/,
  );
  assert.throws(() => readCaddyBuild('/bin/true'), /\/bin\/true version names no version of Caddy; it printed: nothing/);
});

test('PRONGHORN_CADDY is taken at its word', () => {
  process.env.PRONGHORN_CADDY = '/nowhere/caddy';
  assert.throws(() => findCaddy(), /PRONGHORN_CADDY names \/nowhere\/caddy, which is not an executable file/);
  process.env.PRONGHORN_CADDY = process.execPath;
  assert.equal(findCaddy(), process.execPath);
});

const installed = (version: string) =>
  `go\tgo1.26.8\npath\tgithub.com/caddyserver/caddy/v2/cmd/caddy\nmod\tgithub.com/caddyserver/caddy/v2\tv${version}\th1:abc=\n` +
  'dep\tgithub.com/quic-go/quic-go\tv0.63.0\th1:def=\ndep\tgolang.org/x/net\tv0.60.0\th1:ghi=\n';

test('what `go install` built calls itself unknown, and is what Go noted of it; so is what its builder called otherwise', () => {
  for (const printed of ['unknown\n', 'v2.99.0\n']) {
    assert.deepEqual(parseCaddyBuild(printed, installed('2.11.9'), '', 'caddy'), {
      version: '2.11.9',
      go: 'go1.26.8',
      quicGo: '0.63.0',
      goNet: '0.60.0',
    });
  }
  assert.throws(() => parseCaddyBuild('unknown\n', buildInfo, '', '/usr/bin/caddy'), /version of Caddy; it printed: unknown/);
});

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'find-caddy-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a version is the one that was built for it, and no other', (t) => {
  const tools = temporaryFolder(t);
  process.env.PRONGHORN_TOOLS = tools;
  process.env.PRONGHORN_CADDY = process.execPath;
  assert.throws(
    () => findCaddy('2.11.9'),
    (error: Error) =>
      error.message ===
      `no Caddy 2.11.9: there is none at ${tools}/caddy-2.11.9/caddy. Run nginx/install-caddy.sh ${tools}/caddy-2.11.9 2.11.9`,
  );
  const program = join(tools, 'caddy-2.11.9', 'caddy');
  const put = (version: string) =>
    writeFileSync(program, `#!/bin/sh\n[ "$1" != version ] || exec echo unknown\ncat <<'E'\n${installed(version)}E\n`, { mode: 0o755 });
  mkdirSync(join(tools, 'caddy-2.11.9'));
  put('2.11.4');
  assert.throws(() => findCaddy('2.11.9'), /no Caddy 2\.11\.9: \S+caddy-2\.11\.9\/caddy is Caddy 2\.11\.4$/);
  put('2.11.9');
  assert.equal(findCaddy('2.11.9'), program);
  assert.equal(readCaddyBuild(program).quicGo, '0.63.0');
});

test('without a Go, or a newer suite to take one from, the installer says so and leaves nothing', (t) => {
  const folder = temporaryFolder(t);
  // A machine with no more than this on its path.
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const name of ['bash', 'dirname', 'readlink', 'mkdir', 'chmod', 'rm', 'sort', 'head', 'awk', 'cat']) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' });
    symlinkSync(stdout.trim(), join(bin, name));
  }
  const installer = fileURLToPath(new URL('../../install-caddy.sh', import.meta.url));
  const install = () => {
    const { status, stderr } = spawnSync(installer, [join(folder, 'caddy-2.11.9'), '2.11.9'], { encoding: 'utf8', env: { PATH: bin } });
    assert.equal(status, 1);
    assert.notEqual(spawnSync(installer, ['--check', join(folder, 'caddy-2.11.9'), '2.11.9'], { env: { PATH: bin } }).status, 0);
    return stderr;
  };
  assert.match(install(), /no Go to build Caddy 2\.11\.9 with: this machine has none from 1\.21 on/);
  writeFileSync(join(bin, 'go'), '#!/bin/sh\necho go1.19.8\n', { mode: 0o755 });
  assert.match(install(), /bin\/go is go1\.19\.8, and 1\.21 or newer is needed[\s\S]*no Go to build Caddy 2\.11\.9/);
});
