-- Columns are named as the API names them, camelCase included: one word for one thing, from here to the dashboard. Where an id is an integer here,
-- the API shows it as text. Times are text as the API writes them; those that are compared, such as the leases', are milliseconds since 1970.

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
  spec TEXT NOT NULL CHECK (json_valid(spec)),
  -- Who created it, how urgently, where, and for which state of the pages.
  priority TEXT NOT NULL DEFAULT 'interactive' CHECK (priority IN ('interactive', 'ci', 'schedule')),
  location TEXT,
  createdBy TEXT,
  finishedAt TEXT,
  "commit" TEXT,
  branch TEXT,
  buildUrl TEXT,
  deletedAt TEXT, -- from then on nobody finds it; its rows go bit by bit
  name TEXT GENERATED ALWAYS AS (spec ->> '$.name') VIRTUAL,
  createdByKind TEXT CHECK (createdByKind IN ('token', 'schedule')), -- a schedule may be named like a token
  repeats INTEGER, -- the campaign of which this one is the second run
  event TEXT, -- what started the pipeline: pull requests are no baseline
  pullRequest INTEGER
) STRICT;
CREATE INDEX campaigns_of_branch ON campaigns (branch) WHERE branch IS NOT NULL;
-- All that a list filters by, in the list's order: a specification can have hundreds of kilobytes, and is read only for the campaigns on the page.
CREATE INDEX campaigns_listed ON campaigns (id, deletedAt, state, priority, createdAt, createdBy, branch, "commit", name);
-- How many campaigns of a token are not done.
CREATE INDEX campaigns_unfinished ON campaigns (createdBy, createdByKind) WHERE state IN ('queued', 'running');

-- How people group sites.
CREATE TABLE site_tags (
  tag TEXT NOT NULL,
  siteId INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  PRIMARY KEY (tag, siteId)
) STRICT, WITHOUT ROWID;
CREATE INDEX site_tags_of_site ON site_tags (siteId);

-- A site keeps its id over campaigns, so that its history can be drawn; each campaign chooses its name.
CREATE TABLE campaign_sites (
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,
  siteId INTEGER NOT NULL REFERENCES sites (id),
  name TEXT NOT NULL,
  -- JSON of what the site has besides its name: visitor, workload, levels; null: nothing.
  own TEXT CHECK (own IS NULL OR json_valid(own)),
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
  failures INTEGER NOT NULL DEFAULT 0, -- a round that runners failed at goes behind the other rounds of its campaign
  CHECK ((state = 'cancelled') = (cancelledBy IS NOT NULL)),
  UNIQUE (campaignId, siteId, condition, view, number),
  FOREIGN KEY (campaignId, siteId) REFERENCES campaign_sites (campaignId, siteId) ON DELETE CASCADE
) STRICT;
CREATE INDEX rounds_of_campaign ON rounds (campaignId);
CREATE INDEX rounds_leased ON rounds (campaignId) WHERE state = 'leased';
CREATE INDEX rounds_queued ON rounds (campaignId, failures) WHERE state = 'queued';

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
  runnerId INTEGER REFERENCES runners (id) ON DELETE SET NULL, -- null: not registered
  tokenId INTEGER REFERENCES tokens (id), -- that requested it; null: access was open
  failed INTEGER NOT NULL DEFAULT 0 CHECK (failed IN (0, 1)), -- released because its runner failed
  endedAt INTEGER, -- null: it is active
  UNIQUE (roundId, attempt)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX leases_one_active ON leases (roundId) WHERE state = 'active';
CREATE INDEX leases_by_expiry ON leases (expiresAt) WHERE state = 'active';
CREATE INDEX leases_active_of_runner ON leases (runnerId) WHERE state = 'active';
CREATE INDEX leases_completed ON leases (endedAt) WHERE state = 'completed';
CREATE INDEX leases_lost ON leases (endedAt) WHERE state = 'lost';

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
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  eventId INTEGER NOT NULL, -- drawn from campaign_progress: visits and lines of the log in the order in which they were stored
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
  refused TEXT CHECK (refused IS NULL OR json_valid(refused)), -- a list: what the link refused
  receiveDrops INTEGER,
  documentHeaders REAL,
  finishedBytes INTEGER,
  blockedRequests INTEGER,
  webSockets INTEGER,
  ipv6Share REAL,
  documentAddress TEXT,
  -- It failed because of the page or its protocol, and counts as slower than every load.
  failed INTEGER NOT NULL DEFAULT 0 CHECK (failed = 0 OR (failed = 1 AND counted = 0 AND verdict = 'invalid')),
  loadTimeoutMs INTEGER,
  settled TEXT, -- JSON: how the page came to rest after its load event
  -- JSON: what Chrome's network log says of an extra visit that was loaded to record it. Such a visit never counts.
  netlog TEXT CHECK (netlog IS NULL OR (counted = 0 AND failed = 0)),
  run TEXT CHECK (run IS NULL OR json_valid(run)), -- of REST calls: what became of its requests
  latency REAL,
  latencyMean REAL,
  latencyP90 REAL,
  latencyP95 REAL,
  latencyP99 REAL,
  latencyMax REAL,
  ttfbMean REAL,
  ttfbP95 REAL,
  ttfbP99 REAL,
  responseTime REAL,
  responseTimeMean REAL,
  responseTimeP95 REAL,
  responseTimeP99 REAL,
  timePerRequest REAL,
  handshake REAL,
  requestsPerSecond REAL,
  bytesPerSecond REAL,
  sentBytes INTEGER,
  clientCpu REAL,
  serverCpu REAL,
  clientMemory INTEGER,
  serverMemory INTEGER,
  packets INTEGER,
  resentPackets INTEGER,
  -- Valid with metrics, of a page or of a run, or invalid with a reason, never both; and only what is valid counts.
  CHECK ((verdict = 'valid') = ((onLoad IS NOT NULL) <> (latency IS NOT NULL))),
  CHECK (onLoad IS NULL OR latency IS NULL),
  CHECK ((verdict = 'invalid') = (reason IS NOT NULL)),
  CHECK (counted = 0 OR verdict = 'valid'),
  CHECK ((cpuOwnShare IS NULL) = (cpuForeignShare IS NULL)),
  FOREIGN KEY (roundId, attempt) REFERENCES leases (roundId, attempt)
) STRICT;
CREATE UNIQUE INDEX visits_of_campaign ON visits (campaignId, eventId);
CREATE INDEX visits_of_round ON visits (roundId, attempt, slot, verdict);
-- However the code errs: no slot of a round counts twice, and none fails twice.
CREATE UNIQUE INDEX visits_counted_once ON visits (roundId, slot) WHERE counted = 1;
CREATE UNIQUE INDEX visits_failed_once ON visits (roundId, slot) WHERE failed = 1;
-- Deleting a discovery looks for visits that refer to it; so does deleting an environment.
CREATE INDEX visits_of_discovery ON visits (discoveryId) WHERE discoveryId IS NOT NULL;
CREATE INDEX visits_of_environment ON visits (environmentId) WHERE environmentId IS NOT NULL;

-- Each text of a resource once: the same page is loaded thousands of times. Found by a hash, since an index of the texts would hold each a second time.
CREATE TABLE strings (
  id INTEGER PRIMARY KEY,
  hash INTEGER NOT NULL,
  value TEXT NOT NULL
) STRICT;
CREATE INDEX strings_by_hash ON strings (hash);

-- The resources of a visit as one packed value; its texts are ids of strings. See docs/decisions/0008-resource-storage.md.
CREATE TABLE resources (
  visitSeq INTEGER PRIMARY KEY REFERENCES visits (seq) ON DELETE CASCADE,
  content BLOB NOT NULL
) STRICT;

-- Since when texts may be unused: resources were removed, and nobody has looked since. At most one row.
CREATE TABLE unused_texts (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  removal INTEGER NOT NULL -- counts removals, so that who looked tells whether there were more
) STRICT;
CREATE TRIGGER texts_may_be_unused AFTER DELETE ON resources BEGIN
  INSERT INTO unused_texts (one, removal) VALUES (1, 1) ON CONFLICT DO UPDATE SET removal = removal + 1;
END;

-- Conditions of users. The presets are code; campaigns carry their conditions whole.
CREATE TABLE conditions (
  name TEXT PRIMARY KEY,
  document TEXT NOT NULL CHECK (json_valid(document))
) STRICT, WITHOUT ROWID;

-- What links were measured to do.
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

-- How far each campaign is, kept by triggers: no writer of rounds or visits can forget it. Visits are those of the attempt that finished a round,
-- or may yet.
CREATE TABLE campaign_progress (
  campaignId INTEGER PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
  queued INTEGER NOT NULL DEFAULT 0,
  leased INTEGER NOT NULL DEFAULT 0,
  done INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0,
  visitsValid INTEGER NOT NULL DEFAULT 0,
  visitsInvalid INTEGER NOT NULL DEFAULT 0,
  -- Another one whenever results become others: counts alone are the same again in a restored backup, of other visits.
  stamp TEXT NOT NULL DEFAULT (hex(randomblob(8))),
  -- The last one drawn. Whoever draws one holds the row until the end of the transaction: they are committed in their order, without gaps.
  eventId INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Leasing looks at the campaigns that have open rounds, never at a million rounds.
CREATE INDEX campaign_progress_open ON campaign_progress (campaignId) WHERE queued > 0 OR leased > 0;
CREATE TRIGGER progress_of_campaign AFTER INSERT ON campaigns BEGIN
  INSERT INTO campaign_progress (campaignId) VALUES (new.id);
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
CREATE TRIGGER progress_of_link_check AFTER INSERT ON link_checks BEGIN
  UPDATE campaign_progress SET stamp = hex(randomblob(8)) WHERE campaignId = new.campaignId;
END;
CREATE TRIGGER progress_of_deleted_round AFTER DELETE ON rounds BEGIN
  UPDATE campaign_progress SET
    queued = queued - (old.state = 'queued'),
    leased = leased - (old.state = 'leased'),
    done = done - (old.state = 'done'),
    cancelled = cancelled - (old.state = 'cancelled')
  WHERE campaignId = old.campaignId;
END;
-- What a lost or released attempt left behind is no progress.
CREATE TRIGGER progress_of_lost_attempt AFTER UPDATE OF state ON rounds WHEN old.state = 'leased' AND new.state IN ('queued', 'cancelled') BEGIN
  UPDATE campaign_progress SET
    visitsValid = visitsValid
      - (SELECT count(*) FROM visits WHERE roundId = old.id AND attempt = old.attempt AND verdict = 'valid' AND netlog IS NULL),
    visitsInvalid = visitsInvalid
      - (SELECT count(*) FROM visits WHERE roundId = old.id AND attempt = old.attempt AND verdict = 'invalid' AND netlog IS NULL)
  WHERE campaignId = new.campaignId;
END;
CREATE TRIGGER progress_of_visit AFTER INSERT ON visits
WHEN new.netlog IS NULL AND EXISTS (SELECT 1 FROM rounds WHERE id = new.roundId AND attempt = new.attempt AND state IN ('leased', 'done')) BEGIN
  UPDATE campaign_progress SET
    visitsValid = visitsValid + (new.verdict = 'valid'),
    visitsInvalid = visitsInvalid + (new.verdict = 'invalid')
  WHERE campaignId = new.campaignId;
END;

-- What was computed from visits, kept so that nobody waits for it twice. See docs/decisions/0013-results.md.
CREATE TABLE results (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- computation × 10^7 + place: 0 for the whole campaign, then its cells in order, from 1
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('summary', 'results', 'comparison')),
  baselineId INTEGER REFERENCES campaigns (id) ON DELETE CASCADE, -- of a comparison, as metric
  metric TEXT,
  siteId TEXT, -- of the cell, as condition and view; null: the whole campaign
  condition TEXT,
  view TEXT,
  version TEXT NOT NULL, -- what it was computed from
  asOf INTEGER NOT NULL, -- milliseconds since 1970
  tookMs INTEGER NOT NULL,
  outline TEXT NOT NULL CHECK (json_valid(outline)), -- what lists filter and count by
  document BLOB, -- JSON, compressed; null while cells are being written
  comparisons BLOB, -- of a cell of results, apart so that lists of them need not read the rest: a line of JSON for each
  CHECK ((kind = 'comparison') = (baselineId IS NOT NULL)),
  CHECK ((kind = 'comparison') = (metric IS NOT NULL))
) STRICT;
CREATE INDEX results_whole ON results (campaignId, kind, baselineId, metric) WHERE siteId IS NULL;
CREATE INDEX results_of_site ON results (siteId) WHERE siteId IS NOT NULL;
CREATE INDEX results_of_campaign ON results (campaignId);
CREATE INDEX results_of_baseline ON results (baselineId) WHERE baselineId IS NOT NULL;

-- What lists of sites show of a done campaign: a row for each cell of its summary, written together with it. No other version of the statistics is shown.
CREATE TABLE site_results (
  siteId INTEGER NOT NULL REFERENCES sites (id),
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  place INTEGER NOT NULL, -- of the cell in the summary
  version INTEGER NOT NULL, -- resultsVersion
  standing INTEGER NOT NULL CHECK (standing BETWEEN 0 AND 2), -- how much it says: 0 of a proposed change; 1 of what is published; 2 also h3 against h2, or as a schedule asks
  condition TEXT NOT NULL,
  view TEXT NOT NULL,
  metric TEXT NOT NULL,
  setup TEXT NOT NULL, -- rows of a site with the same one are comparable
  createdAt TEXT NOT NULL, -- of the campaign
  h2 REAL, -- median; null: none, or among failed loads
  h3 REAL,
  notLoaded TEXT, -- why no visit loaded the page; null: one did
  lost INTEGER NOT NULL CHECK (lost IN (0, 1)), -- whether any cell of the site in this campaign was loaded by no visit, or by none over one of the protocols
  answer TEXT NOT NULL CHECK (json_valid(answer)),
  PRIMARY KEY (siteId, campaignId DESC, place)
) STRICT, WITHOUT ROWID;
-- All that a line of points needs: the rest of a row is twenty times as long.
CREATE INDEX site_results_points ON site_results (siteId, setup, createdAt, campaignId, h2, h3);
-- Which row a site is shown by.
CREATE INDEX site_results_newest ON site_results (siteId, standing DESC, campaignId DESC, place);
CREATE INDEX site_results_of_campaign ON site_results (campaignId);

-- What happened to a campaign, in lines, numbered in each campaign. afterVisit is the newest visit of the campaign when the line was written.
CREATE TABLE campaign_log (
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  eventId INTEGER NOT NULL,
  time TEXT NOT NULL,
  level TEXT NOT NULL CHECK (level IN ('info', 'warn')),
  event TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (campaignId, number)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX campaign_log_by_event ON campaign_log (campaignId, eventId);

-- One row for each campaign: what its runner must be able to do, and its place in the order.
CREATE TABLE queue_entries (
  campaignId INTEGER PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
  rank INTEGER NOT NULL CHECK (rank BETWEEN 0 AND 2), -- of its priority: 0 goes first
  location TEXT, -- null: any
  shapes INTEGER NOT NULL CHECK (shapes IN (0, 1)), -- whether a condition of it must be put on the link
  engine TEXT NOT NULL,
  browser TEXT NOT NULL,
  queuedAt INTEGER NOT NULL,
  waitingSince INTEGER NOT NULL, -- when a round of it was leased last, or when it was queued
  isolation TEXT NOT NULL DEFAULT 'context' -- only some runners can give each visit a container
) STRICT;

-- Times that are compared are milliseconds since 1970, as those of leases.
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
  turnBeganAt INTEGER,
  signs INTEGER NOT NULL DEFAULT 0 -- the sequence of the last heartbeat that counted: heartbeats overtake each other on their way
) STRICT;
CREATE INDEX runners_turns ON runners (turnCampaignId) WHERE turnCampaignId IS NOT NULL;

CREATE TABLE tokens (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('viewer', 'submitter', 'runner', 'admin')),
  hash BLOB NOT NULL UNIQUE, -- SHA-256; the token itself is nowhere
  createdAt TEXT NOT NULL,
  createdBy TEXT,
  expiresAt TEXT,
  lastUsedAt TEXT,
  revokedAt TEXT,
  scope TEXT CHECK (scope IS NULL OR json_valid(scope)), -- what it may do less than its role
  issuer TEXT -- for a rule of access.oidc: who issues the tokens that count as this one. No token has the hash of a rule.
) STRICT;
-- The audit log and campaigns refer to tokens by name: no two that can be used have the same.
CREATE UNIQUE INDEX tokens_name_once ON tokens (name) WHERE revokedAt IS NULL;

-- Browsers that are signed in. Each has the rights of its token, for a while.
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

-- What pages need and nobody may read again: sealed by a key that is not in the database.
CREATE TABLE secrets (
  name TEXT PRIMARY KEY,
  sealed BLOB NOT NULL,
  hosts TEXT NOT NULL,
  changedAt TEXT NOT NULL,
  changedBy TEXT
) STRICT;

-- What was created under which Idempotency-Key, so that a request that is sent again creates nothing twice. tokenId: 0 where access is open.
CREATE TABLE idempotency_keys (
  tokenId INTEGER NOT NULL,
  key TEXT NOT NULL,
  request BLOB NOT NULL,
  made TEXT NOT NULL,
  createdAt INTEGER NOT NULL,
  PRIMARY KEY (tokenId, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (createdAt);

-- By what servers show that they may be loaded with REST calls: one line for the whole service, which is no secret.
CREATE TABLE ownership_token (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  token TEXT NOT NULL
) STRICT;

-- Named gates.
CREATE TABLE gates (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  createdAt TEXT NOT NULL,
  changedAt TEXT NOT NULL,
  createdBy TEXT,
  campaign TEXT CHECK (campaign IS NULL OR json_valid(campaign)), -- null: it judges what others measure
  rules TEXT NOT NULL CHECK (json_valid(rules))
) STRICT;

-- One row for each question to a campaign: it waits until the campaign is done, is answered once, and stays so.
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
  outcome TEXT CHECK (outcome IN ('pass', 'fail', 'inconclusive', 'unmeasured')),
  result TEXT CHECK (result IS NULL OR json_valid(result)),
  CHECK ((checkedAt IS NULL) = (outcome IS NULL) AND (checkedAt IS NULL) = (result IS NULL)),
  UNIQUE (campaignId, question)
) STRICT;
CREATE INDEX gate_answers_of_gate ON gate_answers (gateId) WHERE gateId IS NOT NULL;
CREATE INDEX gate_answers_waiting ON gate_answers (campaignId) WHERE checkedAt IS NULL;
-- Which campaigns a failed gate had as its other run.
CREATE INDEX gate_answers_other_run ON gate_answers (result ->> '$.baseline.otherRun') WHERE outcome = 'fail';

-- What an answer says of each site of its campaign: the worst outcome of its checks. Of campaigns that measure what is published alone.
CREATE TABLE gate_answer_sites (
  siteId INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  campaignId INTEGER NOT NULL, -- of the answer: of an older campaign it may be the newer one
  answerId INTEGER NOT NULL REFERENCES gate_answers (id) ON DELETE CASCADE,
  outcome TEXT NOT NULL CHECK (outcome IN ('pass', 'fail', 'inconclusive', 'unmeasured')),
  PRIMARY KEY (siteId, campaignId, answerId)
) STRICT, WITHOUT ROWID;
CREATE INDEX gate_answer_sites_of_answer ON gate_answer_sites (answerId);

-- Cron expressions with the campaigns that they start. Times that are compared are milliseconds since 1970; the others are text.
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
CREATE INDEX schedules_of_token ON schedules (createdBy);

CREATE TABLE schedule_starts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  scheduleId INTEGER NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
  dueAt INTEGER, -- null: by hand
  decidedAt INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('started', 'missed', 'overlapping', 'failed')),
  campaignId INTEGER REFERENCES campaigns (id) ON DELETE SET NULL,
  words TEXT NOT NULL,
  startedBy TEXT, -- the token that started the campaign by hand: it counts among that token's own
  UNIQUE (scheduleId, dueAt) -- however many processes look at one file: no time is decided on twice
) STRICT;
CREATE UNIQUE INDEX schedule_starts_of_campaign ON schedule_starts (campaignId) WHERE campaignId IS NOT NULL;
CREATE INDEX schedule_starts_of_schedule ON schedule_starts (scheduleId, campaignId);
CREATE INDEX schedule_starts_by_hand ON schedule_starts (startedBy, campaignId) WHERE startedBy IS NOT NULL;

-- The primary metric of each done campaign of a schedule, kept when its visits are not. A series is what is comparable over campaigns: site,
-- condition with its numbers, view, protocol, metric, and how it is measured.
CREATE TABLE schedule_medians (
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  series TEXT NOT NULL,
  median REAL NOT NULL,
  failing INTEGER NOT NULL CHECK (failing IN (0, 1)), -- half of the loads or more: the median is the least that they would have taken
  PRIMARY KEY (campaignId, series)
) STRICT, WITHOUT ROWID;

CREATE TABLE schedule_regressions (
  campaignId INTEGER PRIMARY KEY REFERENCES campaigns (id) ON DELETE CASCADE,
  document TEXT NOT NULL CHECK (json_valid(document))
) STRICT;

-- What is wrong until a later campaign is fine: at most one of each subject, whoever stores it. What it says, and what later campaigns are judged by, stands
-- with the campaigns that show it, so that one of a deleted campaign is none.
CREATE TABLE alerts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('regression', 'gate-failed', 'site-unmeasured')),
  subject TEXT NOT NULL,
  scheduleId INTEGER REFERENCES schedules (id) ON DELETE CASCADE, -- nobody would ever resolve it
  gateId INTEGER REFERENCES gates (id) ON DELETE CASCADE,
  newestCampaignId INTEGER NOT NULL, -- that shows or resolves it; an older one that ends later changes nothing
  acknowledgedAt TEXT,
  acknowledgedBy TEXT,
  resolvedAt TEXT
) STRICT;
CREATE UNIQUE INDEX alerts_once ON alerts (subject) WHERE resolvedAt IS NULL;
CREATE INDEX alerts_of_subject ON alerts (subject, newestCampaignId);
CREATE INDEX alerts_unresolved ON alerts (id) WHERE resolvedAt IS NULL;
CREATE INDEX alerts_of_schedule ON alerts (scheduleId) WHERE scheduleId IS NOT NULL;
CREATE INDEX alerts_of_gate ON alerts (gateId) WHERE gateId IS NOT NULL;

CREATE TABLE alert_campaigns (
  alertId INTEGER NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  at TEXT NOT NULL,
  title TEXT NOT NULL,
  words TEXT NOT NULL,
  since TEXT CHECK (since IS NULL OR json_valid(since)),
  facts TEXT NOT NULL CHECK (json_valid(facts)),
  PRIMARY KEY (alertId, campaignId)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_campaigns_of_campaign ON alert_campaigns (campaignId);

-- The sites that an alert is about, as its newest campaign shows it.
CREATE TABLE alert_sites (
  alertId INTEGER NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
  siteId INTEGER NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  PRIMARY KEY (alertId, siteId)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_sites_of_site ON alert_sites (siteId);
CREATE TRIGGER alerts_of_deleted_campaign AFTER DELETE ON alert_campaigns
WHEN NOT EXISTS (SELECT 1 FROM alert_campaigns WHERE alertId = old.alertId) BEGIN
  DELETE FROM alerts WHERE id = old.alertId;
END;

-- Who is notified, and the outbox: a delivery is written in the transaction of its event.
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
-- Deliveries that are over are forgotten by their age.
CREATE INDEX notification_deliveries_over ON notification_deliveries (createdAt) WHERE state <> 'waiting';

-- HAR files of others, counted: which hosts advertised which versions of HTTP/3 and QUIC by Alt-Svc.
CREATE TABLE imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  createdAt TEXT NOT NULL,
  createdBy TEXT,
  name TEXT, -- as the sender calls it
  contentHash TEXT NOT NULL UNIQUE, -- SHA-256 of the HAR, unpacked: the same file counts once
  creator TEXT,
  pages INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  hosts INTEGER, -- how many answered; null while it does not count
  months TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(months)) -- in which its requests were made, sorted
) STRICT;

-- One row for each answer of a host that differs in what it says.
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

-- Which evidence of visits there is. A file of the evidence folder is named by the SHA-256 of its content, so that equal content is there once. See
-- docs/decisions/0029-evidence.md.
CREATE TABLE evidence (
  visitSeq INTEGER NOT NULL REFERENCES visits (seq) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  campaignId INTEGER NOT NULL,
  hash BLOB NOT NULL,
  bytes INTEGER NOT NULL,
  mediaType TEXT NOT NULL,
  storedAt INTEGER NOT NULL, -- milliseconds since 1970
  rank INTEGER NOT NULL CHECK (rank IN (0, 1, 2, 3)), -- what goes first: 0 what its campaign's policy does without, 1 valid, 2 invalid or an outlier, 3 pinned
  gone TEXT CHECK (gone IN ('budget', 'policy', 'lost')), -- null: the file is there
  PRIMARY KEY (visitSeq, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_by_rank ON evidence (rank, campaignId, visitSeq) WHERE gone IS NULL;
CREATE INDEX evidence_by_hash ON evidence (hash);

-- The files that there are, and how many rows above need each. A file that is no longer needed goes before its row does.
CREATE TABLE evidence_files (
  hash BLOB PRIMARY KEY,
  bytes INTEGER NOT NULL,
  refs INTEGER NOT NULL DEFAULT 0 CHECK (refs >= 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX evidence_files_unused ON evidence_files (hash) WHERE refs = 0;

-- What is being received, with the space that it was promised.
CREATE TABLE evidence_incoming (
  name TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  since INTEGER NOT NULL -- milliseconds since 1970
) STRICT, WITHOUT ROWID;

-- Visits whose evidence is to be kept.
CREATE TABLE evidence_pins (
  visitSeq INTEGER PRIMARY KEY REFERENCES visits (seq) ON DELETE CASCADE,
  pinnedAt INTEGER NOT NULL, -- milliseconds since 1970
  pinnedBy TEXT
) STRICT;

-- Sums of the above: files, incoming, and what each rank refers to. Kept by triggers, or each upload would add up all of it.
CREATE TABLE evidence_usage (
  what TEXT PRIMARY KEY,
  count INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO evidence_usage (what, count, bytes)
VALUES ('files', 0, 0), ('incoming', 0, 0), ('rank-0', 0, 0), ('rank-1', 0, 0), ('rank-2', 0, 0), ('rank-3', 0, 0);
CREATE TRIGGER evidence_came AFTER INSERT ON evidence WHEN new.gone IS NULL BEGIN
  UPDATE evidence_files SET refs = refs + 1 WHERE hash = new.hash;
  UPDATE evidence_usage SET count = count + 1, bytes = bytes + new.bytes WHERE what = 'rank-' || new.rank;
END;
CREATE TRIGGER evidence_went AFTER DELETE ON evidence WHEN old.gone IS NULL BEGIN
  UPDATE evidence_files SET refs = refs - 1 WHERE hash = old.hash;
  UPDATE evidence_usage SET count = count - 1, bytes = bytes - old.bytes WHERE what = 'rank-' || old.rank;
END;
CREATE TRIGGER evidence_left AFTER UPDATE OF hash, bytes, rank, gone ON evidence WHEN old.gone IS NULL BEGIN
  UPDATE evidence_files SET refs = refs - 1 WHERE hash = old.hash;
  UPDATE evidence_usage SET count = count - 1, bytes = bytes - old.bytes WHERE what = 'rank-' || old.rank;
END;
CREATE TRIGGER evidence_is_there AFTER UPDATE OF hash, bytes, rank, gone ON evidence WHEN new.gone IS NULL BEGIN
  UPDATE evidence_files SET refs = refs + 1 WHERE hash = new.hash;
  UPDATE evidence_usage SET count = count + 1, bytes = bytes + new.bytes WHERE what = 'rank-' || new.rank;
END;
CREATE TRIGGER evidence_file_came AFTER INSERT ON evidence_files BEGIN
  UPDATE evidence_usage SET count = count + 1, bytes = bytes + new.bytes WHERE what = 'files';
END;
CREATE TRIGGER evidence_file_went AFTER DELETE ON evidence_files BEGIN
  UPDATE evidence_usage SET count = count - 1, bytes = bytes - old.bytes WHERE what = 'files';
END;
CREATE TRIGGER evidence_comes AFTER INSERT ON evidence_incoming BEGIN
  UPDATE evidence_usage SET count = count + 1, bytes = bytes + new.bytes WHERE what = 'incoming';
END;
CREATE TRIGGER evidence_grows AFTER UPDATE OF bytes ON evidence_incoming BEGIN
  UPDATE evidence_usage SET bytes = bytes + new.bytes - old.bytes WHERE what = 'incoming';
END;
CREATE TRIGGER evidence_arrived AFTER DELETE ON evidence_incoming BEGIN
  UPDATE evidence_usage SET count = count - 1, bytes = bytes - old.bytes WHERE what = 'incoming';
END;

-- What happened since this database was made, for /metrics: counted where it happens, by any process, and never less when campaigns are deleted.
-- `le` is the upper bound of the duration in seconds, as in a histogram of Prometheus; null: beyond the last.
CREATE TABLE totals (
  what TEXT NOT NULL,
  labels TEXT NOT NULL CHECK (json_valid(labels)),
  count INTEGER NOT NULL,
  seconds REAL NOT NULL DEFAULT 0, -- all durations together
  PRIMARY KEY (what, labels)
) STRICT, WITHOUT ROWID;
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
CREATE TRIGGER link_checks_total AFTER INSERT ON link_checks BEGIN
  INSERT INTO totals (what, labels, count)
  VALUES ('link-checks', json_object('outcome', iif(json_array_length(new.document, '$.faults') = 0, 'ok', 'faulty')), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER campaigns_total AFTER INSERT ON campaigns BEGIN
  INSERT INTO totals (what, labels, count) VALUES ('campaigns', json_object('priority', new.priority, 'state', 'made'), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER campaigns_done_total AFTER UPDATE OF state ON campaigns WHEN new.state IN ('done', 'cancelled') AND old.state <> new.state BEGIN
  INSERT INTO totals (what, labels, count) VALUES ('campaigns', json_object('priority', new.priority, 'state', new.state), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER schedule_starts_total AFTER INSERT ON schedule_starts BEGIN
  INSERT INTO totals (what, labels, count) VALUES ('schedule-starts', json_object('outcome', new.outcome), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER deliveries_total AFTER UPDATE OF state ON notification_deliveries WHEN new.state <> old.state AND new.state <> 'waiting' BEGIN
  INSERT INTO totals (what, labels, count) VALUES ('deliveries', json_object('result', new.state), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER evidence_removed_total AFTER UPDATE OF gone ON evidence WHEN old.gone IS NULL AND new.gone IS NOT NULL BEGIN
  INSERT INTO totals (what, labels, count) VALUES ('evidence-removed', json_object('why', new.gone), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
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

-- How far retention has come: contents of the visits up to this one are removed.
CREATE TABLE retention_marks (
  what TEXT PRIMARY KEY CHECK (what IN ('resources', 'evidence')),
  throughSeq INTEGER NOT NULL,
  removedAt TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What one process does once a day, and a row that /readyz writes to.
CREATE TABLE daily_jobs (
  name TEXT PRIMARY KEY,
  startedAt INTEGER NOT NULL -- milliseconds since 1970
) STRICT, WITHOUT ROWID;

-- What the machine's clock said when it was last believed, and since when it says something far from that; milliseconds since 1970.
CREATE TABLE clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  believedAt INTEGER NOT NULL,
  doubtedAt INTEGER, -- its latest time since it is doubted; null: it is believed
  ranMs INTEGER NOT NULL DEFAULT 0 -- how long a service has run by the doubted clock
) STRICT;

-- Addresses that open one thing without a token, until a day or until they are revoked. They go with what they open.
CREATE TABLE public_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('result', 'card', 'badge')),
  campaignId INTEGER REFERENCES campaigns (id) ON DELETE CASCADE,
  gateId INTEGER REFERENCES gates (id) ON DELETE CASCADE,
  siteId INTEGER REFERENCES sites (id) ON DELETE CASCADE,
  shows TEXT NOT NULL CHECK (json_valid(shows)), -- the query of a badge
  hash BLOB NOT NULL UNIQUE, -- SHA-256; the secret itself is nowhere
  createdAt TEXT NOT NULL,
  createdBy TEXT,
  expiresAt TEXT NOT NULL,
  lastUsedAt TEXT,
  revokedAt TEXT,
  CHECK ((campaignId IS NOT NULL) + (gateId IS NOT NULL) + (siteId IS NOT NULL) = 1)
) STRICT;
CREATE INDEX public_links_by_campaign ON public_links (campaignId);
CREATE INDEX public_links_by_gate ON public_links (gateId);
CREATE INDEX public_links_by_site ON public_links (siteId);
