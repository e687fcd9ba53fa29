// An HTTP proxy that passes connections on to one host, and to no other: node proxy.ts ADDRESS PORT HOST:PORT TARGET
import { createServer } from 'node:http';
import { connect } from 'node:net';

const [address = '', port = '', authority = '', target = ''] = process.argv.slice(2);

const server = createServer((_, response) => {
  response.writeHead(405, { 'content-type': 'text/plain' });
  response.end(`This proxy passes connections on (CONNECT) to ${authority}, and does nothing else.\n`);
});
server.on('connect', ({ url }, client) => {
  client.on('error', () => client.destroy());
  if (url !== authority) {
    client.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
    return;
  }
  const upstream = connect(Number(port), target, () => {
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    upstream.pipe(client).pipe(upstream);
  });
  upstream.on('error', () => client.destroy());
  client.once('close', () => upstream.destroy());
});
server.listen(Number(port), address, () => console.error('listening'));
