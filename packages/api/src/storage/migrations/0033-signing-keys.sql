-- Keys by which the service knows addresses that it signed. A copy of the database takes them along, so the addresses hold there too.
CREATE TABLE signing_keys (
  purpose TEXT PRIMARY KEY,
  key BLOB NOT NULL CHECK (length(key) = 32)
) STRICT;
