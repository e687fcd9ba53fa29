// Seals secrets at rest: AES-256-GCM (NIST SP 800-38D), with a key in a file of its own beside the database.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { giveToFolderOwner } from '../../../storage/folder-owner.ts';

const nonceBytes = 12;
const tagBytes = 16;

export interface Seal {
  /** @param name bound to the secret: sealed under one name it can't be opened under another */
  close(secret: string, name: string): Buffer;
  /** @throws Error where it was sealed with another key or for another name, or was changed */
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
        throw new Error(`The secret ${name} can't be opened: ${keyFile ?? 'the key'} is not the one that sealed it. Put it again.`);
      }
    },
  };
}

function keyIn(file: string): Buffer {
  try {
    writeFileSync(file, randomBytes(32), { flag: 'wx', mode: 0o600 });
    giveToFolderOwner(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = readFileSync(file);
  if (key.length !== 32)
    throw new Error(`The key of sealed secrets ${file} has ${key.length} bytes; expected 32. Bring it back from a backup.`);
  return key;
}
