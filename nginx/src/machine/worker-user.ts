// Chooses the server's user when root starts it: the least privileged one that can read the files.
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Person {
  uid: number;
  gid: number;
}

export interface WorkerUser extends Person {
  user: string;
  group: string;
}

/**
 * Returns `nobody` if that user can reach all `files`; else the owner of the first that it can't (a checkout in a
 * private home). Undefined when this process isn't root: the server can't change its user then.
 */
export async function workerUser(files: readonly string[]): Promise<WorkerUser | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const [users, groups] = await Promise.all([readFile('/etc/passwd', 'utf8'), readFile('/etc/group', 'utf8')]);
  const fields = lookUp(users, ([name]) => name === 'nobody');
  const nobody = fields && { uid: Number(fields[2]), gid: Number(fields[3]) };
  const { uid, gid } = nobody ? ((await firstBeyond(nobody, files)) ?? nobody) : await stat(files[0] as string);
  const user = lookUp(users, ([, , id]) => Number(id) === uid)?.[0];
  const group = lookUp(groups, ([, , id]) => Number(id) === gid)?.[0];
  // An owner without a name (a container's volume): nginx takes names only, and root can read everything.
  return user && group ? { user, group, uid, gid } : { user: 'root', group: 'root', uid: 0, gid: 0 };
}

/** The owner of the first file that the person can't reach. */
async function firstBeyond(person: Person, files: readonly string[]): Promise<Person | undefined> {
  for (const file of files) if (!(await canReach(file, person))) return await stat(file);
  return undefined;
}

/** True if the permission bits let a person read the file and pass every folder above it. */
export async function canReach(path: string, { uid, gid }: Person): Promise<boolean> {
  const file = await realpath(path);
  const allows = async (entry: string, right: 4 | 1) => {
    const { mode, uid: owner, gid: group } = await stat(entry);
    const shift = owner === uid ? 6 : group === gid ? 3 : 0;
    return ((mode >> shift) & right) !== 0;
  };
  if (!(await allows(file, 4))) return false;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (!(await allows(folder, 1))) return false;
    if (folder === dirname(folder)) return true;
  }
}

function lookUp(table: string, matches: (fields: string[]) => boolean): string[] | undefined {
  return table
    .split('\n')
    .map((line) => line.split(':'))
    .find(matches);
}
