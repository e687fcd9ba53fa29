// Whose the files of a data folder are, and who else may read them.
import { chmodSync, chownSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes an empty file that nobody else may read: it will hold addresses with keys in them, and secrets. SQLite gives its log the same rights.
 * The group gets the rights that it has to the folder, if it may write there.
 */
export function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  if (isShared(dirname(file))) chmodSync(file, 0o660);
}

/** The rights of a folder within one that is shared by its group, or not. */
export const folderMode = (parent: string): number => (isShared(parent) ? 0o770 : 0o700);

const isShared = (folder: string) => (statSync(folder).mode & 0o020) !== 0;

/**
 * Gives files to the owner of their folder, where this process is root and the folder is somebody else's: a service that runs as another user
 * must be able to write them. Those that are missing are left out.
 */
export function giveToFolderOwner(...files: readonly string[]): void {
  if (process.getuid?.() !== 0) return;
  for (const file of files) {
    const { uid, gid } = statSync(dirname(file));
    if (uid !== 0 && existsSync(file)) chownSync(file, uid, gid);
  }
}
