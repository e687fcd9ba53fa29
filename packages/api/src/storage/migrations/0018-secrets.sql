-- What pages need first and nobody may read again: sealed by a key that is not in the database.
CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  sealed BLOB NOT NULL,
  hosts TEXT NOT NULL,
  changedAt TEXT NOT NULL,
  changedBy TEXT
) STRICT;
