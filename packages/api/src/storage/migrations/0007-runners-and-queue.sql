-- Runners, and what decides whose round is lent next. Times that are compared are milliseconds since 1970, as those of leases.

CREATE TABLE runners (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  instance TEXT NOT NULL, -- of the process; a new one takes the place of the one before
  location TEXT,
  version TEXT NOT NULL,
  protocol INTEGER NOT NULL,
  capabilities TEXT NOT NULL CHECK (json_valid(capabilities)),
  machine TEXT NOT NULL CHECK (json_valid(machine)),
  tokenId INTEGER REFERENCES tokens (id), -- that it registered with; null: access was open
  registeredAt INTEGER NOT NULL,
  seenAt INTEGER NOT NULL,
  doing TEXT NOT NULL DEFAULT 'working' CHECK (doing IN ('working', 'draining', 'stopped')),
  trouble TEXT,
  cpuShare REAL,
  -- The campaign that it stays with for a while, and since when.
  turnCampaignId INTEGER REFERENCES campaigns (id) ON DELETE SET NULL,
  turnBeganAt INTEGER
) STRICT;
CREATE INDEX runners_turns ON runners (turnCampaignId) WHERE turnCampaignId IS NOT NULL;

ALTER TABLE leases ADD COLUMN runnerId INTEGER REFERENCES runners (id) ON DELETE SET NULL; -- null: not registered
ALTER TABLE leases ADD COLUMN tokenId INTEGER REFERENCES tokens (id); -- of who asked for it; null: access was open
ALTER TABLE leases ADD COLUMN failed INTEGER NOT NULL DEFAULT 0 CHECK (failed IN (0, 1)); -- released because its runner failed
ALTER TABLE leases ADD COLUMN endedAt INTEGER; -- null: it is active, or ended before this was written down
CREATE INDEX leases_active_of_runner ON leases (runnerId) WHERE state = 'active';
CREATE INDEX leases_completed ON leases (endedAt) WHERE state = 'completed';
CREATE INDEX leases_lost ON leases (endedAt) WHERE state = 'lost';

-- What its runners failed at goes behind the other rounds of its campaign.
ALTER TABLE rounds ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
DROP INDEX rounds_queued;
CREATE INDEX rounds_queued ON rounds (campaignId, failures) WHERE state = 'queued';

-- One row for each campaign: what its runner must be able to do, and its place in the order. Lending looks at the campaigns that have
-- queued rounds, never at a million rounds.
CREATE TABLE queue_entries (
  campaignId INTEGER PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
  rank INTEGER NOT NULL CHECK (rank BETWEEN 0 AND 2), -- of its priority: 0 goes first
  location TEXT, -- null: any
  shapes INTEGER NOT NULL CHECK (shapes IN (0, 1)), -- whether a condition of it must be put on the link
  engine TEXT NOT NULL,
  browser TEXT NOT NULL,
  queuedAt INTEGER NOT NULL,
  waitingSince INTEGER NOT NULL, -- when a round of it was lent last, or when it was queued
  queued INTEGER NOT NULL DEFAULT 0, -- rounds
  leased INTEGER NOT NULL DEFAULT 0 -- rounds
) STRICT;
CREATE INDEX queue_entries_waiting ON queue_entries (campaignId) WHERE queued > 0;

INSERT INTO queue_entries (campaignId, rank, location, shapes, engine, browser, queuedAt, waitingSince, queued, leased)
SELECT
  id,
  CASE priority WHEN 'interactive' THEN 0 WHEN 'ci' THEN 1 ELSE 2 END,
  location,
  EXISTS (SELECT 1 FROM json_each(spec, '$.conditions') WHERE value ->> '$.name' <> 'native'),
  coalesce(spec ->> '$.engine', 'puppeteer'),
  coalesce(spec ->> '$.browser', 'chrome'),
  coalesce(unixepoch(createdAt), 0) * 1000,
  coalesce(unixepoch(createdAt), 0) * 1000,
  (SELECT count(*) FROM rounds WHERE campaignId = campaigns.id AND state = 'queued'),
  (SELECT count(*) FROM rounds WHERE campaignId = campaigns.id AND state = 'leased')
FROM campaigns;

-- Counted here, so that they are right whatever changes a round.
CREATE TRIGGER rounds_count_inserted AFTER INSERT ON rounds WHEN new.state IN ('queued', 'leased') BEGIN
  UPDATE queue_entries SET queued = queued + (new.state = 'queued'), leased = leased + (new.state = 'leased') WHERE campaignId = new.campaignId;
END;
CREATE TRIGGER rounds_count_changed AFTER UPDATE OF state ON rounds WHEN old.state <> new.state BEGIN
  UPDATE queue_entries
  SET queued = queued + (new.state = 'queued') - (old.state = 'queued'), leased = leased + (new.state = 'leased') - (old.state = 'leased')
  WHERE campaignId = new.campaignId;
END;
CREATE TRIGGER rounds_count_deleted AFTER DELETE ON rounds WHEN old.state IN ('queued', 'leased') BEGIN
  UPDATE queue_entries SET queued = queued - (old.state = 'queued'), leased = leased - (old.state = 'leased') WHERE campaignId = old.campaignId;
END;
