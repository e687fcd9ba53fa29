import { type SealedSecret, SecretUpload, secretName } from '@pronghorn/core/schemas';
import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { ProblemError } from '../../../problems.ts';
import { openDatabase } from '../../../storage/database.ts';
import { createAuditRepository } from '../audit/audit-repository.ts';
import { sealBeside } from './seal.ts';
import { createSecretsRepository } from './secrets-repository.ts';

/**
 * The sealed secrets of a database, for whoever may write its file and the key beside it. A service that runs on the same file need not be
 * stopped: it opens what is sealed when a runner asks.
 *
 * @param options.now whole milliseconds since 1970; default the machine's clock.
 * @throws Error as openDatabase.
 */
export function openSecrets(file: string, { now = Date.now }: { now?: () => number } = {}) {
  const database = openDatabase(file);
  const secrets = createSecretsRepository(database, sealBeside(file), now);
  const audit = createAuditRepository(database, now);
  return {
    /** In place of one of this name. @throws ProblemError invalid-request. */
    put(name: string, upload: SecretUpload): SealedSecret {
      const wrong = problemOf(name, upload);
      if (wrong !== undefined) throw new ProblemError('invalid-request', wrong);
      return database
        .transaction(() => {
          audit.record({ by: null, action: 'secret.put', subject: name, detail: { hosts: upload.hosts } });
          return secrets.put(name, upload, null);
        })
        .immediate();
    },

    /** By name; values stay sealed. */
    list: secrets.list,

    /** @throws ProblemError not-found. */
    delete(name: string): void {
      database
        .transaction(() => {
          if (!secrets.delete(name)) throw new ProblemError('not-found', `There is no secret ${name}.`);
          audit.record({ by: null, action: 'secret.delete', subject: name });
        })
        .immediate();
    },

    close: (): void => void database.close(),
  };
}

const fits = (schema: TSchema, value: unknown): boolean => Value.Check(schema, value);

/** Never with the value in it. */
function problemOf(name: string, { value, hosts }: SecretUpload): string | undefined {
  if (!fits(secretName, name))
    return `The name is "${name}"; expected up to 100 letters, digits, dots, dashes and underscores, a letter or digit first.`;
  if (!fits(SecretUpload.properties.value, value)) return `The value of ${name} has ${value.length} characters; expected 1 to 10,000.`;
  if (!fits(SecretUpload.properties.hosts, hosts))
    return `The hosts of ${name} are "${hosts.join(', ')}"; expected 1 to 50, each a host or *.host, without scheme, port and path.`;
  return undefined;
}
