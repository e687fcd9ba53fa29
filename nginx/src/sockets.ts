// The unix sockets of a run: the server reaches the upstream by one, and this process reaches the server by the other, also
// where the server stands in another network namespace. A socket's path may have 107 characters, and the server's workers
// must be able to pass every folder above it: so they lie in a folder of their own in /tmp, which the run's folder names.
import { chmod, mkdtemp, readdir, readlink, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Sockets {
  directory: string;
  /** The upstream listens here, for the server. */
  upstream: string;
  /** The server listens here with TLS for the hosts article and odd: whether it serves is asked here, and not logged. */
  check: string;
}

const longestFolder = 80;
const nameInRun = 'sockets';

/** Makes the folder for a run's sockets. */
export async function openSockets(run: string): Promise<Sockets> {
  const base = tmpdir().length <= longestFolder ? tmpdir() : '/tmp';
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
