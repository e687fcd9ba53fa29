// One server process: started where the place is, watched until it serves, stopped. It can't outlive this process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkerUser } from '../machine/worker-user.ts';

export interface ServerProcess {
  /** Process id of the server; of nginx, that of its master. */
  pid: number;
  /** Process ids by name, where the server has several processes. */
  pids?: Record<string, number>;
  /** Ends it at once, open responses too, and waits until all of it is gone. */
  stop(): Promise<void>;
}

export interface Launch {
  name: string;
  argv: readonly string[];
  /** Command prefix that starts a program where the origin runs. */
  enter: readonly string[];
  /** User of the whole server; undefined: that of this process. */
  user?: WorkerUser | undefined;
  environment: NodeJS.ProcessEnv;
  /** Its configuration: a file in the run's folder. */
  configuration: string;
  /** Gives the server its configuration as standard input, and takes its access log from standard output. */
  byStandardStreams?: boolean;
  endSignal: 'SIGTERM' | 'SIGQUIT';
  isBound(pid: number, errorLog: string): boolean | Promise<boolean>;
  /** Finds lines of its error log that say why it did not start. */
  fatal: RegExp;
}

/** Another program took the port between the look and the start. */
export class PortTaken extends Error {
  override name = 'PortTaken';
}

const startTimeoutMs = 60_000;
const stopTimeoutMs = 10_000;
const pollMs = 5;

/**
 * Starts a server in a run's folder, and resolves when its sockets are bound.
 * @throws {PortTaken} when an address is in use.
 * @throws {Error} with the server's own words, when it can't start.
 */
export async function startServer(run: string, launch: Launch): Promise<ServerProcess> {
  const errorLog = join(run, 'error.log');
  // Removes what an earlier try left.
  await writeFile(errorLog, '');
  const files = await Promise.all([
    launch.byStandardStreams ? open(join(run, launch.configuration), 'r') : undefined,
    launch.byStandardStreams ? open(join(run, 'access.log'), 'a') : undefined,
    open(errorLog, 'a'),
  ]);
  const [program = '', ...args] = guarded(launch);
  const child = spawn(program, args, {
    // Its own session: Ctrl-C in the terminal is for the measuring program, which stops the server when it is done.
    detached: true,
    stdio: files.map((file) => file?.fd ?? 'ignore'),
    env: launch.environment,
  });
  const failure = new Promise<never>((_, reject) => {
    child.once('error', (error) =>
      reject(new Error(`${program} (package util-linux) could not be run; it starts ${launch.name}: ${error.message}`)),
    );
    child.once('exit', async () => reject(startError(run, launch, await readText(errorLog))));
  });
  failure.catch(() => {}); // requests show if a server ends later
  const watching = new AbortController();
  try {
    await Promise.all(files.map((file) => file?.close()));
    await Promise.race([failure, bound(child, run, launch, errorLog, watching.signal)]);
  } catch (error) {
    await endServer(child, launch.endSignal);
    throw error;
  } finally {
    watching.abort();
  }
  return { pid: child.pid as number, stop: () => endServer(child, launch.endSignal) };
}

/** Command line that starts the server in its place, as its user, tied to this process. Each program execs the next, so the process id stays. */
function guarded({ user, enter, endSignal, argv }: Launch): string[] {
  // Entering a namespace needs root, so it comes before the rights go. A change of rights forgets the signal at the parent's
  // death (prctl(2)), so that is arranged last.
  const asUser = ['setpriv', `--reuid=${user?.user}`, `--regid=${user?.group}`, '--clear-groups', '--no-new-privs', '--'];
  return [...enter, ...(user && user.uid !== 0 ? asUser : []), ...endsWithUs(endSignal), ...argv];
}

/**
 * Ties a program to the thread that starts it: the kernel sends it the signal when that ends. The shell's question covers the moment before the tie is made: a
 * parent that died already has been replaced by another.
 */
export const endsWithUs = (signal: 'SIGTERM' | 'SIGQUIT'): string[] => [
  ...['setpriv', '--pdeathsig', signal.slice(3), '--'],
  ...['sh', '-c', '[ "$PPID" = "$0" ] && exec "$@"', String(process.pid)],
];

async function bound(child: ChildProcess, run: string, launch: Launch, errorLog: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline && !signal.aborted) {
    const log = await readText(errorLog);
    if (child.pid !== undefined && (await launch.isBound(child.pid, log))) return;
    if (isTaken(log)) throw startError(run, launch, log); // nginx tries again for 2.5 s
    await delay(pollMs);
  }
  throw new Error(`${launch.name} did not start within ${startTimeoutMs / 1000} s; see ${errorLog}`);
}

const isTaken = (text: string) => /address already in use/i.test(text);

function startError(run: string, { name, configuration, fatal }: Launch, log: string): Error {
  const lines = log.split('\n').filter((line) => line.trim());
  const taken = lines.find(isTaken);
  if (taken) return new PortTaken(taken);
  const telling = lines.find((line) => fatal.test(line)) ?? lines.at(-1) ?? 'it printed nothing';
  return new Error(`${name} did not start: ${telling.trim()} (its configuration: ${join(run, configuration)})`);
}

/** Ends a process that leads its group, and waits until it is gone. */
export async function endServer(child: ChildProcess, endSignal: Launch['endSignal']): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(endSignal);
  // A test may have suspended it.
  process.kill(-child.pid, 'SIGCONT');
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
