// Whether a server that has started serves: one real request to a file and one to the upstream, with TLS, by a unix socket
// that is reached from outside the server's network namespace too. So its workers run, may read the sites, and reach the upstream.
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type Host, hostOf } from '../hosts.ts';
import type { StartInput } from './server.ts';

const article = hostOf('article');
const odd = hostOf('odd');
/** The hosts that listen on the socket for checks. */
export const checkedHosts: readonly Host[] = [article, odd];

/** @throws {Error} that says what was asked, what came, and the last of the server's error log. */
export async function mustServe({ port, run, certificates, sockets }: StartInput, server: string): Promise<void> {
  const ca = await readFile(certificates.caFile);
  for (const [{ name }, path] of [
    [article, '/'],
    [odd, '/empty.html'],
  ] as const) {
    const answer = await new Promise<string>((done) => {
      const socket = connect({ path: sockets.check, ca, servername: name, ALPNProtocols: ['http/1.1'] });
      request({ createConnection: () => socket, path, headers: { host: `${name}:${port}`, connection: 'close' } }, (response) => {
        response.resume();
        done(String(response.statusCode));
      })
        .once('error', (error) => done(error.message))
        .end();
    });
    if (answer === '200') continue;
    const log = await readFile(join(run, 'error.log'), 'utf8');
    throw new Error(`${server} started, but answered ${answer} for https://${name}:${port}${path}: ${log.trim().split('\n').at(-1)}`);
  }
}
