// What the sites of the web need besides their servers: a proxy to one of them, a company's CA, and a hand on the UDP of some.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Certificates } from '../certificates.ts';
import type { Host } from '../hosts.ts';
import { addressesOf, type Place } from '../place.ts';
import { startServer } from '../servers/server-process.ts';
import { workerUser } from '../worker-user.ts';
import { proxyHost, webHosts } from './web-hosts.ts';

export interface Web {
  /** Host and port of an HTTP proxy, the only way to `proxied`. */
  proxy: string;
  /** Certificate of the CA that signed the certificate of `corporate-ca`. */
  corporateCaFile: string;
  /** From now on the edge hosts answer no UDP, or do again. Over TCP they always answer. */
  silenceUdp(silent: boolean): void;
  stop(): Promise<void>;
}

interface WebInput {
  run: string;
  place: Place;
  port: number;
  corporate: Certificates;
  /** Process ids of the server, by name. */
  pids: Readonly<Record<string, number>>;
}

export async function openWeb({ run, place, port, corporate, pids }: WebInput): Promise<Web> {
  const udp = pids['edge-udp'];
  if (udp === undefined) throw new Error('the server has no process for the UDP of the edge hosts');
  const proxied = webHosts.find(({ behindProxy }) => behindProxy) as Host;
  const [address = ''] = addressesOf(proxyHost, place);
  const program = fileURLToPath(new URL('./proxy.ts', import.meta.url));
  const folder = join(run, 'servers', 'proxy');
  await mkdir(folder, { recursive: true });
  const proxy = await startServer(folder, {
    name: 'proxy',
    argv: [process.execPath, program, address, String(port), `${proxied.name}:${port}`, addressesOf(proxied, place)[0] as string],
    enter: place.enter,
    user: await workerUser([program, process.execPath]),
    environment: { PATH: process.env.PATH },
    configuration: 'its arguments',
    endSignal: 'SIGTERM',
    isBound: (_, log) => log.includes('listening'),
    fatal: /error/i,
  });
  return {
    proxy: `${address}:${port}`,
    corporateCaFile: corporate.caFile,
    // The whole group of the server: its master and its worker.
    silenceUdp: (silent) => void process.kill(-udp, silent ? 'SIGSTOP' : 'SIGCONT'),
    stop: () => proxy.stop(),
  };
}
