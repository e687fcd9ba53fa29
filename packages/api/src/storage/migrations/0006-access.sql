CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('viewer', 'submitter', 'runner', 'admin')),
  hash BLOB NOT NULL UNIQUE, -- SHA-256; the token itself is nowhere
  createdAt TEXT NOT NULL,
  createdBy TEXT,
  expiresAt TEXT,
  lastUsedAt TEXT,
  revokedAt TEXT
) STRICT;
-- A name says in the audit log and on campaigns who it was: no two that can be used have the same.
CREATE UNIQUE INDEX tokens_name_once ON tokens (name) WHERE revokedAt IS NULL;

-- Browsers that are signed in. Each is worth what its token is worth, for a while.
CREATE TABLE sessions (
  hash BLOB PRIMARY KEY, -- SHA-256 of what the cookie holds
  tokenId INTEGER NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  expiresAt INTEGER NOT NULL -- milliseconds since 1970
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_expiry ON sessions (expiresAt);
CREATE INDEX sessions_of_token ON sessions (tokenId);

CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  by TEXT,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL CHECK (json_valid(detail))
) STRICT;

-- How many campaigns a token has waiting.
CREATE INDEX campaigns_unfinished ON campaigns (createdBy) WHERE state IN ('queued', 'running');
