// The server's side of a WebSocket that pushes prices (RFC 6455): says something ten times a second until the client goes.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

const everyMs = 100;
/** RFC 6455 §1.3. */
const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

export function talk(request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  const key = request.headers['sec-websocket-key'];
  if (key === undefined || request.headers.upgrade?.toLowerCase() !== 'websocket') {
    socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
    return;
  }
  const accept = createHash('sha1').update(`${key}${guid}`).digest('base64');
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`);
  let price = 40;
  const timer = setInterval(() => socket.write(textFrame(JSON.stringify({ mug: ++price }))), everyMs);
  // Whatever the client says, its close frame too, is the end.
  socket.on('data', () => socket.end(Buffer.from([0x88, 0])));
  socket.once('close', () => clearInterval(timer));
}

/** A text frame that is final, unmasked and shorter than 126 bytes (§5.2). */
function textFrame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
}
