-- A visit of the engine transaction is a run of REST calls, which has a latency where a page has onLoad. Its table is made anew, since a check can't be changed.
DROP TRIGGER progress_of_lost_attempt;

CREATE TABLE visits_new (
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
  refused TEXT CHECK (refused IS NULL OR json_valid(refused)),
  receiveDrops INTEGER,
  documentHeaders REAL,
  finishedBytes INTEGER,
  blockedRequests INTEGER,
  webSockets INTEGER,
  ipv6Share REAL,
  documentAddress TEXT,
  failed INTEGER NOT NULL DEFAULT 0 CHECK (failed = 0 OR (failed = 1 AND counted = 0 AND verdict = 'invalid')),
  loadTimeoutMs INTEGER,
  settled TEXT,
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

INSERT INTO visits_new (
  seq, id, campaignId, roundId, attempt, slot, protocol, position, retry, startedAt, wallMs, finalUrl, cpuOwnShare, cpuForeignShare, environmentId,
  discoveryId, contentHash, verdict, reason, detail, counted, onLoad, loadEventEnd, domContentLoaded, ttfb, firstPaint, firstContentfulPaint,
  largestContentfulPaint, cumulativeLayoutShift, speedIndex, firstVisualChange, lastVisualChange, totalBlockingTime, linkedDownload, requests,
  transferBytes, connections, hosts, failedRequests, h1Share, h2Share, h3Share, h1ByteShare, h2ByteShare, h3ByteShare, largestConnectionShare, refused,
  receiveDrops, documentHeaders, finishedBytes, blockedRequests, webSockets, ipv6Share, documentAddress, failed, loadTimeoutMs, settled, netlog)
SELECT
  seq, id, campaignId, roundId, attempt, slot, protocol, position, retry, startedAt, wallMs, finalUrl, cpuOwnShare, cpuForeignShare, environmentId,
  discoveryId, contentHash, verdict, reason, detail, counted, onLoad, loadEventEnd, domContentLoaded, ttfb, firstPaint, firstContentfulPaint,
  largestContentfulPaint, cumulativeLayoutShift, speedIndex, firstVisualChange, lastVisualChange, totalBlockingTime, linkedDownload, requests,
  transferBytes, connections, hosts, failedRequests, h1Share, h2Share, h3Share, h1ByteShare, h2ByteShare, h3ByteShare, largestConnectionShare, refused,
  receiveDrops, documentHeaders, finishedBytes, blockedRequests, webSockets, ipv6Share, documentAddress, failed, loadTimeoutMs, settled, netlog
FROM visits;
-- Ids of events go on behind the largest that there ever was.
INSERT INTO sqlite_sequence (name, seq) SELECT 'visits_new', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'visits_new');
UPDATE sqlite_sequence SET seq = max(seq, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'visits'), 0)) WHERE name = 'visits_new';

DROP TABLE visits;
ALTER TABLE visits_new RENAME TO visits;

CREATE INDEX visits_of_campaign ON visits (campaignId);
CREATE INDEX visits_of_round ON visits (roundId, attempt, slot, verdict);
-- However the code errs: no slot of a round counts twice.
CREATE UNIQUE INDEX visits_counted_once ON visits (roundId, slot) WHERE counted = 1;
CREATE UNIQUE INDEX visits_failed_once ON visits (roundId, slot) WHERE failed = 1;
-- Deleting a discovery looks for visits that refer to it.
CREATE INDEX visits_of_discovery ON visits (discoveryId) WHERE discoveryId IS NOT NULL;

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
