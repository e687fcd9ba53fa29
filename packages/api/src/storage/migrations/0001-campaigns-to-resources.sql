-- Columns are named as the API names them, camelCase included: one word for one thing, from here to the dashboard.
-- Where an id is an integer here, the API shows it as text. Times are text as the API writes them, but for the leases',
-- which are compared: milliseconds since 1970.

CREATE TABLE sites (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL, -- as Chrome writes it
  expectStatus INTEGER NOT NULL,
  UNIQUE (url, expectStatus)
) STRICT;

CREATE TABLE campaigns (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  createdAt TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'cancelled')),
  spec TEXT NOT NULL CHECK (json_valid(spec))
) STRICT;

-- A site keeps its id over campaigns, so that its history can be drawn; what it is called is each campaign's choice.
CREATE TABLE campaign_sites (
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  siteId INTEGER NOT NULL REFERENCES sites (id),
  name TEXT NOT NULL,
  PRIMARY KEY (campaignId, place),
  UNIQUE (campaignId, siteId)
) STRICT, WITHOUT ROWID;
CREATE INDEX campaign_sites_of_site ON campaign_sites (siteId);

-- The queue. Rounds are inserted in the campaign's random order: their ids are that order.
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
  cancelledBy TEXT CHECK (cancelledBy IN ('user', 'site-given-up', 'losses')),
  CHECK ((state = 'cancelled') = (cancelledBy IS NOT NULL)),
  UNIQUE (campaignId, siteId, condition, view, number),
  FOREIGN KEY (campaignId, siteId) REFERENCES campaign_sites (campaignId, siteId) ON DELETE CASCADE
) STRICT;
CREATE INDEX rounds_of_campaign ON rounds (campaignId);
CREATE INDEX rounds_queued ON rounds (campaignId) WHERE state = 'queued';
CREATE INDEX rounds_leased ON rounds (campaignId) WHERE state = 'leased';

-- Every lease that ever was: one for each attempt of a round.
CREATE TABLE leases (
  id TEXT PRIMARY KEY,
  roundId INTEGER NOT NULL REFERENCES rounds (id) ON DELETE CASCADE,
  attempt INTEGER NOT NULL,
  runner TEXT NOT NULL,
  leasedAt INTEGER NOT NULL,
  expiresAt INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'completed', 'released', 'lost')),
  reason TEXT,
  UNIQUE (roundId, attempt)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX leases_one_active ON leases (roundId) WHERE state = 'active';
CREATE INDEX leases_by_expiry ON leases (expiresAt) WHERE state = 'active';

CREATE TABLE environments (
  id TEXT PRIMARY KEY,
  document TEXT NOT NULL CHECK (json_valid(document))
) STRICT, WITHOUT ROWID;

CREATE TABLE discoveries (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  campaignId INTEGER NOT NULL,
  siteId INTEGER NOT NULL,
  document TEXT NOT NULL CHECK (json_valid(document)),
  FOREIGN KEY (campaignId, siteId) REFERENCES campaign_sites (campaignId, siteId) ON DELETE CASCADE
) STRICT;
CREATE INDEX discoveries_of_campaign ON discoveries (campaignId, siteId);

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
  largestConnectionShare REAL,
  -- Valid with metrics or invalid with a reason, never both; and only what is valid counts.
  CHECK ((verdict = 'valid') = (onLoad IS NOT NULL)),
  CHECK ((verdict = 'invalid') = (reason IS NOT NULL)),
  CHECK (counted = 0 OR verdict = 'valid'),
  CHECK ((cpuOwnShare IS NULL) = (cpuForeignShare IS NULL)),
  FOREIGN KEY (roundId, attempt) REFERENCES leases (roundId, attempt)
) STRICT;
CREATE INDEX visits_of_campaign ON visits (campaignId);
CREATE INDEX visits_of_round ON visits (roundId, attempt, slot, verdict);
-- However the code errs: no slot of a round counts twice.
CREATE UNIQUE INDEX visits_counted_once ON visits (roundId, slot) WHERE counted = 1;

-- Each text of a resource once: the same page is loaded thousands of times. See docs/decisions/0008-resource-storage.md.
CREATE TABLE strings (
  id INTEGER PRIMARY KEY,
  value TEXT NOT NULL UNIQUE
) STRICT;

-- Texts are ids of strings; no foreign keys, since checking fifteen of them for each row would cost more than storing it.
-- Times are whole microseconds, which is as fine as Chrome's clock.
CREATE TABLE resources (
  visitSeq INTEGER NOT NULL REFERENCES visits (seq) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  url INTEGER NOT NULL,
  host INTEGER NOT NULL,
  method INTEGER NOT NULL,
  type INTEGER NOT NULL,
  initiatorType INTEGER NOT NULL,
  initiatorUrl INTEGER,
  linked INTEGER NOT NULL CHECK (linked IN (0, 1)),
  protocol INTEGER,
  connectionId INTEGER,
  connectionReused INTEGER CHECK (connectionReused IN (0, 1)),
  remoteAddress INTEGER,
  alternateProtocolUsage INTEGER,
  startUs INTEGER NOT NULL,
  queueingUs INTEGER,
  dnsUs INTEGER,
  connectUs INTEGER,
  tlsUs INTEGER,
  sendUs INTEGER,
  waitUs INTEGER,
  receiveUs INTEGER,
  endUs INTEGER,
  transferBytes INTEGER NOT NULL,
  bodyBytes INTEGER NOT NULL,
  status INTEGER,
  mimeType INTEGER,
  priority INTEGER,
  cache INTEGER NOT NULL,
  server INTEGER,
  altSvc INTEGER,
  failure INTEGER,
  PRIMARY KEY (visitSeq, seq)
) STRICT, WITHOUT ROWID;
