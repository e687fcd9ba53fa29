// Where a laptop keeps what it measured.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface DataFolder {
  path: string;
  database: string;
  evidence: string;
  origin: string;
}

/** The folder named by --data or PRONGHORN_DATA, else .pronghorn in this checkout; made when it isn't there. */
export function dataFolder(named: string | undefined): DataFolder {
  const path = resolve(named ?? process.env.PRONGHORN_DATA ?? fileURLToPath(new URL('../../../.pronghorn', import.meta.url)));
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new UsageError(`The data folder ${path} can't be made (${(error as NodeJS.ErrnoException).code}). Name another with --data.`);
  }
  return { path, database: join(path, 'pronghorn.db'), evidence: join(path, 'evidence'), origin: join(path, 'origin') };
}

/** Something that the person at the terminal can mend: told without a stack trace, exit code 2. */
export class UsageError extends Error {}
