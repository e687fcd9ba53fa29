// The line by which servers show that this service may load them. It is no secret: whoever may be loaded serves it to everybody.
import { randomBytes } from 'node:crypto';
import { type Database, openDatabase } from '../../../storage/database.ts';

/** Of a database, made when it is first asked for; of two processes that ask at once, both get the same. */
export function ownershipToken(database: Database): string {
  const select = database.prepare<[], { token: string }>('SELECT token FROM ownership_token');
  const known = select.get();
  if (known !== undefined) return known.token;
  database
    .prepare('INSERT INTO ownership_token (one, token) VALUES (1, ?) ON CONFLICT DO NOTHING')
    .run(`pronghorn-${randomBytes(16).toString('hex')}`);
  return (select.get() as { token: string }).token;
}

/**
 * The same of a database's file, whether a service runs on it or not.
 *
 * @throws Error as openDatabase.
 */
export function readOwnershipToken(file: string): string {
  const database = openDatabase(file);
  try {
    return ownershipToken(database);
  } finally {
    database.close();
  }
}
