// Datagrams that come into a visit's namespace and find a socket's buffer full are counted there, and nowhere else; and what a browser
// loses by them is in its visit's record.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { Namespace } from '../src/link/net/namespace.ts';
import { receiveBuffers, receiveDrops } from '../src/link/net/receive-buffers.ts';

const skip = process.getuid?.() === 0 ? false : 'needs root, to make namespaces';

/** A socket that holds little and never reads, and another that sends it far more. */
const overrun = (family: 'AF_INET' | 'AF_INET6') => `use Socket qw(:all);
socket(my $in, ${family}, SOCK_DGRAM, 0) or die $!;
setsockopt($in, SOL_SOCKET, SO_RCVBUF, 8192) or die $!;
my $here = ${family} == AF_INET ? pack_sockaddr_in(9000, INADDR_LOOPBACK) : pack_sockaddr_in6(9000, Socket::IN6ADDR_LOOPBACK);
bind($in, $here) or die $!;
socket(my $out, ${family}, SOCK_DGRAM, 0) or die $!;
send($out, "x" x 1200, 0, $here) for 1 .. 200;`;

test('losses of a full buffer are counted in its own namespace, over IPv4 and IPv6', { ...proves('link'), skip }, async (t) => {
  const [visit, other] = await Promise.all([Namespace.create('visit'), Namespace.create('other')]);
  t.after(() => Promise.all([visit.close(), other.close()]));
  assert.equal(receiveDrops(visit), 0);
  await visit.run(['perl', '-e', overrun('AF_INET')]);
  const v4 = receiveDrops(visit);
  assert.ok(v4 > 150 && v4 < 200, `${v4} of 200`);
  await visit.run(['perl', '-e', overrun('AF_INET6')]);
  const both = receiveDrops(visit);
  assert.ok(both > v4 + 150 && both < v4 + 200, `${both - v4} of 200`);
  assert.equal(receiveDrops(other), 0);
});

test('a namespace’s own TCP buffers are reported', { ...proves('link'), skip }, async (t) => {
  const visit = await Namespace.create('visit');
  t.after(() => visit.close());
  if (!(await visit.sysctl('net.ipv4.tcp_rmem', '4096 20000 30000'))) return t.skip('/proc/sys is read-only here');
  assert.equal((await receiveBuffers(visit)).tcp, '4096 20000 30000');
});
