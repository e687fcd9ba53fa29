import type { AuditEntry, Page } from '@pronghorn/core/schemas';
import type { Database } from '../storage/database.ts';
import { pageOf, type Slice } from '../storage/page.ts';
import type { Caller } from '../store/caller.ts';

type Row = { id: number; at: string; by: string | null; action: string; subject: string; detail: string };

/** What is written down. Never a token or another secret. */
export type AuditRecord = {
  /** Name of the token or schedule; null: this machine's own command. */
  by: string | null;
  /** Noun and verb: campaign.cancel, token.create. */
  action: string;
  /** Id or name of what was changed. */
  subject: string;
  detail?: Readonly<Record<string, unknown>>;
};

/** Owns the table audit: who changed what. Nothing in it is ever changed. */
export type AuditRepository = ReturnType<typeof createAuditRepository>;

/** @param now whole milliseconds since 1970. */
export function createAuditRepository(database: Database, now: () => number) {
  const insert = database.prepare<[string, string | null, string, string, string]>(
    'INSERT INTO audit (at, by, action, subject, detail) VALUES (?, ?, ?, ?, ?)',
  );
  const selectNewest = database.prepare<{ cursor: number | null; limit: number }, Row>(
    'SELECT * FROM audit WHERE @cursor IS NULL OR id < @cursor ORDER BY id DESC LIMIT @limit + 1',
  );
  /** Part of the transaction of the change. */
  function record({ by, action, subject, detail = {} }: AuditRecord): void {
    insert.run(new Date(now()).toISOString(), by, action, subject, JSON.stringify(detail));
  }

  return {
    record,
    /** What a caller changes; as `record`. */
    of: ({ access }: Pick<Caller, 'access'>, action: string, subject: string | number, detail?: AuditRecord['detail']): void =>
      record({ by: access.name, action, subject: String(subject), ...(detail && { detail }) }),

    /** Newest first. */
    page({ limit, cursor }: Slice): Page<AuditEntry> {
      return pageOf(
        selectNewest.all({ cursor, limit }),
        limit,
        ({ id, detail, ...row }) => ({ id: String(id), ...row, detail: JSON.parse(detail) as Record<string, unknown> }),
        ({ id }) => id,
      );
    },
  };
}
