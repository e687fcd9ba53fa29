// A program of the policy's tests: HTTP and UDP listeners on all addresses of the namespace it is started in. Each line
// of its input is a page that it serves from then on, as JSON; prints one line of JSON for every visitor.
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { createInterface } from 'node:readline';
import { bytesPort, ports, publicHosts, udpPorts } from './egress-world.ts';

const print = (visitor: object) => process.stdout.write(`${JSON.stringify(visitor)}\n`);
let page = '';
createInterface({ input: process.stdin }).on('line', (line) => (page = JSON.parse(line)));
for (const port of ports) {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://listener');
    print({ transport: 'tcp', address: request.socket.localAddress, port, path: request.url });
    const to = url.searchParams.get('to');
    if (to !== null)
      response.writeHead(Number(url.searchParams.get('code') ?? 302), { location: to, 'access-control-allow-origin': '*' }).end();
    else
      response
        .writeHead(200, {
          'content-type': url.pathname === '/' ? 'text/html; charset=utf-8' : 'text/plain',
          'access-control-allow-origin': '*',
        })
        .end(url.pathname === '/' ? page : 'reached');
  });
  server.on('upgrade', (request, socket) => {
    print({ transport: 'tcp', address: request.socket.localAddress, port, path: request.url });
    socket.end('HTTP/1.1 400 No\r\n\r\n');
  });
  server.on('connection', ({ localAddress }) => print({ transport: 'tcp', address: localAddress, port }));
  await new Promise<void>((resolve) => server.listen(port, '::', resolve));
}
for (const port of udpPorts) {
  const socket = createSocket('udp6', () => print({ transport: 'udp', address: '::', port }));
  await new Promise<void>((resolve) => socket.bind(port, '::', resolve));
}
// Bytes: a file for each TCP connection, and over UDP as many as the datagram asks for.
const file = Buffer.alloc(200_000, 'pronghorn');
const files = createTcpServer((socket) => socket.on('error', () => {}).end(file));
await new Promise<void>((resolve) => files.listen(bytesPort, '::', resolve));
// Each answers from the address that was asked; a namespace that has not all of them lacks those.
for (const address of [...publicHosts.v4, ...publicHosts.v6]) {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4', (datagram, from) =>
    socket.send(file.subarray(0, Number(datagram)), from.port, from.address),
  );
  await new Promise<void>((resolve) => socket.once('error', () => resolve()).bind(bytesPort, address, resolve));
}
process.stdout.write('ready\n');
