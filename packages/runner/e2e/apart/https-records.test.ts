// HTTPS records are asked for from inside the visit's namespace, of the nameserver that its resolv.conf names.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { getServers } from 'node:dns';
import { test } from 'node:test';
import { nextOutput, proves } from '@pronghorn/core/testing';
import { askHttpsRecords } from '../../src/dns/https-records.ts';
import { Namespace } from '../../src/link/net/namespace.ts';

/** Answers `h3.test` with `1 . alpn=h3`, any other name with nothing, and `silent.test` not at all. */
const nameserver = (address: string) => `
const socket = require('dgram').createSocket('${address.includes(':') ? 'udp6' : 'udp4'}');
socket.on('message', (query, from) => {
  const name = query.toString('latin1', 12);
  if (name.includes('silent')) return;
  const record = Buffer.from([0xc0, 12, 0, 65, 0, 1, 0, 0, 0, 60, 0, 10, 0, 1, 0, 0, 1, 0, 3, 2, 0x68, 0x33]);
  const answer = Buffer.concat([query, name.includes('h3') ? record : Buffer.alloc(0)]);
  answer.writeUInt16BE(0x8180, 2);
  answer.writeUInt16BE(name.includes('h3') ? 1 : 0, 6);
  socket.send(answer, from.port, from.address);
});
socket.bind(53, '${address}', () => console.log('ready'));`;

test('records, their absence and silence are distinguished', {
  ...proves('alt-svc'),
  skip: process.getuid?.() !== 0 && 'it needs root',
}, async (t) => {
  const [address = '127.0.0.1'] = getServers();
  const visit = await Namespace.create('visit');
  t.after(() => visit.close());
  if (!address.startsWith('127.')) await visit.run(['ip', 'address', 'add', address, 'dev', 'lo']);
  const [program = '', ...args] = [...visit.enter, process.execPath, '-e', nameserver(address)];
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => server.kill('SIGKILL'));
  await nextOutput(server);
  assert.deepEqual([...(await askHttpsRecords(['h3.test', 'plain.test', 'silent.test'], visit))].sort(), [
    ['h3.test', [{ priority: 1, target: '', alpn: ['h3'], port: null }]],
    ['plain.test', []],
  ]);
});
