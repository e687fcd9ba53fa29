import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { findFreePort, isFree } from './ports.ts';

const addresses = ['127.0.0.201', '127.0.0.202'];

test('a port that a TCP server holds on one of the addresses is not free', async (t) => {
  const server = createServer().listen(0, '127.0.0.202');
  t.after(() => server.close());
  await once(server, 'listening');
  assert.equal(await isFree((server.address() as AddressInfo).port, addresses), false);
});

test('nor is one that only a UDP socket holds', async (t) => {
  const socket = createSocket('udp4');
  t.after(() => socket.close());
  socket.bind(0, '127.0.0.201');
  await once(socket, 'listening');
  assert.equal(await isFree(socket.address().port, addresses), false);
});

test('a port that is found can be bound on every address', async () => {
  assert.equal(await isFree(await findFreePort(addresses), addresses), true);
});

test('an address that this machine lacks is a fault, not a taken port', async () => {
  await assert.rejects(isFree(4433, ['192.0.2.1']), { code: 'EADDRNOTAVAIL' });
});
