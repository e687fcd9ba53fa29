// Stands between nginx and a server on the loopback whose pages name loopback origins: it puts names behind nginx in their place, in headers and in
// text. nginx's own sub_filter would have to ask for everything uncompressed, could not know what the server would have compressed, and knows no Link.
import { Agent, createServer, type IncomingMessage, type RequestOptions, request, type Server, type ServerResponse } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { serverDomain } from '@pronghorn/core/network';
import { codingOf, isText } from './codings.ts';
import { type FrontNames, placeOf, renamed, renaming, withoutIntegrity } from './loopback.ts';

/** As nginx takes them. */
const maxHeaderSize = 128 * 1024;
/** Of one connection (RFC 9110 §7.6.1): each server sets its own. */
const ofConnection = /^(connection|keep-alive|proxy-connection|transfer-encoding|upgrade)$/i;
/** Of the bytes that the server sent, which are others now. An ETag stays: the same answer has the same bytes, renamed. */
const ofBytes = /^(content-length|accept-ranges|content-md5|content-digest|repr-digest|digest)$/i;

export function renamingServer(origin: URL, names: FrontNames): Server {
  const isTls = origin.protocol === 'https:';
  const agent = isTls ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const to = { ...placeOf(origin), maxHeaderSize, rejectUnauthorized: false };
  const ask = (asked: IncomingMessage, response: ServerResponse): void => {
    const options: RequestOptions = { ...to, agent, method: asked.method ?? 'GET', path: asked.url ?? '/', headers: asked.rawHeaders };
    const far = (isTls ? tlsRequest : request)(options, (answer) => pass(asked, answer, response, names));
    far.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close a connection at the moment in which it is used again.
      const isSafe = far.reusedSocket && error.code === 'ECONNRESET' && /^(GET|HEAD)$/.test(options.method ?? '');
      if (isSafe && !response.headersSent && !response.destroyed) ask(asked, response);
      else asked.socket.destroy();
    });
    response.once('close', () => far.destroy());
    asked.pipe(far);
  };
  // nginx decides for how long connections and requests last.
  const server = createServer({ maxHeaderSize: 2 * maxHeaderSize, keepAliveTimeout: 0, requestTimeout: 0, noDelay: true }, ask);
  server.on('upgrade', (asked: IncomingMessage, near, head) => {
    const far = isTls ? connectTls({ ...to, servername: origin.hostname }) : connect({ ...to, noDelay: true });
    const headers = pairs(asked.rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
    far.write(Buffer.from(`${asked.method} ${asked.url} HTTP/1.1\r\n${headers.join('')}\r\n`, 'latin1'));
    far.write(head);
    pipeline(near, far, near, () => {});
  });
  return server;
}

function pass(asked: IncomingMessage, answer: IncomingMessage, response: ServerResponse, names: FrontNames): void {
  const { statusCode = 502, statusMessage = '', headers } = answer;
  const coding = codingOf(headers['content-encoding']);
  const hasBody = asked.method !== 'HEAD' && ![204, 206, 304].includes(statusCode);
  const isRenamed = hasBody && coding !== undefined && isText(headers['content-type']);
  const kept = pairs(answer.rawHeaders).filter(([name]) => !ofConnection.test(name) && !(isRenamed && ofBytes.test(name)));
  response.writeHead(
    statusCode,
    statusMessage,
    kept.flatMap(([name, value]) => [name, headerOf(name, renamed(value, names))]),
  );
  response.flushHeaders();
  const steps = isRenamed
    ? [
        ...(coding === null ? [] : [coding.decode()]),
        renaming(names),
        ...(/^text\/html\b/i.test(headers['content-type'] ?? '') ? [withoutIntegrity()] : []),
        ...(coding === null ? [] : [coding.encode()]),
      ]
    : [];
  pipeline([answer, ...steps, response], () => {});
}

/** Browsers share cookies among all ports of a host: behind nginx each port has a host of its own, below one domain. */
function headerOf(name: string, value: string): string {
  if (!/^set-cookie$/i.test(name) || value.startsWith('__Host-')) return value;
  return `${value.replace(/;\s*domain=[^;]*/gi, '')}; Domain=${serverDomain}`;
}

const pairs = (raw: readonly string[]): [name: string, value: string][] =>
  Array.from({ length: raw.length / 2 }, (_, n) => [raw[2 * n] ?? '', raw[2 * n + 1] ?? '']);
