// Addresses that say by themselves that they may be read, until a day: whoever has one needs no token, and can read nothing but what it names.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database } from '../../../storage/database.ts';
import type { Caller } from '../../../store/caller.ts';
import type { Tables } from '../../../store/tables.ts';

/** Owns the table signing_keys. */
export function createSigningKeysRepository(database: Database) {
  const select = database.prepare<[], { key: Buffer }>(`SELECT key FROM signing_keys WHERE purpose = 'addresses'`);
  const insert = database.prepare<[Buffer]>(`INSERT INTO signing_keys VALUES ('addresses', ?) ON CONFLICT DO NOTHING`);
  return {
    /** Undefined before the first address is signed. */
    find: (): Buffer | undefined => select.get()?.key,
    /** Makes it for the first address. */
    make(): Buffer {
      if (select.get() === undefined) insert.run(randomBytes(32));
      return (select.get() as { key: Buffer }).key;
    },
  };
}

function signatureOf(key: Buffer, { pathname, searchParams }: URL, of: string): Buffer {
  const query = new URLSearchParams(searchParams);
  query.delete('signature');
  query.sort();
  return createHmac('sha256', key).update(`${pathname}?${query}\n${of}`).digest();
}

/** Ids of sites are given anew when their last campaign is gone; those of gates never. */
function subjectOf({ sites }: Pick<Tables, 'sites'>, noun: 'gate' | 'site', id: number): string {
  const site = noun === 'gate' ? undefined : sites.find(id);
  return site === undefined ? '' : `${site.url} ${site.expectStatus}`;
}

export type SignedThing = { noun: 'gate' | 'site'; id: number };

export const badgeCommands = (tables: Pick<Tables, 'audit' | 'signingKeys' | 'sites'>) => ({
  /**
   * @param query of the badge. @param expiresAt milliseconds since 1970.
   * @returns the path of the badge with its time and its signature.
   */
  sign({ noun, id }: SignedThing, query: Record<string, string>, expiresAt: number, caller: Caller): string {
    tables.audit.of(caller, `${noun}.sign-badge`, id, { ...query, expiresAt: new Date(expiresAt).toISOString() });
    const url = new URL(`/api/v1/${noun}s/${id}/badge.svg?${new URLSearchParams(query)}`, 'http://service');
    url.searchParams.set('expires', String(Math.floor(expiresAt / 1_000)));
    url.searchParams.set('signature', signatureOf(tables.signingKeys.make(), url, subjectOf(tables, noun, id)).toString('base64url'));
    return url.pathname + url.search;
  },
});

export const createBadgeReads = (tables: Pick<Tables, 'now' | 'signingKeys' | 'sites'>) => ({
  /** Whether a request's path was signed for what it names now, and its time is not over. */
  isSigned(path: string, { noun, id }: SignedThing): boolean {
    const url = URL.parse(path, 'http://service');
    const given = Buffer.from(url?.searchParams.get('signature') ?? '', 'base64url');
    const key = given.length === 32 ? tables.signingKeys.find() : undefined;
    if (url === null || key === undefined || !timingSafeEqual(given, signatureOf(key, url, subjectOf(tables, noun, id)))) return false;
    return Number(url.searchParams.get('expires')) * 1_000 > tables.now();
  },
});
