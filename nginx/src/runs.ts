// A folder for each run of an origin: configuration, logs, temporary files. Runs share nothing that changes, so two may
// run from one state folder; a run's logs stay readable after it stopped, until the next start tidies up.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { closeSockets } from './sockets.ts';

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

/** The run is over: its temporary files and sockets go, its logs stay for a while. */
export async function closeRun(run: string): Promise<void> {
  await closeSockets(run);
  await rm(join(run, 'temp'), { recursive: true, force: true });
  live.delete(run);
}

/** A run ends with the process that began it: the server is told by the kernel, whatever kills that process. */
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
