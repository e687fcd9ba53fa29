import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { thisMachine } from '../hosts/place.ts';
import { claimPort, isFree, preferredPort } from './ports.ts';

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

test('two origins that look at the same moment get different ports, and one that was given back can be had again', async () => {
  const claims = await Promise.all([claimPort(thisMachine), claimPort(thisMachine)]);
  const [first, second] = claims.map(({ port }) => port) as [number, number];
  assert.notEqual(first, second);
  await assert.rejects(claimPort(thisMachine, { wanted: first }), new RegExp(`port ${first} is taken`));
  for (const { release } of claims) await release();
  const again = await claimPort(thisMachine, { wanted: first });
  assert.equal(again.port, first);
  await again.release();
});

test('in a network namespace of its own an origin has the port it prefers', async () => {
  const { port } = await claimPort({ enter: ['nsenter', '--net=/nowhere', '--'], addressPrefix: '10.115.2.' });
  assert.equal(port, preferredPort);
});

test('a program that sets its priority leaves it in the network of this machine, where ports are taken', async () => {
  const place = { ...thisMachine, enter: ['nice', '-n', '0'] };
  const claims = await Promise.all([claimPort(place), claimPort(place)]);
  assert.notEqual(claims[0].port, claims[1].port);
  for (const { release } of claims) await release();
});

test('an address that this machine lacks is a fault, not a taken port', async () => {
  await assert.rejects(isFree(4433, ['192.0.2.1']), { code: 'EADDRNOTAVAIL' });
});
