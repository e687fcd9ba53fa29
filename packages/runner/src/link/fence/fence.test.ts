import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { parseNetwork } from '@pronghorn/core/network';
import { nextOutput } from '@pronghorn/core/testing';
import { command } from '../../machine/unprivileged.ts';
import { canFence, openFence, policyText } from './fence.ts';

const can = canFence();
const needs = { skip: can !== true && `no fence here: ${can}` };
const asOther = process.getuid?.() === 0;

/** Names of errors that a fenced Perl's calls end with; empty: none. */
function errors(lines: string, { allowNet = [] as string[] } = {}): { said: string[]; refused: string[]; status: number | null } {
  const fence = openFence(allowNet);
  try {
    const { executablePath, args } = command(
      '/usr/bin/perl',
      ['-MSocket', '-MErrno', '-e', `${words}\n${lines}`],
      asOther,
      [],
      fence.around,
    );
    const { stdout, stderr, status } = spawnSync(executablePath, args, { encoding: 'utf8', timeout: 120_000 });
    assert.equal(stderr, '');
    return { said: stdout.trim().split('\n'), refused: fence.takeRefusals(), status };
  } finally {
    fence.close();
  }
}

const words = `
$| = 1;
sub name { my ($number) = @_; for (keys %!) { return $_ if $!{$_} } return "$!" }
sub said { print +($_[0] ? 'ok' : name()), "\\n" }
sub at { my ($host, $port) = @_; $host =~ /:/ ? pack_sockaddr_in6($port, Socket::inet_pton(AF_INET6, $host)) : pack_sockaddr_in($port, inet_aton($host)) }
sub family { $_[0] =~ /:/ ? AF_INET6 : AF_INET }
sub tcp { socket(my $s, family($_[0]), SOCK_STREAM, 0) or return said(0); $s->blocking(0) if $_[2]; said(connect($s, at(@_)) || $!{EINPROGRESS}) }
sub udp { socket(my $s, family($_[0]), SOCK_DGRAM, 0) or return said(0); said(defined send($s, 'x', 0, at(@_))) }
sub udp_connect { socket(my $s, family($_[0]), SOCK_DGRAM, 0) or return said(0); said(connect($s, at(@_))) }
`;

test('connections and datagrams to non-public addresses are refused, and reported once', needs, () => {
  const { said, refused } = errors(`
    tcp('10.1.2.3', 80); tcp('10.1.2.3', 80); udp('10.1.2.3', 443); udp_connect('169.254.169.254', 443); tcp('0.0.0.0', 80);
    tcp('::ffff:10.1.2.3', 81); tcp('fd12::1', 80); tcp('::', 80); tcp('::10.1.2.3', 80);`);
  assert.deepEqual(said, new Array(9).fill('EACCES'));
  assert.deepEqual(refused, [
    ...['10.1.2.3 (tcp 80)', '10.1.2.3 (udp 443)', '169.254.169.254 (udp 443)', '0.0.0.0 (tcp 80)'],
    ...['10.1.2.3 (tcp 81)', 'fd12::1 (tcp 80)', ':: (tcp 80)', '::10.1.2.3 (tcp 80)'],
  ]);
});

test('public addresses and those that the operator opened are left to the network', needs, () => {
  const { said, refused } = errors(`udp('10.1.2.3', 443); udp_connect('10.1.2.3', 443); tcp('10.1.2.3', 80, 1); tcp('10.2.0.1', 80);`, {
    allowNet: ['10.1.0.0/16'],
  });
  assert.ok(said.slice(0, 3).every((one) => one !== 'EACCES'));
  assert.equal(said[3], 'EACCES');
  assert.deepEqual(refused, ['10.2.0.1 (tcp 80)']);
});

test('a datagram without a port is no packet: programs choose between addresses by it', needs, () => {
  assert.notEqual(errors(`udp_connect('10.1.2.3', 0);`).said[0], 'EACCES');
});

test('what this machine serves on its loopback and its own addresses stays closed, also in an open network', needs, async () => {
  const server = createServer((socket) => socket.destroy());
  let accepted = 0;
  server.on('connection', () => (accepted += 1));
  await once(server.listen(0, '::'), 'listening');
  const { port } = server.address() as { port: number };
  const own = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4');
  const hosts = ['127.0.0.1', '127.8.9.1', '0.0.0.0', '::', '::1', '::ffff:127.0.0.1', ...own.map(({ address }) => address)];
  const { said } = errors(hosts.map((host) => `tcp('${host}', ${port});`).join(' '), { allowNet: ['0.0.0.0/0'] });
  assert.deepEqual(
    said,
    hosts.map(() => 'EACCES'),
  );
  assert.equal(accepted, 0);
  server.close();
});

test('a program reaches its own servers, as a driver its browser; a port without a listener is refused', needs, () => {
  const { said, refused } = errors(`
    socket(my $server, AF_INET, SOCK_STREAM, 0); bind($server, at('127.0.0.1', 0)); listen($server, 5);
    my ($port) = unpack_sockaddr_in(getsockname $server);
    unless (fork) { tcp('127.0.0.1', $port); exit } wait;
    close $server; tcp('127.0.0.1', $port);`);
  assert.deepEqual([said, refused], [['ok', 'ECONNREFUSED'], []]);
});

test('io_uring and TCP Fast Open lead out no more than connect does', needs, () => {
  const uring = `$! = 0; syscall(425, 8, my $p = "\\0" x 120); said(0);`;
  const open = `socket(my $s, AF_INET, SOCK_STREAM, 0); said(defined send($s, 'x', 0x20000000, at('10.1.2.3', 80)));`;
  assert.deepEqual(errors(`${uring} ${open}`).said, ['ENOSYS', 'EACCES']);
});

test('a fenced program keeps its descriptors and its exit code, and ends with the fence', needs, async () => {
  assert.equal(errors('print "x\\n"; exit 7').status, 7);
  const fence = openFence([]);
  const { executablePath, args } = command('/bin/sh', ['-c', 'echo $$ >&3; exec sleep 60 3>&-'], asOther, [], fence.around);
  const child = spawn(executablePath, args, { stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
  const pipe = child.stdio[3] as NodeJS.ReadableStream;
  const [pid] = await nextOutput(child, pipe);
  await once(pipe, 'end'); // nobody else holds it
  assert.doesNotThrow(() => process.kill(Number(pid), 0));
  child.kill('SIGKILL');
  await once(child, 'close');
  const deadline = Date.now() + 60_000;
  const isThere = () =>
    spawnSync('/bin/sh', ['-c', `kill -0 ${Number(pid)} 2>/dev/null && ! grep -q '^State:.Z' /proc/${Number(pid)}/status`]).status === 0;
  while (isThere() && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isThere(), false);
  fence.close();
});

test('the policy: nameservers, own addresses, what is opened, what is not public, and the rest', () => {
  const text = policyText({
    allow: ['10.1.0.0/16', '192.168.7.2'].map(parseNetwork),
    own: ['10.1.0.5', '192.168.7.2'],
    nameservers: ['127.0.0.53', 'fd12::53'],
  });
  const lines = text.trim().split('\n');
  assert.deepEqual(lines.slice(0, 9), [
    'nameserver 7f000035',
    'nameserver fd120000000000000000000000000053',
    'refuse 7f000000 7fffffff',
    'refuse 00000000000000000000000000000001 00000000000000000000000000000001',
    'refuse 00000000 00ffffff',
    'refuse 00000000000000000000000000000000 00000000000000000000000000000000',
    'refuse 0a010005 0a010005',
    'allow 0a010000 0a01ffff',
    'allow c0a80702 c0a80702',
  ]);
  assert.ok(lines.includes('refuse a9fea9fe a9fea9fe') && lines.includes('refuse 0a000000 0affffff'));
  assert.deepEqual(lines.slice(-2), ['allow 00000000 ffffffff', 'allow 20000000000000000000000000000000 3fffffffffffffffffffffffffffffff']);
});
