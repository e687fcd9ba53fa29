// Seals secrets at rest: AES-256-GCM (NIST SP 800-38D), with a key in a file of its own beside the database.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ProblemError } from '../shared/problems.ts';
import { giveToFolderOwner } from './folder-owner.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** @throws ProblemError secrets-locked where the key can't be used. */
export interface Seal {
  /** @param name bound to the secret: sealed under one name it can't be opened under another */
  close(secret: string, name: string): Buffer;
  /** @throws ProblemError secrets-locked also where it was sealed with another key or for another name, or was changed */
  open(sealed: Buffer, name: string): string;
}

/** By the key beside a database's file, `secrets.key`; of a database in memory, by one of this process alone. */
export const sealBeside = (database: string): Seal => createSeal(database === ':memory:' ? null : join(dirname(database), 'secrets.key'));

/**
 * @param keyFile made with 32 random bytes, readable by its owner alone, when the first secret is sealed. Null: the key is of this process
 *   alone, as the database in memory is.
 */
function createSeal(keyFile: string | null): Seal {
  let key: Buffer | undefined;
  const keyOf = (): Buffer => {
    key ??= keyFile === null ? randomBytes(32) : keyIn(keyFile);
    return key;
  };
  return {
    close(secret, name) {
      if (keyFile !== null && key === undefined) makeKey(keyFile);
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', keyOf(), nonce).setAAD(Buffer.from(name));
      return Buffer.concat([nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, name) {
      const decipher = createDecipheriv('aes-256-gcm', keyOf(), sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(name)).setAuthTag(sealed.subarray(-tagBytes));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8');
      } catch {
        key = undefined; // the right one may be brought back meanwhile
        throw locked(`The secret ${name} can't be opened: secrets.key beside the database is not the one that sealed it.`);
      }
    },
  };
}

function keyIn(file: string): Buffer {
  let key: Buffer;
  try {
    key = readFileSync(file);
  } catch (error) {
    throw locked(`The key of sealed secrets, secrets.key beside the database, can't be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (key.length !== 32) throw locked(`The key of sealed secrets, secrets.key beside the database, has ${key.length} bytes; expected 32.`);
  return key;
}

/** Where there is none. Whole or not at all: a full disk or a kill must not leave a part of it in its place. */
function makeKey(file: string): void {
  const making = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(making, randomBytes(32), { flag: 'wx', mode: 0o600, flush: true });
    giveToFolderOwner(making);
    linkSync(making, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process's is first, or an earlier one's
  } finally {
    rmSync(making, { force: true });
  }
}

const locked = (what: string): ProblemError =>
  new ProblemError('secrets-locked', `${what} Bring the right one back; without it, remove the file and put each secret again.`);
