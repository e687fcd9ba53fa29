// One nginx: started, watched until it serves, stopped. It can't outlive this process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface NginxProcess {
  /** Of the master process. */
  pid: number;
  /** Ends it at once, open responses too, and waits until all of it is gone. */
  stop(): Promise<void>;
}

/** Somebody else took the port between the look and the start. */
export class PortTaken extends Error {
  override name = 'PortTaken';
}

const startTimeoutMs = 10_000;
const stopTimeoutMs = 3_000;
const pollMs = 5;

/**
 * Starts nginx on `run`/nginx.conf, and resolves when its sockets are bound.
 * @throws {PortTaken} when an address is in use.
 * @throws {Error} with nginx's own words, when it can't start.
 */
export async function startNginx(nginx: string, run: string): Promise<NginxProcess> {
  const errorLog = join(run, 'error.log');
  // The kernel ends nginx (SIGTERM) with the thread that starts it here. The shell's question covers the moment before
  // that is arranged: a parent that died already has been replaced by another.
  const guarded = ['--pdeathsig', 'TERM', '--', 'sh', '-c', '[ "$PPID" = "$0" ] && exec "$@"', String(process.pid)];
  const child = spawn('setpriv', [...guarded, nginx, '-p', run, '-c', join(run, 'nginx.conf'), '-e', errorLog], {
    // A session of its own: Ctrl-C in the terminal is for the program that measures; it stops nginx when it is done.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    // The machine's openssl.cnf could raise or lower what the configuration says.
    env: { PATH: process.env.PATH, OPENSSL_CONF: '/dev/null' },
  });
  let said = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    said = (said + bytes).slice(-10_000);
  });
  const failure = new Promise<never>((_, reject) => {
    child.once('error', (error) =>
      reject(new Error(`setpriv (package util-linux) could not be run, and it must start nginx: ${error.message}`)),
    );
    child.once('close', async () => reject(startError(run, said + (await readText(errorLog)))));
  });
  failure.catch(() => {}); // an nginx that ends later is seen by whoever asks it
  const watching = new AbortController();
  try {
    await Promise.race([failure, bound(child, run, errorLog, watching.signal)]);
  } catch (error) {
    await end(child);
    throw error;
  } finally {
    watching.abort();
  }
  return { pid: child.pid as number, stop: () => end(child) };
}

/** nginx writes its pid file after it has bound its sockets; until then it retries a taken address for 2.5 s. */
async function bound(child: ChildProcess, run: string, errorLog: string, signal: AbortSignal): Promise<void> {
  const giveUp = performance.now() + startTimeoutMs;
  while (performance.now() < giveUp && !signal.aborted) {
    if (Number(await readText(join(run, 'nginx.pid'))) === child.pid) return;
    const log = await readText(errorLog);
    if (log.includes('Address already in use')) throw startError(run, log);
    await delay(pollMs);
  }
  throw new Error(`nginx did not start within ${startTimeoutMs / 1000} s; see ${errorLog}`);
}

function startError(run: string, log: string): Error {
  const lines = log.split('\n').filter((line) => line.trim());
  const taken = lines.find((line) => line.includes('Address already in use'));
  if (taken) return new PortTaken(taken);
  const telling = lines.find((line) => /\[(emerg|alert|crit|error)\]/.test(line)) ?? lines.at(-1) ?? 'it said nothing';
  return new Error(`nginx did not start: ${telling.trim()} (its configuration: ${join(run, 'nginx.conf')})`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => {
    // The whole group: a master that is killed leaves its workers behind.
    process.kill(-(child.pid as number), 'SIGKILL');
  }, stopTimeoutMs);
  await exited;
  clearTimeout(late);
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
