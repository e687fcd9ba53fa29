-- The resources of a visit are one packed value instead of seventy rows: a fifth of the bytes, and stored in half the time. What a text
-- is needed for is known by the last visit that uses it. See docs/decisions/0008-resource-storage.md.
CREATE TABLE packed_resources (
  visitSeq INTEGER PRIMARY KEY REFERENCES visits (seq) ON DELETE CASCADE,
  content BLOB NOT NULL
) STRICT;
INSERT INTO packed_resources (visitSeq, content)
SELECT visitSeq, packedResources(
  seq, url, host, method, type, initiatorType, initiatorUrl, linked, protocol, connectionId, connectionReused, remoteAddress,
  alternateProtocolUsage, startUs, queueingUs, dnsUs, connectUs, tlsUs, sendUs, waitUs, receiveUs, endUs, bodyBytes, transferBytes, status,
  mimeType, priority, cache, server, altSvc, failure)
FROM resources GROUP BY visitSeq;
DROP TABLE resources;
ALTER TABLE packed_resources RENAME TO resources;

-- Found by a hash, since an index of the texts themselves holds each a second time. No visit after usedUntil has the text.
CREATE TABLE hashed_strings (
  id INTEGER PRIMARY KEY,
  hash INTEGER NOT NULL,
  usedUntil INTEGER NOT NULL, -- a visit's seq
  value TEXT NOT NULL
) STRICT;
INSERT INTO hashed_strings (id, hash, usedUntil, value)
SELECT id, textHash(value), coalesce((SELECT max(seq) FROM visits), 0), value FROM strings ORDER BY id;
DROP TABLE strings;
ALTER TABLE hashed_strings RENAME TO strings;
CREATE INDEX strings_by_hash ON strings (hash);

-- HAR files of others, counted: which hosts said by Alt-Svc that they speak which versions of HTTP/3 and QUIC.
CREATE TABLE imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  createdAt TEXT NOT NULL,
  createdBy TEXT,
  name TEXT, -- as the sender calls it
  contentHash TEXT NOT NULL UNIQUE, -- SHA-256 of the HAR, unpacked: the same file counts once
  creator TEXT,
  pages INTEGER NOT NULL,
  requests INTEGER NOT NULL
) STRICT;

-- One row for each answer of a host that differs in what it says.
CREATE TABLE import_hosts (
  importId INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
  month TEXT NOT NULL, -- YYYY-MM
  host TEXT NOT NULL,
  server TEXT NOT NULL, -- the Server header; empty where there is none
  versions TEXT NOT NULL CHECK (json_valid(versions)), -- a JSON list, sorted
  provider TEXT NOT NULL,
  documents INTEGER NOT NULL, -- main documents among the responses
  responses INTEGER NOT NULL,
  PRIMARY KEY (importId, month, host, server, versions)
) STRICT, WITHOUT ROWID;
