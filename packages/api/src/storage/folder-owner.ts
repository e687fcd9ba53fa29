// Whose files are that root makes: a service that runs as another user must be able to write them.
import { chownSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Gives files to the owner of their folder, where this process is root and the folder is somebody else's. Those that are missing are left out. */
export function giveToFolderOwner(...files: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  for (const file of files) {
    const { uid, gid } = statSync(dirname(file));
    if (uid !== 0 && existsSync(file)) chownSync(file, uid, gid);
  }
}
