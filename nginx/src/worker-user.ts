// Whom nginx's workers run as when nginx is started by root: somebody with as few rights as can read the sites.
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface Person {
  uid: number;
  gid: number;
}

/**
 * nginx's `user` directive: nobody, where nobody can reach `file`; else the file's owner (a checkout in somebody's
 * private home). Undefined when this process isn't root: nginx can't change its user then.
 */
export async function workerUser(file: string): Promise<string | undefined> {
  if (process.geteuid?.() !== 0) return undefined;
  const [users, groups] = await Promise.all([readFile('/etc/passwd', 'utf8'), readFile('/etc/group', 'utf8')]);
  const nobody = lookUp(users, (fields) => fields[0] === 'nobody');
  const person = nobody && { uid: Number(nobody[2]), gid: Number(nobody[3]) };
  const { uid, gid } = person && (await canReach(file, person)) ? person : await stat(file);
  const user = lookUp(users, (fields) => Number(fields[2]) === uid)?.[0];
  const group = lookUp(groups, (fields) => Number(fields[2]) === gid)?.[0];
  // An owner without a name (a container's volume): nginx takes names only, and root can read everything.
  return user && group ? `${user} ${group}` : 'root root';
}

/** Whether the permission bits let a person read the file and pass every folder above it. */
export async function canReach(file: string, { uid, gid }: Person): Promise<boolean> {
  const allows = async (path: string, right: 4 | 1) => {
    const { mode, uid: owner, gid: group } = await stat(path);
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
