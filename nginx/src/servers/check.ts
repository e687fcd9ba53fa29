// Checks that a server that has started also serves: real TLS requests over a unix socket, which is reached from outside the server's network
// namespace too. So its workers run, may read the sites, and reach what stands behind them.
import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type Host, hostOf } from '../hosts.ts';

const article = hostOf('article');
const odd = hostOf('odd');
/** The hosts that listen on the socket for checks. */
export const checkedHosts: readonly Host[] = [article, odd];

/** Requests to those hosts: a file, and what the upstream answers. */
export const checkedUrls = (port: number): string[] => [`https://${article.name}:${port}/`, `https://${odd.name}:${port}/empty.html`];

interface Checked {
  /** As it stands in error messages. */
  server: string;
  run: string;
  /** The socket for checks. */
  socket: string;
  caFile: string;
}

/** @throws {Error} that says what was asked, what came, and the last of the server's error log. */
export async function mustServe({ server, run, socket: path, caFile }: Checked, urls: readonly string[]): Promise<void> {
  const ca = await readFile(caFile);
  for (const url of urls) {
    const { host, hostname, pathname } = new URL(url);
    const answer = await new Promise<string>((done) => {
      const socket = connect({ path, ca, servername: hostname, ALPNProtocols: ['http/1.1'] });
      request({ createConnection: () => socket, path: pathname, headers: { host, connection: 'close' } }, (response) => {
        response.resume();
        done(String(response.statusCode));
      })
        .once('error', (error) => done(error.message))
        .end();
    });
    if (answer === '200') continue;
    const log = await readFile(join(run, 'error.log'), 'utf8');
    throw new Error(`${server} started, but answered ${answer} for ${url}: ${log.trim().split('\n').at(-1)}`);
  }
}
