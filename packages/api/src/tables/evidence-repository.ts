import type { EvidenceGone, EvidenceKind, VisitEvidence } from '@pronghorn/core/schemas';
import type { Database } from '../storage/database.ts';

/** What evidence is worth when there is no room for all: the least goes first. Within a rank the oldest campaign does, and in it the oldest visit. */
export const ranks = { dispensable: 0, valid: 1, invalid: 2, pinned: 3 } as const;
export type Rank = (typeof ranks)[keyof typeof ranks];

/** Of one kind of one visit. */
export type EvidenceRow = {
  visitSeq: number;
  kind: EvidenceKind;
  campaignId: number;
  /** SHA-256 of the content, in hex. */
  hash: string;
  bytes: number;
  mediaType: string;
  /** Milliseconds since 1970. */
  storedAt: number;
  rank: Rank;
  /** Null: its file is there. */
  gone: Exclude<EvidenceGone, 'age'> | null;
};
/** As `hash` of `EvidenceRow`. */
export type EvidenceFile = { hash: string; bytes: number };
type Place = Pick<EvidenceRow, 'visitSeq' | 'kind' | 'campaignId' | 'hash' | 'bytes'>;
/** A hash as its column holds it. */
const blob = (hash: string): Buffer => Buffer.from(hash, 'hex');

/** Owns the tables evidence, evidence_files, evidence_incoming, evidence_pins and evidence_usage. */
export function createEvidenceRepository(database: Database) {
  const columns = 'visitSeq, kind, campaignId, lower(hex(hash)) AS hash, bytes, mediaType, storedAt, rank, gone';
  const select = database.prepare<[number, string], EvidenceRow>(`SELECT ${columns} FROM evidence WHERE visitSeq = ? AND kind = ?`);
  const selectOfVisit = database.prepare<[number], EvidenceRow>(`SELECT ${columns} FROM evidence WHERE visitSeq = ? ORDER BY kind`);
  const selectVisit = database.prepare<[string], { visitSeq: number; campaignId: number; rank: Rank }>(
    `SELECT seq AS visitSeq, campaignId, CASE
       WHEN EXISTS (SELECT 1 FROM evidence_pins WHERE visitSeq = seq) THEN ${ranks.pinned}
       WHEN verdict = 'invalid' OR netlog IS NOT NULL THEN ${ranks.invalid} ELSE ${ranks.valid} END AS rank
     FROM visits WHERE id = ? AND EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = campaignId AND deletedAt IS NULL)`,
  );
  const upsert = database.prepare<Omit<EvidenceRow, 'gone' | 'hash'> & { hash: Buffer }>(
    `INSERT INTO evidence (visitSeq, kind, campaignId, hash, bytes, mediaType, storedAt, rank)
     VALUES (@visitSeq, @kind, @campaignId, @hash, @bytes, @mediaType, @storedAt, @rank)
     ON CONFLICT DO UPDATE SET
       hash = excluded.hash, bytes = excluded.bytes, mediaType = excluded.mediaType, storedAt = excluded.storedAt, rank = excluded.rank, gone = NULL`,
  );
  const updateGone = database.prepare<[string, number, string]>('UPDATE evidence SET gone = ? WHERE visitSeq = ? AND kind = ?');
  const updateRank = database.prepare<[number, number]>('UPDATE evidence SET rank = ? WHERE visitSeq = ?');
  const updateLost = database.prepare<[Buffer]>(`UPDATE evidence SET gone = 'lost' WHERE hash = ? AND gone IS NULL`);
  const updateFound = database.prepare<[Buffer]>(`UPDATE evidence SET gone = NULL WHERE hash = ? AND gone = 'lost'`);
  const isLost = database.prepare<[Buffer], { bytes: number }>(`SELECT bytes FROM evidence WHERE hash = ? AND gone = 'lost' LIMIT 1`);
  const countThrough = database
    .prepare<[number, number], number>(
      `SELECT count(DISTINCT visitSeq) FROM evidence WHERE visitSeq > ? AND visitSeq <= ? AND rank <> ${ranks.pinned} AND gone IS NULL`,
    )
    .pluck();
  const deleteThrough = database.prepare<[number, number]>(
    `DELETE FROM evidence WHERE visitSeq > ? AND visitSeq <= ? AND rank <> ${ranks.pinned}`,
  );
  const deleteOfVisit = database.prepare<[number]>('DELETE FROM evidence WHERE visitSeq = ?');

  const insertFile = database.prepare<[Buffer, number]>('INSERT INTO evidence_files (hash, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const selectFile = database.prepare<[Buffer], { bytes: number; refs: number }>('SELECT bytes, refs FROM evidence_files WHERE hash = ?');
  const selectFolder = database.prepare<[Buffer, Buffer], EvidenceFile>(
    'SELECT lower(hex(hash)) AS hash, bytes FROM evidence_files WHERE hash >= ? AND hash <= ?',
  );
  const selectUnused = database.prepare<[number], EvidenceFile>(
    'SELECT lower(hex(hash)) AS hash, bytes FROM evidence_files WHERE refs = 0 LIMIT ?',
  );
  const sumUnused = database.prepare<[], number>('SELECT coalesce(sum(bytes), 0) FROM evidence_files WHERE refs = 0').pluck();
  const deleteFile = database.prepare<[Buffer]>('DELETE FROM evidence_files WHERE hash = ? AND refs = 0');

  const upsertIncoming = database.prepare<[string, number, number]>(
    'INSERT INTO evidence_incoming (name, bytes, since) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes',
  );
  const deleteIncoming = database.prepare<[string]>('DELETE FROM evidence_incoming WHERE name = ?');
  const selectStale = database.prepare<[number], { name: string }>('SELECT name FROM evidence_incoming WHERE since < ?');
  const promised = database.prepare<[string], number>('SELECT bytes FROM evidence_incoming WHERE name = ?').pluck();

  const selectUsage = database.prepare<[], { what: string; count: number; bytes: number }>('SELECT * FROM evidence_usage');
  const bytesOfRank = database.prepare<[string], number>('SELECT bytes FROM evidence_usage WHERE what = ?').pluck();
  const usedBytes = database.prepare<[], number>(`SELECT sum(bytes) FROM evidence_usage WHERE what IN ('files', 'incoming')`).pluck();
  const selectFirst = database.prepare<[Rank], Place>(
    `SELECT visitSeq, kind, campaignId, lower(hex(hash)) AS hash, bytes FROM evidence INDEXED BY evidence_by_rank
     WHERE gone IS NULL AND rank = ? ORDER BY campaignId, visitSeq LIMIT 1`,
  );
  const newest = database
    .prepare<[Rank], number | null>('SELECT max(campaignId) FROM evidence INDEXED BY evidence_by_rank WHERE gone IS NULL AND rank = ?')
    .pluck();
  const selectNext = database
    .prepare<[Rank, number], number | null>(
      'SELECT min(campaignId) FROM evidence INDEXED BY evidence_by_rank WHERE gone IS NULL AND rank = ? AND campaignId > ?',
    )
    .pluck();
  const selectOfRank = database.prepare<[Rank, number, number], Place & { storedAt: number }>(
    `SELECT visitSeq, kind, campaignId, lower(hex(hash)) AS hash, bytes, storedAt FROM evidence INDEXED BY evidence_by_rank
     WHERE gone IS NULL AND rank = ? AND campaignId = ? ORDER BY visitSeq LIMIT ?`,
  );
  const lastStored = database
    .prepare<[Rank, number], number | null>('SELECT max(storedAt) FROM evidence WHERE gone IS NULL AND rank = ? AND campaignId = ?')
    .pluck();

  const selectPin = database.prepare<[number], { pinnedAt: number }>('SELECT pinnedAt FROM evidence_pins WHERE visitSeq = ?');
  const insertPin = database.prepare<[number, number, string | null]>(
    'INSERT INTO evidence_pins (visitSeq, pinnedAt, pinnedBy) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const deletePin = database.prepare<[number]>('DELETE FROM evidence_pins WHERE visitSeq = ?');
  const anyVisit = database.prepare<[]>('SELECT 1 FROM visits LIMIT 1');

  return {
    find: (visitSeq: number, kind: EvidenceKind): EvidenceRow | undefined => select.get(visitSeq, kind),
    /** What a visit's evidence is stored under; undefined: there is no such visit. */
    placeOf: (visitId: string) => selectVisit.get(visitId),
    anyVisit: (): boolean => anyVisit.get() !== undefined,

    ofVisit: (visitSeq: number): VisitEvidence => ({
      pinned: selectPin.get(visitSeq) !== undefined,
      files: selectOfVisit.all(visitSeq).map(({ kind, mediaType, bytes, hash, storedAt, gone }) => ({
        kind,
        mediaType,
        bytes,
        sha256: hash,
        storedAt: new Date(storedAt).toISOString(),
        gone,
      })),
    }),

    /** @returns whether it was not there before. */
    store(row: Omit<EvidenceRow, 'gone'>): boolean {
      const before = select.get(row.visitSeq, row.kind);
      insertFile.run(blob(row.hash), row.bytes);
      upsert.run({ ...row, hash: blob(row.hash) });
      return before === undefined || before.gone !== null;
    },

    markGone: (why: NonNullable<EvidenceRow['gone']>, { visitSeq, kind }: Pick<Place, 'visitSeq' | 'kind'>): void =>
      void updateGone.run(why, visitSeq, kind),
    /** All that has this content. @returns how many. */
    markLost: (hash: string): number => updateLost.run(blob(hash)).changes,
    /** The size of content that was lost; undefined: none of this hash was. */
    lostBytes: (hash: string): number | undefined => isLost.get(blob(hash))?.bytes,
    /** That what was lost is there again. */
    markFound(hash: string, bytes: number): void {
      insertFile.run(blob(hash), bytes);
      updateFound.run(blob(hash));
    },

    /** Visits after `seq` up to `through` with evidence that is not pinned. */
    countThrough: (seq: number, through: number): number => countThrough.get(seq, through) ?? 0,
    deleteThrough: (seq: number, through: number): void => void deleteThrough.run(seq, through),
    deleteOfVisit: (visitSeq: number): void => void deleteOfVisit.run(visitSeq),

    file: (hash: string) => selectFile.get(blob(hash)),
    /** Those whose name begins with these two digits. */
    filesOf: (folder: string): EvidenceFile[] => selectFolder.all(blob(folder.padEnd(64, '0')), blob(folder.padEnd(64, 'f'))),
    unused: (atMost: number): EvidenceFile[] => selectUnused.all(atMost),
    unusedBytes: (): number => sumUnused.get() ?? 0,
    deleteFile: (hash: string): void => void deleteFile.run(blob(hash)),

    promise: (name: string, bytes: number, since: number): void => void upsertIncoming.run(name, bytes, since),
    promised: (name: string): number => promised.get(name) ?? 0,
    endPromise: (name: string): void => void deleteIncoming.run(name),
    stale: (before: number): string[] => selectStale.all(before).map(({ name }) => name),

    /** Of all files, those included that are being received. */
    usedBytes: (): number => usedBytes.get() ?? 0,
    usage: () => selectUsage.all(),

    /**
     * What goes next when there is no room; undefined: all that is left is pinned. Valid visits' before invalid ones', and what is left of older campaigns
     * before the newest's. Invalid ones have half of the budget for sure: beyond it their oldest go before what is valid in the newest campaign.
     */
    next(budgetBytes: number): Place | undefined {
      const dispensable = selectFirst.get(ranks.dispensable);
      if (dispensable !== undefined) return dispensable;
      const [valid, invalid] = [selectFirst.get(ranks.valid), selectFirst.get(ranks.invalid)];
      if (valid === undefined || invalid === undefined) return valid ?? invalid;
      const isOfNewest = valid.campaignId >= (newest.get(ranks.invalid) ?? 0) && valid.campaignId === newest.get(ranks.valid);
      const tooManyInvalid = (bytesOfRank.get(`rank-${ranks.invalid}`) ?? 0) > budgetBytes / 2;
      return isOfNewest && tooManyInvalid ? invalid : valid;
    },

    /** The next campaign with evidence of a rank; undefined: there is none. */
    campaignAfter: (rank: Rank, campaignId: number): number | undefined => selectNext.get(rank, campaignId) ?? undefined,
    ofRank: (rank: Rank, campaignId: number, atMost: number): Place[] => selectOfRank.all(rank, campaignId, atMost),
    /** Milliseconds since 1970. */
    lastStored: (rank: Rank, campaignId: number): number | undefined => lastStored.get(rank, campaignId) ?? undefined,
    setRank: (visitSeq: number, rank: Rank): void => void updateRank.run(rank, visitSeq),

    pin: (visitSeq: number, at: number, by: string | null): void => void insertPin.run(visitSeq, at, by),
    unpin: (visitSeq: number): void => void deletePin.run(visitSeq),
  };
}
