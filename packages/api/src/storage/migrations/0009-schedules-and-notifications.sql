-- Cron expressions with the campaigns that they start, what became of each start, and whether nights got worse. Times that are
-- compared are milliseconds since 1970; the others are text.
CREATE TABLE schedules (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again: the jitter is made of it
  name TEXT NOT NULL UNIQUE,
  createdAt TEXT NOT NULL,
  createdBy TEXT,
  paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
  document TEXT NOT NULL CHECK (json_valid(document)), -- all else that was asked for
  nextDueAt INTEGER, -- the time of the cron expression; null: paused, or never again
  nextStartAt INTEGER, -- the same with jitter
  CHECK ((nextDueAt IS NULL) = (nextStartAt IS NULL))
) STRICT;
CREATE INDEX schedules_by_start ON schedules (nextStartAt) WHERE nextStartAt IS NOT NULL;

CREATE TABLE schedule_starts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  scheduleId INTEGER NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
  dueAt INTEGER, -- null: by hand
  decidedAt INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('started', 'missed', 'overlapping', 'failed')),
  campaignId INTEGER REFERENCES campaigns (id) ON DELETE SET NULL,
  words TEXT NOT NULL,
  UNIQUE (scheduleId, dueAt) -- however many processes look at one file: no time is decided on twice
) STRICT;
CREATE UNIQUE INDEX schedule_starts_of_campaign ON schedule_starts (campaignId) WHERE campaignId IS NOT NULL;

-- The primary metric of each done campaign of a schedule. Kept when its visits are not.
-- A series is what is comparable over campaigns: site, condition with its numbers, view, protocol, metric, and how it is measured.
CREATE TABLE schedule_medians (
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  series TEXT NOT NULL,
  median REAL NOT NULL,
  PRIMARY KEY (campaignId, series)
) STRICT, WITHOUT ROWID;

CREATE TABLE schedule_regressions (
  campaignId INTEGER PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
  document TEXT NOT NULL CHECK (json_valid(document))
) STRICT;

-- Who is told, and the outbox: a delivery is written in the transaction of what it tells of.
CREATE TABLE notification_targets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('webhook', 'slack')),
  url TEXT NOT NULL,
  events TEXT NOT NULL CHECK (json_valid(events)),
  campaigns TEXT NOT NULL CHECK (campaigns IN ('all', 'scheduled')),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  secret TEXT NOT NULL, -- as it is: signing needs the key itself
  createdAt TEXT NOT NULL
) STRICT;

CREATE TABLE notification_deliveries (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  targetId INTEGER NOT NULL REFERENCES notification_targets (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  campaignId INTEGER,
  scheduleId INTEGER,
  content TEXT CHECK (content IS NULL OR json_valid(content)), -- null: is made of the campaign's results before the first try
  createdAt TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'given-up')),
  attempts INTEGER NOT NULL DEFAULT 0,
  nextAttemptAt INTEGER, -- of a claimed one: when another process may take it over
  deliveredAt TEXT,
  lastError TEXT,
  CHECK ((state = 'waiting') = (nextAttemptAt IS NOT NULL))
) STRICT;
CREATE INDEX notification_deliveries_waiting ON notification_deliveries (nextAttemptAt) WHERE state = 'waiting';
CREATE INDEX notification_deliveries_of_target ON notification_deliveries (targetId, seq);
