-- Conditions of users, and what links were measured to do. The presets are code; campaigns carry their conditions whole.

CREATE TABLE conditions (
  name TEXT PRIMARY KEY,
  document TEXT NOT NULL CHECK (json_valid(document))
) STRICT, WITHOUT ROWID;

CREATE TABLE link_checks (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  roundId INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL, -- of the round
  condition TEXT NOT NULL,
  checkedAt TEXT NOT NULL,
  document TEXT NOT NULL CHECK (json_valid(document))
) STRICT;
CREATE INDEX link_checks_of_campaign ON link_checks (campaignId);
CREATE INDEX link_checks_of_round ON link_checks (roundId, attempt);

-- Up to here there was one condition, named native; from here on a campaign has the whole of each.
UPDATE campaigns SET spec = json_set(spec, '$.conditions', json('[{"name":"native","up":{},"down":{}}]'));

-- And one link, the machine's own network. Ids stay as they are, since visits refer to them: of these rows they are the hash of the
-- older form. Keys are in alphabetical order, as in every stored document.
UPDATE environments SET document = json_set(
  document,
  '$.link',
  json_object(
    'backend', 'direct',
    'congestionControl', document ->> '$.link.congestionControl',
    'kernel', NULL,
    'offloads', 'machine',
    'priority', 'none'
  )
);
