-- Which evidence of visits there is. A file of the evidence folder is named by the SHA-256 of its content, so that equal content is there once. See
-- docs/decisions/0029-evidence.md.
CREATE TABLE evidence (
  visitSeq INTEGER NOT NULL REFERENCES visits (seq) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  campaignId INTEGER NOT NULL,
  hash BLOB NOT NULL,
  bytes INTEGER NOT NULL,
  mediaType TEXT NOT NULL,
  storedAt INTEGER NOT NULL, -- milliseconds since 1970
  rank INTEGER NOT NULL CHECK (rank IN (0, 1, 2, 3)), -- what goes first: 0 what its campaign's policy does without, 1 valid, 2 invalid or an outlier, 3 pinned
  gone TEXT CHECK (gone IN ('budget', 'policy', 'lost')), -- null: the file is there
  PRIMARY KEY (visitSeq, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_by_rank ON evidence (rank, campaignId, visitSeq) WHERE gone IS NULL;
CREATE INDEX evidence_by_hash ON evidence (hash);

-- The files that there are, and how many rows above need each. One that nobody needs any more goes before its row does.
CREATE TABLE evidence_files (
  hash BLOB PRIMARY KEY,
  bytes INTEGER NOT NULL,
  refs INTEGER NOT NULL DEFAULT 0 CHECK (refs >= 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_files_unused ON evidence_files (hash) WHERE refs = 0;

-- What is being received, with the room that it was promised.
CREATE TABLE evidence_incoming (
  name TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  since INTEGER NOT NULL -- milliseconds since 1970
) STRICT, WITHOUT ROWID;

-- Visits whose evidence somebody asked to keep.
CREATE TABLE evidence_pins (
  visitSeq INTEGER PRIMARY KEY REFERENCES visits (seq) ON DELETE CASCADE,
  pinnedAt INTEGER NOT NULL, -- milliseconds since 1970
  pinnedBy TEXT
) STRICT;

-- Sums of the above: files, incoming, and what each rank refers to. Kept by triggers, or each upload would add up all of it.
CREATE TABLE evidence_usage (
  what TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO evidence_usage (what, count, bytes)
VALUES ('files', 0, 0), ('incoming', 0, 0), ('rank-0', 0, 0), ('rank-1', 0, 0), ('rank-2', 0, 0), ('rank-3', 0, 0);

CREATE TRIGGER evidence_came AFTER INSERT ON evidence WHEN new.gone IS NULL BEGIN
  UPDATE evidence_files SET refs = refs + 1 WHERE hash = new.hash;
  UPDATE evidence_usage SET count = count + 1, bytes = bytes + new.bytes WHERE what = 'rank-' || new.rank;
END;
CREATE TRIGGER evidence_went AFTER DELETE ON evidence WHEN old.gone IS NULL BEGIN
  UPDATE evidence_files SET refs = refs - 1 WHERE hash = old.hash;
  UPDATE evidence_usage SET count = count - 1, bytes = bytes - old.bytes WHERE what = 'rank-' || old.rank;
END;
CREATE TRIGGER evidence_left AFTER UPDATE OF hash, bytes, rank, gone ON evidence WHEN old.gone IS NULL BEGIN
  UPDATE evidence_files SET refs = refs - 1 WHERE hash = old.hash;
  UPDATE evidence_usage SET count = count - 1, bytes = bytes - old.bytes WHERE what = 'rank-' || old.rank;
END;
CREATE TRIGGER evidence_is_there AFTER UPDATE OF hash, bytes, rank, gone ON evidence WHEN new.gone IS NULL BEGIN
  UPDATE evidence_files SET refs = refs + 1 WHERE hash = new.hash;
  UPDATE evidence_usage SET count = count + 1, bytes = bytes + new.bytes WHERE what = 'rank-' || new.rank;
END;
CREATE TRIGGER evidence_file_came AFTER INSERT ON evidence_files BEGIN
  UPDATE evidence_usage SET count = count + 1, bytes = bytes + new.bytes WHERE what = 'files';
END;
CREATE TRIGGER evidence_file_went AFTER DELETE ON evidence_files BEGIN
  UPDATE evidence_usage SET count = count - 1, bytes = bytes - old.bytes WHERE what = 'files';
END;
CREATE TRIGGER evidence_comes AFTER INSERT ON evidence_incoming BEGIN
  UPDATE evidence_usage SET count = count + 1, bytes = bytes + new.bytes WHERE what = 'incoming';
END;
CREATE TRIGGER evidence_grows AFTER UPDATE OF bytes ON evidence_incoming BEGIN
  UPDATE evidence_usage SET bytes = bytes + new.bytes - old.bytes WHERE what = 'incoming';
END;
CREATE TRIGGER evidence_arrived AFTER DELETE ON evidence_incoming BEGIN
  UPDATE evidence_usage SET count = count - 1, bytes = bytes - old.bytes WHERE what = 'incoming';
END;
CREATE TRIGGER evidence_removed_total AFTER UPDATE OF gone ON evidence WHEN old.gone IS NULL AND new.gone IS NOT NULL BEGIN
  INSERT INTO totals (what, labels, count) VALUES ('evidence-removed', json_object('why', new.gone), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
