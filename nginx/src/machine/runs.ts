// A folder for each run of an origin: configuration, logs, temporary files. Runs share nothing that changes, so two may
// run from one state folder; a run's logs stay readable after it stopped, until the next start tidies up.
import { chmod, mkdir, mkdtemp, readdir, readlink, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';

const live = new Set<string>();
let counter = 0;

export interface Part {
  stop(): Promise<void>;
}

/**
 * Begins a run and starts its parts, which `start` puts into `started` one by one. They stop in the opposite order, once, however often that is
 * asked for; those before a part that doesn't start stop at once.
 */
export async function startRun<Parts>(
  directory: string,
  start: (run: string, started: Part[]) => Promise<Parts>,
): Promise<Parts & { stop(): Promise<void> }> {
  const run = await openRun(directory);
  const started: Part[] = [{ stop: () => closeRun(run) }];
  let stopping: Promise<void> | undefined;
  const stopAll = async () => {
    for (const part of started.reverse()) await part.stop();
  };
  const stop = () => {
    stopping ??= stopAll();
    return stopping;
  };
  try {
    return { ...(await start(run, started)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Starts a program in a thread with an event loop and a heap of its own; it ends with this process.
 *
 * @param failure how the warning begins when the thread fails, now or later
 * @returns once the thread has sent its first message
 */
export function startThread(program: URL, workerData: unknown, failure: string): Promise<Part> {
  return new Promise((resolve, reject) => {
    // The flags of this process (--input-type) may not suit the thread.
    const worker = new Worker(program, { workerData, execArgv: [] });
    worker.once('message', () => resolve({ stop: async () => void (await worker.terminate()) }));
    worker.on('error', (error) => {
      reject(error);
      process.emitWarning(`${failure}: ${error.message}`);
    });
  });
}

/** Makes the folder of a new run, and removes those of runs that are over. */
export async function openRun(directory: string): Promise<string> {
  const runs = join(directory, 'runs');
  await mkdir(runs, { recursive: true });
  for (const name of await readdir(runs)) {
    const path = join(runs, name);
    if (live.has(path) || !isOver(name)) continue;
    await closeSockets(path);
    await rm(path, { recursive: true, force: true });
  }
  const run = join(runs, `${process.pid}-${++counter}`);
  live.add(run);
  // A recycled process id may have left a folder of this name; nobody else has this id now.
  await closeSockets(run);
  await rm(run, { recursive: true, force: true });
  await mkdir(join(run, 'temp'), { recursive: true });
  return run;
}

/** Ends a run: removes its temporary files and sockets, and keeps its logs for a while. */
export async function closeRun(run: string): Promise<void> {
  await closeSockets(run);
  await rm(join(run, 'temp'), { recursive: true, force: true });
  live.delete(run);
}

/** A run ends with the process that began it: the kernel signals the server, whatever kills that process. */
function isOver(name: string): boolean {
  const pid = Number.parseInt(name, 10);
  if (!Number.isInteger(pid) || pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'; // EPERM: somebody else's, and alive
  }
}

// The unix sockets of a run: the server reaches the upstream by one, and this process reaches the server by the other, also
// where the server stands in another network namespace. A socket's path may have 107 characters, and the server's workers
// must be able to pass every folder above it: so they lie in a folder of their own in /tmp, which the run's folder names.
export interface Sockets {
  directory: string;
  /** The upstream listens here, for the server. */
  upstream: string;
  /** The server listens here with TLS for the hosts article and odd: whether it serves is asked here, and not logged. */
  check: string;
}

const maxFolder = 80;
const nameInRun = 'sockets';

export async function openSockets(run: string): Promise<Sockets> {
  const base = tmpdir().length <= maxFolder ? tmpdir() : '/tmp';
  const directory = await mkdtemp(join(base, 'pronghorn-'));
  await chmod(directory, 0o711); // to pass, not to list
  await symlink(directory, join(run, nameInRun));
  return { directory, upstream: join(directory, 'upstream.sock'), check: join(directory, 'check.sock') };
}

/** Removes the folder, of a run that was killed too; what isn't ours in it stays. */
export async function closeSockets(run: string): Promise<void> {
  const link = join(run, nameInRun);
  const directory = await readlink(link).catch(() => undefined);
  if (directory === undefined || !/\/pronghorn-[^/]+$/.test(directory)) return;
  await unlink(link);
  const names = await readdir(directory).catch(() => []);
  for (const name of names) if (name.endsWith('.sock')) await rm(join(directory, name), { force: true });
  await rmdir(directory).catch(() => {});
}
