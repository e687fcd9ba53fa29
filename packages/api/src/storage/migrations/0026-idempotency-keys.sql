-- What was made under which Idempotency-Key, so that a request that is sent again makes nothing twice. tokenId: 0 where access is open.
CREATE TABLE idempotency_keys (
  tokenId INTEGER NOT NULL,
  key TEXT NOT NULL,
  request BLOB NOT NULL,
  made TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  PRIMARY KEY (tokenId, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (createdAt);
