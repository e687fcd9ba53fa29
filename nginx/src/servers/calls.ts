// The host of REST calls: the built-in server of packages/transaction on an address of its own, with the origin's certificate and port.
import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { callsHost } from '../hosts/hosts.ts';
import { addressesOf, type Place, withPort } from '../hosts/place.ts';
import type { Part } from '../machine/runs.ts';
import { endServer, endsWithUs } from './server-process.ts';

export interface Calls {
  /** https://HOST:PORT, without a path. */
  url: string;
  /** The server, its Go and its QUIC: stored with a campaign. */
  settings: Record<string, unknown>;
  pid: number;
}

const startMs = 60_000;

interface Listening {
  address: string;
  about: { go: string; modules: Record<string, string>; limits: Record<string, number> };
}

/**
 * Starts the server where the origin is; it ends with the thread that calls this.
 *
 * @param program of packages/transaction
 * @throws Error with the server's own words
 */
export async function startCalls({
  program,
  cores,
  place,
  port,
  run,
  certificate,
}: {
  program: string;
  /** In the format of `taskset -c`; undefined: all. */
  cores: string | undefined;
  place: Place;
  port: number;
  run: string;
  certificate: { certificate: string; key: string };
}): Promise<Calls & Part> {
  const [address] = addressesOf(callsHost, place) as [string];
  const log = join(run, 'calls.log');
  const serve = [program, 'serve', '-listen', withPort(address, port), '-certificate', certificate.certificate, '-key', certificate.key];
  const pinned = cores === undefined ? [] : ['taskset', '-c', cores];
  const [command = '', ...args] = [...place.enter, ...endsWithUs('SIGTERM'), ...pinned, ...serve];
  const file = await open(log, 'a');
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', file.fd] });
  await file.close();
  const stop = () => endServer(child, 'SIGTERM');
  try {
    const { about } = await new Promise<Listening>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`the server of REST calls did not start: ${why}; its last words are in ${log}`));
      const timer = setTimeout(() => fail(`it printed nothing for ${startMs / 1_000} s`), startMs);
      child.once('error', (error) => fail(error.message));
      child.once('exit', (code, signal) => fail(`it ended (${signal ?? code})`));
      createInterface({ input: child.stdout as Readable }).once('line', (line) => {
        clearTimeout(timer);
        resolve(JSON.parse(line) as Listening);
      });
    });
    const settings = {
      server: 'pronghorn-transaction',
      version: about.go,
      quicGo: about.modules['github.com/quic-go/quic-go'] ?? null,
      cores: cores ?? 'shared with the client',
      quicCongestionControl: 'newreno',
      ...about.limits,
    };
    return { url: `https://${callsHost.name}:${port}`, settings, pid: child.pid as number, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
