import type { BadgeQuery, Page, PublicLink, PublicLinkKind } from '@pronghorn/core/schemas';
import type { Database } from '../storage/database.ts';
import { pageOf, rowId, type Slice } from '../storage/page.ts';
import { newSecret, secretHash } from './tokens-repository.ts';

/** What a link opens: one of the three. */
export type Opened = { campaignId: number | null; gateId: number | null; siteId: number | null };
type Row = Opened &
  Pick<PublicLink, 'createdAt' | 'createdBy' | 'expiresAt' | 'lastUsedAt' | 'revokedAt'> & {
    id: number;
    kind: PublicLinkKind;
    shows: string;
  };

/** A link that can be used now, and for how much longer unless it is revoked. */
export type LivePublicLink = Opened & { id: number; kind: PublicLinkKind; shows: BadgeQuery; leftMs: number };

/** Found by programs that search logs and repositories for secrets, and told from a token: `prl_[0-9a-f]{64}`. */
const prefix = 'prl_';
export const isPublicLinkSecret = (text: string): boolean => text.startsWith(prefix);

/** Owns the table public_links. */
export type PublicLinksRepository = ReturnType<typeof createPublicLinksRepository>;

/**
 * @param now whole milliseconds since 1970.
 * @param allowedDays for how long results and cards may be public, whenever their link was made; null: they may not.
 */
export function createPublicLinksRepository(database: Database, now: () => number, allowedDays: number | null) {
  const insert = database.prepare<
    Opened & { kind: PublicLinkKind; shows: string; hash: Buffer; createdAt: string; createdBy: string | null; expiresAt: string }
  >(
    `INSERT INTO public_links (kind, campaignId, gateId, siteId, shows, hash, createdAt, createdBy, expiresAt)
     VALUES (@kind, @campaignId, @gateId, @siteId, @shows, @hash, @createdAt, @createdBy, @expiresAt)`,
  );
  const select = database.prepare<[number], Row>('SELECT * FROM public_links WHERE id = ?');
  const selectByHash = database.prepare<[Buffer], Row>('SELECT * FROM public_links WHERE hash = ?');
  const isOf =
    '(@campaignId IS NULL OR campaignId = @campaignId) AND (@gateId IS NULL OR gateId = @gateId) AND (@siteId IS NULL OR siteId = @siteId)';
  const selectNewest = database.prepare<Opened & { cursor: number | null; limit: number }, Row>(
    `SELECT * FROM public_links WHERE ${isOf} AND (@cursor IS NULL OR id < @cursor) ORDER BY id DESC LIMIT @limit + 1`,
  );
  const countLive = database.prepare<Opened & { now: string }, { n: number }>(
    `SELECT count(*) AS n FROM public_links WHERE ${isOf} AND revokedAt IS NULL AND expiresAt > @now`,
  );
  const updateUse = database.prepare<[string, number]>('UPDATE public_links SET lastUsedAt = ? WHERE id = ?');
  const updateRevoked = database.prepare<[string, number]>('UPDATE public_links SET revokedAt = ? WHERE id = ? AND revokedAt IS NULL');

  const removeEnded = database.prepare<[string]>('DELETE FROM public_links WHERE min(expiresAt, ifnull(revokedAt, expiresAt)) < ?');

  const timeNow = () => new Date(now()).toISOString();
  /** By id, when links were used since that was last stored: who reads shall not have to write. */
  const uses = new Map<number, string>();

  /** An operator who allows less, or nothing any more, means the links that are there too. */
  const endOf = ({ kind, createdAt, expiresAt }: Row): number => {
    if (kind === 'badge') return Date.parse(expiresAt);
    return allowedDays === null ? 0 : Math.min(Date.parse(expiresAt), Date.parse(createdAt) + allowedDays * 86_400_000);
  };
  const idOf = (row: number | null) => (row === null ? null : String(row));
  const toLink = ({
    id,
    shows,
    campaignId,
    gateId,
    siteId,
    kind,
    createdAt,
    createdBy,
    expiresAt,
    lastUsedAt,
    revokedAt,
  }: Row): PublicLink => ({
    ...{ id: String(id), kind, campaignId: idOf(campaignId), gateId: idOf(gateId), siteId: idOf(siteId) },
    ...(JSON.parse(shows) as BadgeQuery),
    ...{ createdAt, createdBy, expiresAt, lastUsedAt: uses.get(id) ?? lastUsedAt, revokedAt },
  });

  return {
    /** Part of a transaction, with what is told of it. @returns the link with its secret, which is not kept. */
    create(link: Opened & { kind: PublicLinkKind; shows: BadgeQuery; createdBy: string | null; expiresAt: string }) {
      const secret = prefix + newSecret();
      const { lastInsertRowid } = insert.run({
        ...link,
        ...{ shows: JSON.stringify(link.shows), hash: secretHash(secret), createdAt: timeNow() },
      });
      return { link: toLink(select.get(Number(lastInsertRowid)) as Row), secret };
    },

    /** Undefined: it is unknown, revoked or over, or no longer allowed. */
    findLive(secret: string): LivePublicLink | undefined {
      const row = isPublicLinkSecret(secret) ? selectByHash.get(secretHash(secret)) : undefined;
      const leftMs = row === undefined || row.revokedAt !== null ? 0 : endOf(row) - now();
      if (row === undefined || leftMs <= 0) return undefined;
      uses.set(row.id, `${timeNow().slice(0, 16)}:00.000Z`);
      const { id, kind, campaignId, gateId, siteId, shows } = row;
      return { id, kind, campaignId, gateId, siteId, shows: JSON.parse(shows) as BadgeQuery, leftMs };
    },

    find(id: string): PublicLink | undefined {
      const row = select.get(rowId(id));
      return row && toLink(row);
    },

    /** Newest first, revoked and expired ones too. @param of null: any. */
    page: (of: Opened, { limit, cursor }: Slice): Page<PublicLink> =>
      pageOf(selectNewest.all({ ...of, cursor, limit }), limit, toLink, ({ id }) => id),

    countLive: (of: Opened): number => countLive.get({ ...of, now: timeNow() })?.n ?? 0,

    /** For good, from this moment on, in every process. @returns whether it was not revoked before. */
    revoke: (id: string): boolean => updateRevoked.run(timeNow(), rowId(id)).changes === 1,

    /** Those that ended before then. @param time ISO 8601 */
    forgetBefore: (time: string): void => void removeEnded.run(time),

    /** When links were used that were looked up here, as far as it is not stored: id and ISO 8601. */
    unstoredUses: (): [number, string][] => [...uses],
    setUses(used: readonly (readonly [number, string])[]): void {
      for (const [id, at] of used) updateUse.run(at, id);
    },
    /** They are stored. */
    forgetUses(stored: readonly (readonly [number, string])[]): void {
      for (const [id, at] of stored) if (uses.get(id) === at) uses.delete(id);
    },
  };
}
