PRAGMA application_id = 1347571534;
PRAGMA user_version = 15;
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  by TEXT,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  detail TEXT NOT NULL CHECK (json_valid(detail))
) STRICT;
CREATE TABLE campaign_log (
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  afterVisit INTEGER NOT NULL,
  time TEXT NOT NULL,
  level TEXT NOT NULL CHECK (level IN ('info', 'warn')),
  event TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (campaignId, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE campaign_progress (
  campaignId INTEGER PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
  queued INTEGER NOT NULL DEFAULT 0,
  leased INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0,
  visitsValid INTEGER NOT NULL DEFAULT 0,
  visitsInvalid INTEGER NOT NULL DEFAULT 0,
  -- Another one whenever results become others: counts alone are the same again in a restored backup, of other visits.
  stamp TEXT NOT NULL DEFAULT (hex(randomblob(8)))
) STRICT;
CREATE TABLE campaign_sites (
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  siteId INTEGER NOT NULL REFERENCES sites (id),
  name TEXT NOT NULL,
  PRIMARY KEY (campaignId, place),
  UNIQUE (campaignId, siteId)
) STRICT, WITHOUT ROWID;
CREATE TABLE campaigns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  createdAt TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'cancelled')),
  spec TEXT NOT NULL CHECK (json_valid(spec))
, priority TEXT NOT NULL DEFAULT 'interactive' CHECK (priority IN ('interactive', 'ci', 'schedule')), location TEXT, createdBy TEXT, finishedAt TEXT, "commit" TEXT, branch TEXT, buildUrl TEXT, deletedAt TEXT, name TEXT GENERATED ALWAYS AS (spec ->> '$.name') VIRTUAL, createdByKind TEXT CHECK (createdByKind IN ('token', 'schedule'))) STRICT;
CREATE TABLE conditions (
  name TEXT PRIMARY KEY,
  document TEXT NOT NULL CHECK (json_valid(document))
) STRICT, WITHOUT ROWID;
CREATE TABLE daily_jobs (
  name TEXT PRIMARY KEY,
  startedAt INTEGER NOT NULL -- milliseconds since 1970
) STRICT, WITHOUT ROWID;
CREATE TABLE discoveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  campaignId INTEGER NOT NULL,
  siteId INTEGER NOT NULL,
  document TEXT NOT NULL CHECK (json_valid(document)),
  FOREIGN KEY (campaignId, siteId) REFERENCES campaign_sites (campaignId, siteId) ON DELETE CASCADE
) STRICT;
CREATE TABLE environments (
  id TEXT PRIMARY KEY,
  document TEXT NOT NULL CHECK (json_valid(document))
) STRICT, WITHOUT ROWID;
CREATE TABLE gate_answers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  gateId INTEGER REFERENCES gates (id) ON DELETE SET NULL,
  gate TEXT, -- its name then
  rules TEXT NOT NULL CHECK (json_valid(rules)), -- as they were then
  question BLOB NOT NULL, -- hash of gate and rules: asked twice, it is one question
  askedAt TEXT NOT NULL,
  askedBy TEXT,
  checkedAt TEXT,
  outcome TEXT CHECK (outcome IN ('pass', 'fail', 'inconclusive')),
  result TEXT CHECK (result IS NULL OR json_valid(result)),
  CHECK ((checkedAt IS NULL) = (outcome IS NULL) AND (checkedAt IS NULL) = (result IS NULL)),
  UNIQUE (campaignId, question)
) STRICT;
CREATE TABLE gates (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  createdAt TEXT NOT NULL,
  changedAt TEXT NOT NULL,
  createdBy TEXT,
  campaign TEXT CHECK (campaign IS NULL OR json_valid(campaign)), -- null: it judges what others measure
  rules TEXT NOT NULL CHECK (json_valid(rules))
) STRICT;
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
CREATE TABLE leases (
  id TEXT PRIMARY KEY,
  roundId INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  runner TEXT NOT NULL,
  leasedAt INTEGER NOT NULL,
  expiresAt INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'completed', 'released', 'lost')),
  reason TEXT, runnerId INTEGER REFERENCES runners (id) ON DELETE SET NULL, tokenId INTEGER REFERENCES tokens (id), failed INTEGER NOT NULL DEFAULT 0 CHECK (failed IN (0, 1)), endedAt INTEGER,
  UNIQUE (roundId, attempt)
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
CREATE TABLE queue_entries (
  campaignId INTEGER PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
  rank INTEGER NOT NULL CHECK (rank BETWEEN 0 AND 2), -- of its priority: 0 goes first
  location TEXT, -- null: any
  shapes INTEGER NOT NULL CHECK (shapes IN (0, 1)), -- whether a condition of it must be put on the link
  engine TEXT NOT NULL,
  browser TEXT NOT NULL,
  queuedAt INTEGER NOT NULL,
  waitingSince INTEGER NOT NULL, isolation TEXT NOT NULL DEFAULT 'context') STRICT;
CREATE TABLE "resources" (
  visitSeq INTEGER PRIMARY KEY REFERENCES visits (seq) ON DELETE CASCADE,
  content BLOB NOT NULL
) STRICT;
CREATE TABLE retention_marks (
  what TEXT PRIMARY KEY CHECK (what IN ('resources', 'evidence')),
  throughSeq INTEGER NOT NULL,
  removedAt TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE rounds (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaignId INTEGER NOT NULL,
  siteId INTEGER NOT NULL,
  condition TEXT NOT NULL,
  view TEXT NOT NULL CHECK (view IN ('cold', 'warm')),
  number INTEGER NOT NULL,
  slotOrder TEXT NOT NULL CHECK (json_valid(slotOrder)),
  state TEXT NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'leased', 'done', 'cancelled')),
  attempt INTEGER NOT NULL DEFAULT 0, -- how often leased
  losses INTEGER NOT NULL DEFAULT 0, -- how many of these attempts were lost
  reason TEXT,
  cancelledBy TEXT CHECK (cancelledBy IN ('user', 'site-given-up', 'losses')), failures INTEGER NOT NULL DEFAULT 0,
  CHECK ((state = 'cancelled') = (cancelledBy IS NOT NULL)),
  UNIQUE (campaignId, siteId, condition, view, number),
  FOREIGN KEY (campaignId, siteId) REFERENCES campaign_sites (campaignId, siteId) ON DELETE CASCADE
) STRICT;
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
, signs INTEGER NOT NULL DEFAULT 0) STRICT;
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
CREATE TABLE sessions (
  hash BLOB PRIMARY KEY, -- SHA-256 of what the cookie holds
  tokenId INTEGER NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  expiresAt INTEGER NOT NULL -- milliseconds since 1970
) STRICT, WITHOUT ROWID;
CREATE TABLE sites (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL, -- as Chrome writes it
  expectStatus INTEGER NOT NULL,
  UNIQUE (url, expectStatus)
) STRICT;
CREATE TABLE "strings" (
  id INTEGER PRIMARY KEY,
  hash INTEGER NOT NULL,
  usedUntil INTEGER NOT NULL, -- a visit's seq
  value TEXT NOT NULL
) STRICT;
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
CREATE TABLE totals (
  what TEXT NOT NULL,
  labels TEXT NOT NULL CHECK (json_valid(labels)),
  count INTEGER NOT NULL,
  seconds REAL NOT NULL DEFAULT 0, -- all durations together
  PRIMARY KEY (what, labels)
) STRICT, WITHOUT ROWID;
CREATE TABLE visits (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of arrival; ids of events
  id TEXT NOT NULL UNIQUE,
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  roundId INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  protocol TEXT NOT NULL CHECK (protocol IN ('h1', 'h2', 'h3')),
  position INTEGER NOT NULL,
  retry INTEGER NOT NULL,
  startedAt TEXT NOT NULL,
  wallMs REAL NOT NULL,
  finalUrl TEXT,
  cpuOwnShare REAL,
  cpuForeignShare REAL,
  environmentId TEXT REFERENCES environments (id),
  discoveryId TEXT REFERENCES discoveries (id),
  contentHash BLOB NOT NULL, -- of the upload: tells a resend from another visit under the same id
  verdict TEXT NOT NULL CHECK (verdict IN ('valid', 'invalid')),
  reason TEXT,
  detail TEXT,
  counted INTEGER NOT NULL DEFAULT 0 CHECK (counted IN (0, 1)),
  onLoad REAL,
  loadEventEnd REAL,
  domContentLoaded REAL,
  ttfb REAL,
  firstPaint REAL,
  firstContentfulPaint REAL,
  largestContentfulPaint REAL,
  cumulativeLayoutShift REAL,
  speedIndex REAL,
  firstVisualChange REAL,
  lastVisualChange REAL,
  totalBlockingTime REAL,
  linkedDownload REAL,
  requests INTEGER,
  transferBytes INTEGER,
  connections INTEGER,
  hosts INTEGER,
  failedRequests INTEGER,
  h1Share REAL,
  h2Share REAL,
  h3Share REAL,
  h1ByteShare REAL,
  h2ByteShare REAL,
  h3ByteShare REAL,
  largestConnectionShare REAL, refused TEXT CHECK (refused IS NULL OR json_valid(refused)), receiveDrops INTEGER,
  -- Valid with metrics or invalid with a reason, never both; and only what is valid counts.
  CHECK ((verdict = 'valid') = (onLoad IS NOT NULL)),
  CHECK ((verdict = 'invalid') = (reason IS NOT NULL)),
  CHECK (counted = 0 OR verdict = 'valid'),
  CHECK ((cpuOwnShare IS NULL) = (cpuForeignShare IS NULL)),
  FOREIGN KEY (roundId, attempt) REFERENCES leases (roundId, attempt)
) STRICT;
INSERT INTO audit ("id", "at", "by", "action", "subject", "detail") VALUES (1, '2026-03-01T12:00:00.000Z', NULL, 'campaign.create', '1', '{}');
INSERT INTO audit ("id", "at", "by", "action", "subject", "detail") VALUES (2, '2026-03-01T12:01:01.000Z', NULL, 'campaign.create', '2', '{}');
INSERT INTO audit ("id", "at", "by", "action", "subject", "detail") VALUES (3, '2026-03-01T12:01:01.000Z', NULL, 'campaign.cancel', '2', '{}');
INSERT INTO audit ("id", "at", "by", "action", "subject", "detail") VALUES (4, '2026-03-01T12:01:01.000Z', NULL, 'condition.create', 'train', '{}');
INSERT INTO audit ("id", "at", "by", "action", "subject", "detail") VALUES (5, '2026-03-01T12:01:01.000Z', NULL, 'token.create', '1', '{"name":"nightly build","role":"submitter","expiresAt":null}');
INSERT INTO audit ("id", "at", "by", "action", "subject", "detail") VALUES (6, '2026-03-01T12:01:01.000Z', NULL, 'notification.create', '1', '{"name":"team"}');
INSERT INTO audit ("id", "at", "by", "action", "subject", "detail") VALUES (7, '2026-03-01T12:01:01.000Z', NULL, 'gate.create', '1', '{"name":"budget"}');
INSERT INTO audit ("id", "at", "by", "action", "subject", "detail") VALUES (8, '2026-03-01T12:01:01.000Z', NULL, 'schedule.create', '1', '{"name":"nightly"}');
INSERT INTO audit ("id", "at", "by", "action", "subject", "detail") VALUES (9, '2026-03-01T12:01:01.000Z', NULL, 'schedule.start', '1', '{"campaignId":"3"}');
INSERT INTO campaign_log ("campaignId", "number", "afterVisit", "time", "level", "event", "text") VALUES (1, 1, 0, '2026-03-01T12:00:00.000Z', 'info', 'campaign-made', '4 rounds were queued.');
INSERT INTO campaign_log ("campaignId", "number", "afterVisit", "time", "level", "event", "text") VALUES (1, 2, 0, '2026-03-01T12:00:00.000Z', 'info', 'round-leased', 'Runner runner took round 1 of shop under native.');
INSERT INTO campaign_log ("campaignId", "number", "afterVisit", "time", "level", "event", "text") VALUES (1, 3, 1, '2026-03-01T12:01:01.000Z', 'warn', 'lease-lost', 'Runner runner lost round 1 of shop under native: no sign of life until 2026-03-01T12:01:00.000Z.');
INSERT INTO campaign_log ("campaignId", "number", "afterVisit", "time", "level", "event", "text") VALUES (1, 4, 1, '2026-03-01T12:01:01.000Z', 'info', 'round-leased', 'Runner runner took round 1 of shop under native, attempt 2.');
INSERT INTO campaign_log ("campaignId", "number", "afterVisit", "time", "level", "event", "text") VALUES (1, 5, 4, '2026-03-01T12:01:01.000Z', 'info', 'round-leased', 'Runner runner took round 1 of other.example under native.');
INSERT INTO campaign_log ("campaignId", "number", "afterVisit", "time", "level", "event", "text") VALUES (1, 6, 4, '2026-03-01T12:01:01.000Z', 'info', 'round-released', 'Runner runner gave back round 1 of other.example under native: The runner was told to stop.');
INSERT INTO campaign_log ("campaignId", "number", "afterVisit", "time", "level", "event", "text") VALUES (1, 7, 4, '2026-03-01T12:01:01.000Z', 'info', 'round-leased', 'Runner runner took round 1 of other.example under native, attempt 2.');
INSERT INTO campaign_log ("campaignId", "number", "afterVisit", "time", "level", "event", "text") VALUES (2, 1, 0, '2026-03-01T12:01:01.000Z', 'info', 'campaign-made', '1 round was queued.');
INSERT INTO campaign_log ("campaignId", "number", "afterVisit", "time", "level", "event", "text") VALUES (2, 2, 0, '2026-03-01T12:01:01.000Z', 'info', 'campaign-cancelled', 'The campaign was cancelled.');
INSERT INTO campaign_log ("campaignId", "number", "afterVisit", "time", "level", "event", "text") VALUES (3, 1, 0, '2026-03-01T12:01:01.000Z', 'info', 'campaign-made', '2 rounds were queued by nightly.');
INSERT INTO campaign_progress ("campaignId", "queued", "leased", "done", "cancelled", "visitsValid", "visitsInvalid", "stamp") VALUES (1, 2, 1, 1, 0, 2, 1, '3C0BC8347E623AEF');
INSERT INTO campaign_progress ("campaignId", "queued", "leased", "done", "cancelled", "visitsValid", "visitsInvalid", "stamp") VALUES (2, 0, 0, 0, 1, 0, 0, 'A100F63C164B1643');
INSERT INTO campaign_progress ("campaignId", "queued", "leased", "done", "cancelled", "visitsValid", "visitsInvalid", "stamp") VALUES (3, 2, 0, 0, 0, 0, 0, 'A3147CF75F993491');
INSERT INTO campaign_sites ("campaignId", "place", "siteId", "name") VALUES (1, 0, 1, 'shop');
INSERT INTO campaign_sites ("campaignId", "place", "siteId", "name") VALUES (1, 1, 2, 'other.example');
INSERT INTO campaign_sites ("campaignId", "place", "siteId", "name") VALUES (2, 0, 1, 'shop');
INSERT INTO campaign_sites ("campaignId", "place", "siteId", "name") VALUES (3, 0, 1, 'shop');
INSERT INTO campaigns ("id", "createdAt", "state", "spec", "priority", "location", "createdBy", "finishedAt", "commit", "branch", "buildUrl", "deletedAt", "createdByKind") VALUES (1, '2026-03-01T12:00:00.000Z', 'running', '{"name":"shop and 1 more","sites":[{"url":"https://site.example/","name":"shop","expectStatus":200},{"url":"https://other.example/","name":"other.example","expectStatus":200}],"conditions":[{"name":"native","description":"The path as it is: nothing is added.","source":"Trevisan et al. 2021, Measuring HTTP/3: Adoption and Performance, https://doi.org/10.1109/MedComNet52149.2021.9501274","up":{},"down":{}}],"protocols":["h2","h3"],"views":["cold"],"rounds":2,"engine":"puppeteer","discovery":"forced","isolation":"context","browser":"chrome","primaryMetric":"onLoad","margin":0.05,"adjustment":"holm","maximumRounds":null,"seed":7,"limits":{"loadTimeoutMs":60000,"quietMs":100,"settleMaxMs":3000,"retries":2,"foreignCpuShare":0.2,"maxRequests":10000,"maxTransferBytes":500000000}}', 'interactive', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO campaigns ("id", "createdAt", "state", "spec", "priority", "location", "createdBy", "finishedAt", "commit", "branch", "buildUrl", "deletedAt", "createdByKind") VALUES (2, '2026-03-01T12:01:01.000Z', 'cancelled', '{"name":"shop","sites":[{"url":"https://site.example/","name":"shop","expectStatus":200}],"conditions":[{"name":"native","description":"The path as it is: nothing is added.","source":"Trevisan et al. 2021, Measuring HTTP/3: Adoption and Performance, https://doi.org/10.1109/MedComNet52149.2021.9501274","up":{},"down":{}}],"protocols":["h1"],"views":["cold"],"rounds":1,"engine":"puppeteer","discovery":"forced","isolation":"context","browser":"chrome","primaryMetric":"onLoad","margin":0.05,"adjustment":"holm","maximumRounds":null,"seed":1068025524,"limits":{"loadTimeoutMs":60000,"quietMs":100,"settleMaxMs":3000,"retries":2,"foreignCpuShare":0.2,"maxRequests":10000,"maxTransferBytes":500000000}}', 'interactive', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO campaigns ("id", "createdAt", "state", "spec", "priority", "location", "createdBy", "finishedAt", "commit", "branch", "buildUrl", "deletedAt", "createdByKind") VALUES (3, '2026-03-01T12:01:01.000Z', 'queued', '{"name":"shop","sites":[{"url":"https://site.example/","name":"shop","expectStatus":200}],"conditions":[{"name":"native","description":"The path as it is: nothing is added.","source":"Trevisan et al. 2021, Measuring HTTP/3: Adoption and Performance, https://doi.org/10.1109/MedComNet52149.2021.9501274","up":{},"down":{}}],"protocols":["h2","h3"],"views":["cold"],"rounds":2,"engine":"puppeteer","discovery":"forced","isolation":"context","browser":"chrome","primaryMetric":"onLoad","margin":0.05,"adjustment":"holm","maximumRounds":null,"seed":393524779,"limits":{"loadTimeoutMs":60000,"quietMs":100,"settleMaxMs":3000,"retries":2,"foreignCpuShare":0.2,"maxRequests":10000,"maxTransferBytes":500000000}}', 'schedule', NULL, 'nightly', NULL, NULL, NULL, NULL, NULL, 'schedule');
INSERT INTO conditions ("name", "document") VALUES ('train', '{"down":{"delayMs":40,"rateKbps":12000},"name":"train","up":{"delayMs":40}}');
INSERT INTO discoveries ("seq", "id", "campaignId", "siteId", "document") VALUES (1, '737a9359-7d8d-4f6d-bc42-1dd0199ccf0b', 1, 1, '{"byteCoverage":1,"campaignId":"1","discoveredAt":"2026-03-01T11:59:00.000Z","failure":null,"finalUrl":"https://site.example/","forced":["site.example:443"],"hosts":[],"id":"737a9359-7d8d-4f6d-bc42-1dd0199ccf0b","objectCoverage":1,"redirects":[],"runner":"runner","siteId":"1"}');
INSERT INTO environments ("id", "document") VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '{"browser":{"executable":"/usr/bin/chromium","flags":["--disable-quic"],"preferences":{},"product":"Chrome/156.0.8078.79","sandbox":true},"id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","link":{"backend":"direct","congestionControl":"cubic","kernel":null,"offloads":"machine","priority":"none","receiveBuffers":{"tcp":"4096 131072 6291456","udpMaxBytes":212992}},"machine":{"arch":"x64","cores":2,"cpu":"a processor","kernel":"Linux 6.1","memoryBytes":8000000000},"origin":null,"runner":{"node":"v24.0.0","version":"0.1.0"}}');
INSERT INTO gates ("id", "name", "createdAt", "changedAt", "createdBy", "campaign", "rules") VALUES (1, 'budget', '2026-03-01T12:01:01.000Z', '2026-03-01T12:01:01.000Z', NULL, '{"sites":[{"url":"https://site.example/","name":"shop"}],"protocols":["h2","h3"],"rounds":2}', '{"assertions":["onLoad p75 <= 2.5 s"]}');
INSERT INTO leases ("id", "roundId", "attempt", "runner", "leasedAt", "expiresAt", "state", "reason", "runnerId", "tokenId", "failed", "endedAt") VALUES ('041ce18c-40f7-4a49-baae-bb7224b4edd1', 2, 2, 'runner', 1772366461000, 1772366521000, 'active', NULL, NULL, NULL, 0, NULL);
INSERT INTO leases ("id", "roundId", "attempt", "runner", "leasedAt", "expiresAt", "state", "reason", "runnerId", "tokenId", "failed", "endedAt") VALUES ('08118294-ddc2-4967-be0b-3e5cf7a0196a', 1, 1, 'runner', 1772366400000, 1772366460000, 'lost', 'no sign of life until 2026-03-01T12:01:00.000Z', NULL, NULL, 0, 1772366461000);
INSERT INTO leases ("id", "roundId", "attempt", "runner", "leasedAt", "expiresAt", "state", "reason", "runnerId", "tokenId", "failed", "endedAt") VALUES ('d426fc9b-a48b-4f37-aa11-60be34dec46c', 1, 2, 'runner', 1772366461000, 1772366521000, 'completed', NULL, NULL, NULL, 0, 1772366461000);
INSERT INTO leases ("id", "roundId", "attempt", "runner", "leasedAt", "expiresAt", "state", "reason", "runnerId", "tokenId", "failed", "endedAt") VALUES ('d7b0497b-bf87-4f37-a61f-2e6020ea7f42', 2, 1, 'runner', 1772366461000, 1772366521000, 'released', 'The runner was told to stop.', NULL, NULL, 0, 1772366461000);
INSERT INTO link_checks ("seq", "id", "campaignId", "roundId", "attempt", "condition", "checkedAt", "document") VALUES (1, '6b2dcba9-49d2-4017-9ba1-13a4d47dbf2f', 1, 1, 2, 'native', '2026-03-01T12:00:00.000Z', '{"backend":"guest","checkedAt":"2026-03-01T12:00:00.000Z","condition":"native","down":null,"faults":[],"id":"6b2dcba9-49d2-4017-9ba1-13a4d47dbf2f","kernel":"7.2.1","rtt":{"meanMs":50.6,"p50Ms":50.5,"p99Ms":51.9,"packets":20,"requestedMs":50,"toleranceMs":2.5,"within":true},"tcLines":["qdisc add dev up0 root netem limit 10000 delay 50ms"],"up":null}');
INSERT INTO notification_targets ("id", "name", "kind", "url", "events", "campaigns", "enabled", "secret", "createdAt") VALUES (1, 'team', 'webhook', 'https://192.0.2.1/hook', '["campaign-done"]', 'all', 1, 'whsec_YpcozOV8XNV8kgqt4VSNxFynTwUDroVTM-i9ztNyEWQ', '2026-03-01T12:01:01.000Z');
INSERT INTO queue_entries ("campaignId", "rank", "location", "shapes", "engine", "browser", "queuedAt", "waitingSince", "isolation") VALUES (1, 0, NULL, 0, 'puppeteer', 'chrome', 1772366400000, 1772366461000, 'context');
INSERT INTO queue_entries ("campaignId", "rank", "location", "shapes", "engine", "browser", "queuedAt", "waitingSince", "isolation") VALUES (2, 0, NULL, 0, 'puppeteer', 'chrome', 1772366461000, 1772366461000, 'context');
INSERT INTO queue_entries ("campaignId", "rank", "location", "shapes", "engine", "browser", "queuedAt", "waitingSince", "isolation") VALUES (3, 2, NULL, 0, 'puppeteer', 'chrome', 1772366461000, 1772366461000, 'context');
INSERT INTO resources ("visitSeq", "content") VALUES (1, X'0163626466666667E464E466E6676610666616655466646416676460609E3D8FF12BF357E69DE20C9F0F303230329C643CC978FC3AD3F1EB4CDFF5BEEB1D117A7E9471E356A6CD5B9926328320A324B32CB322A332A32A23030300');
INSERT INTO resources ("visitSeq", "content") VALUES (2, X'0163626466666667E464E466E6676610666616655466646416676460609E3D8FF12BF357E69DE20C9F0F303230329C643CC978FC3AD3F1EB4CDFF5BEEB1D117A7E9471E356A6CD5B9926328320A324B32CB322A332A32A23030300');
INSERT INTO resources ("visitSeq", "content") VALUES (4, X'0163626466666667E464E466E6676610666616655466646416676460609E3D8FF12BF357E69DE20C9F0F303230329C643CC978FC3AD3F1EB4CDFF5BEEB1D117A7E9471E356A6CD5B9926328320A324B32CB322A332A32A23030300');
INSERT INTO rounds ("id", "campaignId", "siteId", "condition", "view", "number", "slotOrder", "state", "attempt", "losses", "reason", "cancelledBy", "failures") VALUES (1, 1, 1, 'native', 'cold', 1, '[0,1]', 'done', 2, 1, NULL, NULL, 0);
INSERT INTO rounds ("id", "campaignId", "siteId", "condition", "view", "number", "slotOrder", "state", "attempt", "losses", "reason", "cancelledBy", "failures") VALUES (2, 1, 2, 'native', 'cold', 1, '[1,0]', 'leased', 2, 0, 'Attempt 1 was released: The runner was told to stop.', NULL, 0);
INSERT INTO rounds ("id", "campaignId", "siteId", "condition", "view", "number", "slotOrder", "state", "attempt", "losses", "reason", "cancelledBy", "failures") VALUES (3, 1, 2, 'native', 'cold', 2, '[0,1]', 'queued', 0, 0, NULL, NULL, 0);
INSERT INTO rounds ("id", "campaignId", "siteId", "condition", "view", "number", "slotOrder", "state", "attempt", "losses", "reason", "cancelledBy", "failures") VALUES (4, 1, 1, 'native', 'cold', 2, '[1,0]', 'queued', 0, 0, NULL, NULL, 0);
INSERT INTO rounds ("id", "campaignId", "siteId", "condition", "view", "number", "slotOrder", "state", "attempt", "losses", "reason", "cancelledBy", "failures") VALUES (5, 2, 1, 'native', 'cold', 1, '[0]', 'cancelled', 0, 0, 'The campaign was cancelled.', 'user', 0);
INSERT INTO rounds ("id", "campaignId", "siteId", "condition", "view", "number", "slotOrder", "state", "attempt", "losses", "reason", "cancelledBy", "failures") VALUES (6, 3, 1, 'native', 'cold', 1, '[0,1]', 'queued', 0, 0, NULL, NULL, 0);
INSERT INTO rounds ("id", "campaignId", "siteId", "condition", "view", "number", "slotOrder", "state", "attempt", "losses", "reason", "cancelledBy", "failures") VALUES (7, 3, 1, 'native', 'cold', 2, '[1,0]', 'queued', 0, 0, NULL, NULL, 0);
INSERT INTO schedule_starts ("id", "scheduleId", "dueAt", "decidedAt", "outcome", "campaignId", "words") VALUES (1, 1, NULL, 1772366461000, 'started', 3, 'Started by hand.');
INSERT INTO schedules ("id", "name", "createdAt", "createdBy", "paused", "document", "nextDueAt", "nextStartAt") VALUES (1, 'nightly', '2026-03-01T12:01:01.000Z', NULL, 0, '{"timeZone":"UTC","missed":"run-once","jitterSeconds":0,"gate":null,"notifications":null,"baselineRuns":7,"regressionThreshold":0.1,"cron":"30 2 * * *","campaign":{"sites":[{"url":"https://site.example/","name":"shop"}],"protocols":["h2","h3"],"rounds":2,"priority":"schedule"}}', 1772418600000, 1772418600000);
INSERT INTO sites ("id", "url", "expectStatus") VALUES (1, 'https://site.example/', 200);
INSERT INTO sites ("id", "url", "expectStatus") VALUES (2, 'https://other.example/', 200);
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (1, 3033375012, 10002, 'https://site.example/assets/picture-0.webp?v=3');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (2, 230114641, 10002, 'https://site.example/assets/picture-1.webp?v=3');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (3, 2844794078, 10002, 'site.example');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (4, 2531704439, 10002, 'GET');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (5, 4165204724, 10002, 'Document');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (6, 1494001562, 10002, 'Image');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (7, 3363671541, 10002, 'other');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (8, 3779714746, 10002, 'parser');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (9, 3749525846, 10002, 'https://site.example/');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (10, 2386244204, 10002, 'h3');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (11, 4033942223, 10002, '192.0.2.1:443');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (12, 1977116014, 10002, 'text/html');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (13, 3227882157, 10002, 'image/webp');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (14, 3136957089, 10002, 'VeryHigh');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (15, 2984088865, 10002, 'Low');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (16, 2913447899, 10002, 'none');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (17, 1584267410, 10002, 'nginx/1.29.2');
INSERT INTO strings ("id", "hash", "usedUntil", "value") VALUES (18, 1025744332, 10002, 'h3=":443"; ma=86400');
INSERT INTO tokens ("id", "name", "role", "hash", "createdAt", "createdBy", "expiresAt", "lastUsedAt", "revokedAt") VALUES (1, 'nightly build', 'submitter', X'C6B206902856D8F5B1148CF2884EAB515373EA9E4E18807202EFFAA7200F2060', '2026-03-01T12:01:01.000Z', NULL, NULL, NULL, NULL);
INSERT INTO totals ("what", "labels", "count", "seconds") VALUES ('campaigns', '{"priority":"interactive","state":"cancelled"}', 1, 0.0);
INSERT INTO totals ("what", "labels", "count", "seconds") VALUES ('campaigns', '{"priority":"interactive","state":"made"}', 2, 0.0);
INSERT INTO totals ("what", "labels", "count", "seconds") VALUES ('campaigns', '{"priority":"schedule","state":"made"}', 1, 0.0);
INSERT INTO totals ("what", "labels", "count", "seconds") VALUES ('leases', '{"outcome":"completed","le":5.0}', 1, 0.0);
INSERT INTO totals ("what", "labels", "count", "seconds") VALUES ('leases', '{"outcome":"lost","le":120.0}', 1, 61.0);
INSERT INTO totals ("what", "labels", "count", "seconds") VALUES ('leases', '{"outcome":"released","le":5.0}', 1, 0.0);
INSERT INTO totals ("what", "labels", "count", "seconds") VALUES ('link-checks', '{"outcome":"ok"}', 1, 0.0);
INSERT INTO totals ("what", "labels", "count", "seconds") VALUES ('schedule-starts', '{"outcome":"started"}', 1, 0.0);
INSERT INTO totals ("what", "labels", "count", "seconds") VALUES ('visits', '{"protocol":"h2","verdict":"valid","reason":"","le":2.5}', 2, 2.469);
INSERT INTO totals ("what", "labels", "count", "seconds") VALUES ('visits', '{"protocol":"h3","verdict":"invalid","reason":"quic-error","le":2.5}', 1, 1.2345);
INSERT INTO totals ("what", "labels", "count", "seconds") VALUES ('visits', '{"protocol":"h3","verdict":"valid","reason":"","le":2.5}', 1, 1.2345);
INSERT INTO visits ("seq", "id", "campaignId", "roundId", "attempt", "slot", "protocol", "position", "retry", "startedAt", "wallMs", "finalUrl", "cpuOwnShare", "cpuForeignShare", "environmentId", "discoveryId", "contentHash", "verdict", "reason", "detail", "counted", "onLoad", "loadEventEnd", "domContentLoaded", "ttfb", "firstPaint", "firstContentfulPaint", "largestContentfulPaint", "cumulativeLayoutShift", "speedIndex", "firstVisualChange", "lastVisualChange", "totalBlockingTime", "linkedDownload", "requests", "transferBytes", "connections", "hosts", "failedRequests", "h1Share", "h2Share", "h3Share", "h1ByteShare", "h2ByteShare", "h3ByteShare", "largestConnectionShare", "refused", "receiveDrops") VALUES (1, '508e98cf-58fb-4072-a4f1-da25b2e9ef37', 1, 1, 1, 0, 'h2', 0, 0, '2026-03-01T12:00:00.250Z', 1234.5, 'https://site.example/', 0.5, 0.01, NULL, NULL, X'7DD90E91CB5F90737B5926115B12DF65268E5E0C92F2A6A8F1FB680D6626536C', 'valid', NULL, NULL, 0, 100.0, 101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0, 108.0, 109.0, 110.0, 111.0, 112.0, 113, 114, 115, 116, 117, 0.18, 0.19, 0.2, 0.21, 0.22, 0.23, 0.24, '["10.0.0.1 (tcp 80)"]', 3);
INSERT INTO visits ("seq", "id", "campaignId", "roundId", "attempt", "slot", "protocol", "position", "retry", "startedAt", "wallMs", "finalUrl", "cpuOwnShare", "cpuForeignShare", "environmentId", "discoveryId", "contentHash", "verdict", "reason", "detail", "counted", "onLoad", "loadEventEnd", "domContentLoaded", "ttfb", "firstPaint", "firstContentfulPaint", "largestContentfulPaint", "cumulativeLayoutShift", "speedIndex", "firstVisualChange", "lastVisualChange", "totalBlockingTime", "linkedDownload", "requests", "transferBytes", "connections", "hosts", "failedRequests", "h1Share", "h2Share", "h3Share", "h1ByteShare", "h2ByteShare", "h3ByteShare", "largestConnectionShare", "refused", "receiveDrops") VALUES (2, '0eeb3ac9-c371-4eb5-a837-5c4d5e56e875', 1, 1, 2, 0, 'h2', 0, 0, '2026-03-01T12:00:00.250Z', 1234.5, 'https://site.example/', 0.5, 0.01, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '737a9359-7d8d-4f6d-bc42-1dd0199ccf0b', X'E49E1276F736048CB5FA499F02882F17C3EEE9BA1B5751E95F4D3FDDF48A02C4', 'valid', NULL, NULL, 1, 100.0, 101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0, 108.0, 109.0, 110.0, 111.0, 112.0, 113, 114, 115, 116, 117, 0.18, 0.19, 0.2, 0.21, 0.22, 0.23, 0.24, '["10.0.0.1 (tcp 80)"]', 3);
INSERT INTO visits ("seq", "id", "campaignId", "roundId", "attempt", "slot", "protocol", "position", "retry", "startedAt", "wallMs", "finalUrl", "cpuOwnShare", "cpuForeignShare", "environmentId", "discoveryId", "contentHash", "verdict", "reason", "detail", "counted", "onLoad", "loadEventEnd", "domContentLoaded", "ttfb", "firstPaint", "firstContentfulPaint", "largestContentfulPaint", "cumulativeLayoutShift", "speedIndex", "firstVisualChange", "lastVisualChange", "totalBlockingTime", "linkedDownload", "requests", "transferBytes", "connections", "hosts", "failedRequests", "h1Share", "h2Share", "h3Share", "h1ByteShare", "h2ByteShare", "h3ByteShare", "largestConnectionShare", "refused", "receiveDrops") VALUES (3, 'b41ce2d4-198b-4d54-9fe5-e893cce045d2', 1, 1, 2, 1, 'h3', 1, 0, '2026-03-01T12:00:00.250Z', 1234.5, 'https://site.example/', 0.5, 0.01, NULL, NULL, X'E17E1C60ADA54FC0278A54176DF00D8380C298F35FCDF89EBB70F917625B808C', 'invalid', 'quic-error', 'QUIC handshake failed.', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '["10.0.0.1 (tcp 80)"]', 3);
INSERT INTO visits ("seq", "id", "campaignId", "roundId", "attempt", "slot", "protocol", "position", "retry", "startedAt", "wallMs", "finalUrl", "cpuOwnShare", "cpuForeignShare", "environmentId", "discoveryId", "contentHash", "verdict", "reason", "detail", "counted", "onLoad", "loadEventEnd", "domContentLoaded", "ttfb", "firstPaint", "firstContentfulPaint", "largestContentfulPaint", "cumulativeLayoutShift", "speedIndex", "firstVisualChange", "lastVisualChange", "totalBlockingTime", "linkedDownload", "requests", "transferBytes", "connections", "hosts", "failedRequests", "h1Share", "h2Share", "h3Share", "h1ByteShare", "h2ByteShare", "h3ByteShare", "largestConnectionShare", "refused", "receiveDrops") VALUES (4, 'c08386a9-9cd3-442b-9624-4e061d0b9d91', 1, 1, 2, 1, 'h3', 1, 1, '2026-03-01T12:00:00.250Z', 1234.5, 'https://site.example/', 0.5, 0.01, NULL, NULL, X'98C9AA0416E4FF9017801A0423B0DB83DF6E5999A9870BE79CF7DFA831727397', 'valid', NULL, NULL, 1, 100.0, 101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0, 108.0, 109.0, 110.0, 111.0, 112.0, 113, 114, 115, 116, 117, 0.18, 0.19, 0.2, 0.21, 0.22, 0.23, 0.24, '["10.0.0.1 (tcp 80)"]', 3);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('audit', 9);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('campaigns', 3);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('gates', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('notification_targets', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('rounds', 7);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('schedule_starts', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('schedules', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('tokens', 1);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('visits', 4);
CREATE INDEX campaign_progress_open ON campaign_progress (campaignId) WHERE queued > 0 OR leased > 0;
CREATE INDEX campaign_sites_of_site ON campaign_sites (siteId);
CREATE TRIGGER campaigns_done_total AFTER UPDATE OF state ON campaigns WHEN new.state IN ('done', 'cancelled') AND old.state <> new.state BEGIN
  INSERT INTO totals (what, labels, count) VALUES ('campaigns', json_object('priority', new.priority, 'state', new.state), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE INDEX campaigns_listed ON campaigns (id, deletedAt, state, priority, createdAt, createdBy, branch, "commit", name);
CREATE INDEX campaigns_of_branch ON campaigns (branch) WHERE branch IS NOT NULL;
CREATE TRIGGER campaigns_total AFTER INSERT ON campaigns BEGIN
  INSERT INTO totals (what, labels, count) VALUES ('campaigns', json_object('priority', new.priority, 'state', 'made'), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE INDEX campaigns_unfinished ON campaigns (createdBy, createdByKind) WHERE state IN ('queued', 'running');
CREATE TRIGGER deliveries_total AFTER UPDATE OF state ON notification_deliveries WHEN new.state <> old.state AND new.state <> 'waiting' BEGIN
  INSERT INTO totals (what, labels, count) VALUES ('deliveries', json_object('result', new.state), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE INDEX discoveries_of_campaign ON discoveries (campaignId, siteId);
CREATE INDEX gate_answers_of_gate ON gate_answers (gateId) WHERE gateId IS NOT NULL;
CREATE INDEX gate_answers_waiting ON gate_answers (campaignId) WHERE checkedAt IS NULL;
CREATE INDEX leases_active_of_runner ON leases (runnerId) WHERE state = 'active';
CREATE INDEX leases_by_expiry ON leases (expiresAt) WHERE state = 'active';
CREATE INDEX leases_completed ON leases (endedAt) WHERE state = 'completed';
CREATE INDEX leases_lost ON leases (endedAt) WHERE state = 'lost';
CREATE UNIQUE INDEX leases_one_active ON leases (roundId) WHERE state = 'active';
CREATE TRIGGER leases_total AFTER UPDATE OF state ON leases WHEN new.state <> 'active' AND old.state = 'active' BEGIN
  INSERT INTO totals (what, labels, count, seconds)
  VALUES (
    'leases',
    json_object('outcome', new.state, 'le', CASE
      WHEN new.endedAt - new.leasedAt <= 5000 THEN 5.0 WHEN new.endedAt - new.leasedAt <= 10000 THEN 10.0
      WHEN new.endedAt - new.leasedAt <= 30000 THEN 30.0 WHEN new.endedAt - new.leasedAt <= 60000 THEN 60.0
      WHEN new.endedAt - new.leasedAt <= 120000 THEN 120.0 WHEN new.endedAt - new.leasedAt <= 300000 THEN 300.0
      WHEN new.endedAt - new.leasedAt <= 900000 THEN 900.0
    END),
    1,
    max(0.0, coalesce(new.endedAt - new.leasedAt, 0) / 1000.0))
  ON CONFLICT DO UPDATE SET count = count + 1, seconds = seconds + excluded.seconds;
END;
CREATE INDEX link_checks_of_campaign ON link_checks (campaignId);
CREATE INDEX link_checks_of_round ON link_checks (roundId, attempt);
CREATE TRIGGER link_checks_total AFTER INSERT ON link_checks BEGIN
  INSERT INTO totals (what, labels, count)
  VALUES ('link-checks', json_object('outcome', iif(json_array_length(new.document, '$.faults') = 0, 'ok', 'faulty')), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE INDEX notification_deliveries_of_target ON notification_deliveries (targetId, seq);
CREATE INDEX notification_deliveries_waiting ON notification_deliveries (nextAttemptAt) WHERE state = 'waiting';
CREATE TRIGGER progress_of_campaign AFTER INSERT ON campaigns BEGIN
  INSERT INTO campaign_progress (campaignId) VALUES (new.id);
END;
CREATE TRIGGER progress_of_deleted_round AFTER DELETE ON rounds BEGIN
  UPDATE campaign_progress SET
    queued = queued - (old.state = 'queued'),
    leased = leased - (old.state = 'leased'),
    done = done - (old.state = 'done'),
    cancelled = cancelled - (old.state = 'cancelled')
  WHERE campaignId = old.campaignId;
END;
CREATE TRIGGER progress_of_link_check AFTER INSERT ON link_checks BEGIN
  UPDATE campaign_progress SET stamp = hex(randomblob(8)) WHERE campaignId = new.campaignId;
END;
CREATE TRIGGER progress_of_lost_attempt AFTER UPDATE OF state ON rounds WHEN old.state = 'leased' AND new.state IN ('queued', 'cancelled') BEGIN
  UPDATE campaign_progress SET
    visitsValid = visitsValid - (SELECT count(*) FROM visits WHERE roundId = old.id AND attempt = old.attempt AND verdict = 'valid'),
    visitsInvalid = visitsInvalid - (SELECT count(*) FROM visits WHERE roundId = old.id AND attempt = old.attempt AND verdict = 'invalid')
  WHERE campaignId = new.campaignId;
END;
CREATE TRIGGER progress_of_new_round AFTER INSERT ON rounds BEGIN
  UPDATE campaign_progress SET
    queued = queued + (new.state = 'queued'),
    leased = leased + (new.state = 'leased'),
    done = done + (new.state = 'done'),
    cancelled = cancelled + (new.state = 'cancelled')
  WHERE campaignId = new.campaignId;
END;
CREATE TRIGGER progress_of_round AFTER UPDATE OF state ON rounds WHEN old.state <> new.state BEGIN
  UPDATE campaign_progress SET
    queued = queued + (new.state = 'queued') - (old.state = 'queued'),
    leased = leased + (new.state = 'leased') - (old.state = 'leased'),
    done = done + (new.state = 'done') - (old.state = 'done'),
    cancelled = cancelled + (new.state = 'cancelled') - (old.state = 'cancelled'),
    stamp = iif(new.state = 'done', hex(randomblob(8)), stamp)
  WHERE campaignId = new.campaignId;
END;
CREATE TRIGGER progress_of_visit AFTER INSERT ON visits
WHEN EXISTS (SELECT 1 FROM rounds WHERE id = new.roundId AND attempt = new.attempt AND state IN ('leased', 'done')) BEGIN
  UPDATE campaign_progress SET
    visitsValid = visitsValid + (new.verdict = 'valid'),
    visitsInvalid = visitsInvalid + (new.verdict = 'invalid')
  WHERE campaignId = new.campaignId;
END;
CREATE INDEX rounds_leased ON rounds (campaignId) WHERE state = 'leased';
CREATE INDEX rounds_of_campaign ON rounds (campaignId);
CREATE INDEX rounds_queued ON rounds (campaignId, failures) WHERE state = 'queued';
CREATE INDEX runners_turns ON runners (turnCampaignId) WHERE turnCampaignId IS NOT NULL;
CREATE UNIQUE INDEX schedule_starts_of_campaign ON schedule_starts (campaignId) WHERE campaignId IS NOT NULL;
CREATE TRIGGER schedule_starts_total AFTER INSERT ON schedule_starts BEGIN
  INSERT INTO totals (what, labels, count) VALUES ('schedule-starts', json_object('outcome', new.outcome), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE INDEX schedules_by_start ON schedules (nextStartAt) WHERE nextStartAt IS NOT NULL;
CREATE INDEX sessions_by_expiry ON sessions (expiresAt);
CREATE INDEX sessions_of_token ON sessions (tokenId);
CREATE INDEX strings_by_hash ON strings (hash);
CREATE UNIQUE INDEX tokens_name_once ON tokens (name) WHERE revokedAt IS NULL;
CREATE UNIQUE INDEX visits_counted_once ON visits (roundId, slot) WHERE counted = 1;
CREATE INDEX visits_of_campaign ON visits (campaignId);
CREATE INDEX visits_of_discovery ON visits (discoveryId) WHERE discoveryId IS NOT NULL;
CREATE INDEX visits_of_round ON visits (roundId, attempt, slot, verdict);
CREATE TRIGGER visits_total AFTER INSERT ON visits BEGIN
  INSERT INTO totals (what, labels, count, seconds)
  VALUES (
    'visits',
    json_object('protocol', new.protocol, 'verdict', new.verdict, 'reason', coalesce(new.reason, ''), 'le', CASE
      WHEN new.wallMs <= 250 THEN 0.25 WHEN new.wallMs <= 500 THEN 0.5 WHEN new.wallMs <= 1000 THEN 1.0 WHEN new.wallMs <= 2500 THEN 2.5
      WHEN new.wallMs <= 5000 THEN 5.0 WHEN new.wallMs <= 10000 THEN 10.0 WHEN new.wallMs <= 30000 THEN 30.0 WHEN new.wallMs <= 60000 THEN 60.0
    END),
    1,
    new.wallMs / 1000)
  ON CONFLICT DO UPDATE SET count = count + 1, seconds = seconds + excluded.seconds;
END;
