import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { countDrops, receiveBuffers, receiveDrops } from './receive-buffers.ts';

const snmp = `Ip: Forwarding DefaultTTL
Ip: 1 64
Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors IgnoredMulti MemErrors
Udp: 900 1 130 700 123 5 0 0 0
UdpLite: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors IgnoredMulti MemErrors
UdpLite: 0 0 0 0 77 0 0 0 0
`;

test('counts UDP’s full buffers of both families, and nothing else', () => {
  assert.equal(countDrops(snmp, ''), 123);
  assert.equal(
    countDrops(snmp, 'Udp6InErrors                    \t9\nUdp6RcvbufErrors                \t7\nUdpLite6RcvbufErrors \t50\n'),
    130,
  );
});

test('a kernel that does not count is an error, not zero', () => {
  assert.throws(() => countDrops('Udp: InDatagrams\nUdp: 7\n', ''), /RcvbufErrors/);
});

test('reads this machine', async () => {
  assert.ok(receiveDrops({ pid: process.pid }) >= 0);
  const { tcp, udpMaxBytes } = await receiveBuffers();
  assert.match(tcp ?? '', /^\d+ \d+ \d+$/);
  assert.equal(udpMaxBytes, Number(readFileSync('/proc/sys/net/core/rmem_max', 'utf8')));
});
