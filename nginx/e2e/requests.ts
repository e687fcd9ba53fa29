// Requests over exactly one protocol, by Node's own clients.
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { request } from 'node:https';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Origin } from '../src/index.ts';

export interface Answer {
  alpn: string;
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** On the clock of `performance.now()`, when the last byte was there. */
  endMs: number;
}

/** The loopback address that the origin gives to a host. */
export function addressOf({ trust }: Origin, host: string): string {
  const address = trust.hostRules
    .split(',')
    .find((rule) => rule.startsWith(`MAP ${host} `))
    ?.split(' ')[2];
  if (!address) throw new Error(`no rule for ${host}`);
  return address;
}

/** Completes a TLS handshake offering the given protocols. */
export async function handshake(origin: Origin, url: string, alpn: string[]): Promise<TLSSocket> {
  const { hostname, port } = new URL(url);
  const ca = await readFile(origin.trust.caFile);
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: addressOf(origin, hostname), port: Number(port), servername: hostname, ca, ALPNProtocols: alpn });
    socket.once('secureConnect', () => resolve(socket));
    socket.once('error', reject);
  });
}

export async function overH1(origin: Origin, url: string, headers: Record<string, string> = {}): Promise<Answer> {
  const { host, pathname, search } = new URL(url);
  return await overH1Socket(await handshake(origin, url, ['http/1.1']), pathname + search, { host, ...headers });
}

/** One request on a connection, which it closes. */
export async function overH1Socket(socket: TLSSocket, path: string, headers: Record<string, string>): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ createConnection: () => socket, path, headers, maxHeaderSize: 256 * 1024 }, resolve)
      .once('error', reject)
      .end();
  });
  const body = Buffer.concat(await response.toArray());
  const endMs = performance.now();
  socket.destroy();
  return { alpn: socket.alpnProtocol || '', status: response.statusCode ?? 0, headers: response.headers, body, endMs };
}

/** All URLs at once on one connection. */
export async function overH2(origin: Origin, urls: string[], headers: Record<string, string> = {}): Promise<Answer[]> {
  const { origin: authority } = new URL(urls[0] as string);
  const socket = await handshake(origin, urls[0] as string, ['h2']);
  const session = connect(authority, { createConnection: () => socket });
  try {
    return await Promise.all(
      urls.map(async (url) => {
        const { pathname, search } = new URL(url);
        const stream = session.request({ ':path': pathname + search, ...headers });
        const received = await new Promise<IncomingHttpHeaders & { ':status'?: number }>((resolve, reject) => {
          stream.once('response', resolve).once('error', reject);
        });
        const body = Buffer.concat(await stream.toArray());
        const endMs = performance.now();
        return { alpn: socket.alpnProtocol || '', status: received[':status'] ?? 0, headers: received, body, endMs };
      }),
    );
  } finally {
    session.destroy();
  }
}
