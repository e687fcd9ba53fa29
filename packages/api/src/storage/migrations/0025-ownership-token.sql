-- By what servers show that they may be loaded with REST calls: one line for the whole service, which is no secret.
CREATE TABLE ownership_token (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  token TEXT NOT NULL
) STRICT;
