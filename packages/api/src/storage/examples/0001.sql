PRAGMA application_id = 1347571534;
PRAGMA user_version = 1;
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
) STRICT;
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
CREATE TABLE sites (
  id INTEGER PRIMARY KEY,
  url TEXT NOT NULL, -- as Chrome writes it
  expectStatus INTEGER NOT NULL,
  UNIQUE (url, expectStatus)
) STRICT;
CREATE TABLE strings (
  id INTEGER PRIMARY KEY,
  value TEXT NOT NULL UNIQUE
) STRICT;
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
INSERT INTO campaign_sites ("campaignId", "place", "siteId", "name") VALUES (1, 0, 1, 'shop');
INSERT INTO campaign_sites ("campaignId", "place", "siteId", "name") VALUES (1, 1, 2, 'other.example');
INSERT INTO campaign_sites ("campaignId", "place", "siteId", "name") VALUES (2, 0, 1, 'shop');
INSERT INTO campaigns ("id", "createdAt", "state", "spec") VALUES (1, '2026-03-01T12:00:00.000Z', 'running', '{"name":"shop and 1 more","sites":[{"url":"https://site.example/","name":"shop","expectStatus":200},{"url":"https://other.example/","name":"other.example","expectStatus":200}],"conditions":["native"],"protocols":["h2","h3"],"views":["cold"],"rounds":2,"engine":"puppeteer","discovery":"forced","isolation":"context","browser":"chrome","primaryMetric":"onLoad","seed":7,"limits":{"loadTimeoutMs":60000,"quietMs":100,"settleMaxMs":3000,"retries":2,"foreignCpuShare":0.2,"maxRequests":10000,"maxTransferBytes":500000000}}');
INSERT INTO campaigns ("id", "createdAt", "state", "spec") VALUES (2, '2026-03-01T12:01:01.000Z', 'cancelled', '{"name":"shop","sites":[{"url":"https://site.example/","name":"shop","expectStatus":200}],"conditions":["native"],"protocols":["h1"],"views":["cold"],"rounds":1,"engine":"puppeteer","discovery":"forced","isolation":"context","browser":"chrome","primaryMetric":"onLoad","seed":736534670,"limits":{"loadTimeoutMs":60000,"quietMs":100,"settleMaxMs":3000,"retries":2,"foreignCpuShare":0.2,"maxRequests":10000,"maxTransferBytes":500000000}}');
INSERT INTO discoveries ("seq", "id", "campaignId", "siteId", "document") VALUES (1, '3ed68e32-b74b-44b5-80b7-a5c9529df262', 1, 1, '{"byteCoverage":1,"campaignId":"1","discoveredAt":"2026-03-01T11:59:00.000Z","failure":null,"finalUrl":"https://site.example/","forced":["site.example:443"],"hosts":[],"id":"3ed68e32-b74b-44b5-80b7-a5c9529df262","objectCoverage":1,"redirects":[],"runner":"runner","siteId":"1"}');
INSERT INTO environments ("id", "document") VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '{"browser":{"executable":"/usr/bin/chromium","flags":["--disable-quic"],"preferences":{},"product":"Chrome/156.0.8078.79","sandbox":true},"id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","link":{"backend":"native","congestionControl":"cubic"},"machine":{"arch":"x64","cores":2,"cpu":"a processor","kernel":"Linux 6.1","memoryBytes":8000000000},"origin":null,"runner":{"node":"v24.0.0","version":"0.1.0"}}');
INSERT INTO leases ("id", "roundId", "attempt", "runner", "leasedAt", "expiresAt", "state", "reason") VALUES ('235392ab-1085-41ea-93c3-8bae8771f72f', 1, 1, 'runner', 1772366400000, 1772366460000, 'lost', 'no sign of life until 2026-03-01T12:01:00.000Z');
INSERT INTO leases ("id", "roundId", "attempt", "runner", "leasedAt", "expiresAt", "state", "reason") VALUES ('4f587437-1ba0-4db7-a053-6ae9f969867b', 1, 2, 'runner', 1772366461000, 1772366521000, 'completed', NULL);
INSERT INTO leases ("id", "roundId", "attempt", "runner", "leasedAt", "expiresAt", "state", "reason") VALUES ('9b75a350-c72b-4695-991d-f224b4807dbd', 2, 1, 'runner', 1772366461000, 1772366521000, 'released', 'The runner was told to stop.');
INSERT INTO leases ("id", "roundId", "attempt", "runner", "leasedAt", "expiresAt", "state", "reason") VALUES ('d46b8767-7124-4100-9f65-fefb8e18ac2c', 2, 2, 'runner', 1772366461000, 1772366521000, 'active', NULL);
INSERT INTO resources ("visitSeq", "seq", "url", "host", "method", "type", "initiatorType", "initiatorUrl", "linked", "protocol", "connectionId", "connectionReused", "remoteAddress", "alternateProtocolUsage", "startUs", "queueingUs", "dnsUs", "connectUs", "tlsUs", "sendUs", "waitUs", "receiveUs", "endUs", "transferBytes", "bodyBytes", "status", "mimeType", "priority", "cache", "server", "altSvc", "failure") VALUES (1, 0, 1, 2, 3, 4, 5, NULL, 1, 6, 17, 0, 7, NULL, 1, 250, 1500, 12345, 12345, 100, 21987, 3003, 38000, 20000, 19800, 200, 8, 9, 10, 11, 12, NULL);
INSERT INTO resources ("visitSeq", "seq", "url", "host", "method", "type", "initiatorType", "initiatorUrl", "linked", "protocol", "connectionId", "connectionReused", "remoteAddress", "alternateProtocolUsage", "startUs", "queueingUs", "dnsUs", "connectUs", "tlsUs", "sendUs", "waitUs", "receiveUs", "endUs", "transferBytes", "bodyBytes", "status", "mimeType", "priority", "cache", "server", "altSvc", "failure") VALUES (1, 1, 13, 2, 3, 14, 15, 16, 1, 6, 17, 1, 7, NULL, 10126, 250, NULL, NULL, NULL, 100, 21987, 3003, 48125, 20001, 19801, 200, 17, 18, 10, 11, 12, NULL);
INSERT INTO resources ("visitSeq", "seq", "url", "host", "method", "type", "initiatorType", "initiatorUrl", "linked", "protocol", "connectionId", "connectionReused", "remoteAddress", "alternateProtocolUsage", "startUs", "queueingUs", "dnsUs", "connectUs", "tlsUs", "sendUs", "waitUs", "receiveUs", "endUs", "transferBytes", "bodyBytes", "status", "mimeType", "priority", "cache", "server", "altSvc", "failure") VALUES (2, 0, 1, 2, 3, 4, 5, NULL, 1, 6, 17, 0, 7, NULL, 1, 250, 1500, 12345, 12345, 100, 21987, 3003, 38000, 20000, 19800, 200, 8, 9, 10, 11, 12, NULL);
INSERT INTO resources ("visitSeq", "seq", "url", "host", "method", "type", "initiatorType", "initiatorUrl", "linked", "protocol", "connectionId", "connectionReused", "remoteAddress", "alternateProtocolUsage", "startUs", "queueingUs", "dnsUs", "connectUs", "tlsUs", "sendUs", "waitUs", "receiveUs", "endUs", "transferBytes", "bodyBytes", "status", "mimeType", "priority", "cache", "server", "altSvc", "failure") VALUES (2, 1, 13, 2, 3, 14, 15, 16, 1, 6, 17, 1, 7, NULL, 10126, 250, NULL, NULL, NULL, 100, 21987, 3003, 48125, 20001, 19801, 200, 17, 18, 10, 11, 12, NULL);
INSERT INTO resources ("visitSeq", "seq", "url", "host", "method", "type", "initiatorType", "initiatorUrl", "linked", "protocol", "connectionId", "connectionReused", "remoteAddress", "alternateProtocolUsage", "startUs", "queueingUs", "dnsUs", "connectUs", "tlsUs", "sendUs", "waitUs", "receiveUs", "endUs", "transferBytes", "bodyBytes", "status", "mimeType", "priority", "cache", "server", "altSvc", "failure") VALUES (4, 0, 1, 2, 3, 4, 5, NULL, 1, 6, 17, 0, 7, NULL, 1, 250, 1500, 12345, 12345, 100, 21987, 3003, 38000, 20000, 19800, 200, 8, 9, 10, 11, 12, NULL);
INSERT INTO resources ("visitSeq", "seq", "url", "host", "method", "type", "initiatorType", "initiatorUrl", "linked", "protocol", "connectionId", "connectionReused", "remoteAddress", "alternateProtocolUsage", "startUs", "queueingUs", "dnsUs", "connectUs", "tlsUs", "sendUs", "waitUs", "receiveUs", "endUs", "transferBytes", "bodyBytes", "status", "mimeType", "priority", "cache", "server", "altSvc", "failure") VALUES (4, 1, 13, 2, 3, 14, 15, 16, 1, 6, 17, 1, 7, NULL, 10126, 250, NULL, NULL, NULL, 100, 21987, 3003, 48125, 20001, 19801, 200, 17, 18, 10, 11, 12, NULL);
INSERT INTO rounds ("id", "campaignId", "siteId", "condition", "view", "number", "slotOrder", "state", "attempt", "losses", "reason", "cancelledBy") VALUES (1, 1, 1, 'native', 'cold', 1, '[0,1]', 'done', 2, 1, NULL, NULL);
INSERT INTO rounds ("id", "campaignId", "siteId", "condition", "view", "number", "slotOrder", "state", "attempt", "losses", "reason", "cancelledBy") VALUES (2, 1, 2, 'native', 'cold', 1, '[1,0]', 'leased', 2, 0, 'Attempt 1 was released: The runner was told to stop.', NULL);
INSERT INTO rounds ("id", "campaignId", "siteId", "condition", "view", "number", "slotOrder", "state", "attempt", "losses", "reason", "cancelledBy") VALUES (3, 1, 2, 'native', 'cold', 2, '[0,1]', 'queued', 0, 0, NULL, NULL);
INSERT INTO rounds ("id", "campaignId", "siteId", "condition", "view", "number", "slotOrder", "state", "attempt", "losses", "reason", "cancelledBy") VALUES (4, 1, 1, 'native', 'cold', 2, '[1,0]', 'queued', 0, 0, NULL, NULL);
INSERT INTO rounds ("id", "campaignId", "siteId", "condition", "view", "number", "slotOrder", "state", "attempt", "losses", "reason", "cancelledBy") VALUES (5, 2, 1, 'native', 'cold', 1, '[0]', 'cancelled', 0, 0, 'The campaign was cancelled.', 'user');
INSERT INTO sites ("id", "url", "expectStatus") VALUES (1, 'https://site.example/', 200);
INSERT INTO sites ("id", "url", "expectStatus") VALUES (2, 'https://other.example/', 200);
INSERT INTO strings ("id", "value") VALUES (1, 'https://site.example/assets/picture-0.webp?v=3');
INSERT INTO strings ("id", "value") VALUES (2, 'site.example');
INSERT INTO strings ("id", "value") VALUES (3, 'GET');
INSERT INTO strings ("id", "value") VALUES (4, 'Document');
INSERT INTO strings ("id", "value") VALUES (5, 'other');
INSERT INTO strings ("id", "value") VALUES (6, 'h3');
INSERT INTO strings ("id", "value") VALUES (7, '192.0.2.1:443');
INSERT INTO strings ("id", "value") VALUES (8, 'text/html');
INSERT INTO strings ("id", "value") VALUES (9, 'VeryHigh');
INSERT INTO strings ("id", "value") VALUES (10, 'none');
INSERT INTO strings ("id", "value") VALUES (11, 'nginx/1.29.2');
INSERT INTO strings ("id", "value") VALUES (12, 'h3=":443"; ma=86400');
INSERT INTO strings ("id", "value") VALUES (13, 'https://site.example/assets/picture-1.webp?v=3');
INSERT INTO strings ("id", "value") VALUES (14, 'Image');
INSERT INTO strings ("id", "value") VALUES (15, 'parser');
INSERT INTO strings ("id", "value") VALUES (16, 'https://site.example/');
INSERT INTO strings ("id", "value") VALUES (17, 'image/webp');
INSERT INTO strings ("id", "value") VALUES (18, 'Low');
INSERT INTO visits ("seq", "id", "campaignId", "roundId", "attempt", "slot", "protocol", "position", "retry", "startedAt", "wallMs", "finalUrl", "cpuOwnShare", "cpuForeignShare", "environmentId", "discoveryId", "contentHash", "verdict", "reason", "detail", "counted", "onLoad", "loadEventEnd", "domContentLoaded", "ttfb", "firstPaint", "firstContentfulPaint", "largestContentfulPaint", "cumulativeLayoutShift", "speedIndex", "firstVisualChange", "lastVisualChange", "totalBlockingTime", "linkedDownload", "requests", "transferBytes", "connections", "hosts", "failedRequests", "h1Share", "h2Share", "h3Share", "h1ByteShare", "h2ByteShare", "h3ByteShare", "largestConnectionShare") VALUES (1, '73f625e4-7be0-429c-9126-2e46547698d5', 1, 1, 1, 0, 'h2', 0, 0, '2026-03-01T12:00:00.250Z', 1234.5, 'https://site.example/', 0.5, 0.01, NULL, NULL, X'1E719C095F1510EA35822A0522CB99127AE9EDD915CF5726DECB5018E0F2C99A', 'valid', NULL, NULL, 0, 100.0, 101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0, 108.0, 109.0, 110.0, 111.0, 112.0, 113, 114, 115, 116, 117, 0.18, 0.19, 0.2, 0.21, 0.22, 0.23, 0.24);
INSERT INTO visits ("seq", "id", "campaignId", "roundId", "attempt", "slot", "protocol", "position", "retry", "startedAt", "wallMs", "finalUrl", "cpuOwnShare", "cpuForeignShare", "environmentId", "discoveryId", "contentHash", "verdict", "reason", "detail", "counted", "onLoad", "loadEventEnd", "domContentLoaded", "ttfb", "firstPaint", "firstContentfulPaint", "largestContentfulPaint", "cumulativeLayoutShift", "speedIndex", "firstVisualChange", "lastVisualChange", "totalBlockingTime", "linkedDownload", "requests", "transferBytes", "connections", "hosts", "failedRequests", "h1Share", "h2Share", "h3Share", "h1ByteShare", "h2ByteShare", "h3ByteShare", "largestConnectionShare") VALUES (2, '8d98c86f-46aa-4cab-9adc-6ea963e1535e', 1, 1, 2, 0, 'h2', 0, 0, '2026-03-01T12:00:00.250Z', 1234.5, 'https://site.example/', 0.5, 0.01, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '3ed68e32-b74b-44b5-80b7-a5c9529df262', X'0986B5883237CA85A256D7C0D83C7B89032BDB70507965106063BABCBC0B4D8A', 'valid', NULL, NULL, 1, 100.0, 101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0, 108.0, 109.0, 110.0, 111.0, 112.0, 113, 114, 115, 116, 117, 0.18, 0.19, 0.2, 0.21, 0.22, 0.23, 0.24);
INSERT INTO visits ("seq", "id", "campaignId", "roundId", "attempt", "slot", "protocol", "position", "retry", "startedAt", "wallMs", "finalUrl", "cpuOwnShare", "cpuForeignShare", "environmentId", "discoveryId", "contentHash", "verdict", "reason", "detail", "counted", "onLoad", "loadEventEnd", "domContentLoaded", "ttfb", "firstPaint", "firstContentfulPaint", "largestContentfulPaint", "cumulativeLayoutShift", "speedIndex", "firstVisualChange", "lastVisualChange", "totalBlockingTime", "linkedDownload", "requests", "transferBytes", "connections", "hosts", "failedRequests", "h1Share", "h2Share", "h3Share", "h1ByteShare", "h2ByteShare", "h3ByteShare", "largestConnectionShare") VALUES (3, '12093e7f-2eb2-49fe-af9c-74da82cee8cf', 1, 1, 2, 1, 'h3', 1, 0, '2026-03-01T12:00:00.250Z', 1234.5, 'https://site.example/', 0.5, 0.01, NULL, NULL, X'B88766AD42CAC1DF445B56082B4DCE4AADA187FED593C7BDBB849DCADD5900DE', 'invalid', 'quic-error', 'QUIC handshake failed.', 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO visits ("seq", "id", "campaignId", "roundId", "attempt", "slot", "protocol", "position", "retry", "startedAt", "wallMs", "finalUrl", "cpuOwnShare", "cpuForeignShare", "environmentId", "discoveryId", "contentHash", "verdict", "reason", "detail", "counted", "onLoad", "loadEventEnd", "domContentLoaded", "ttfb", "firstPaint", "firstContentfulPaint", "largestContentfulPaint", "cumulativeLayoutShift", "speedIndex", "firstVisualChange", "lastVisualChange", "totalBlockingTime", "linkedDownload", "requests", "transferBytes", "connections", "hosts", "failedRequests", "h1Share", "h2Share", "h3Share", "h1ByteShare", "h2ByteShare", "h3ByteShare", "largestConnectionShare") VALUES (4, 'ecf25686-f936-439e-b451-177c11ab64e9', 1, 1, 2, 1, 'h3', 1, 1, '2026-03-01T12:00:00.250Z', 1234.5, 'https://site.example/', 0.5, 0.01, NULL, NULL, X'EFC9183635D4886A7086AC4C2CD1D60A49E444D49F8EB2836B15BF611C81B972', 'valid', NULL, NULL, 1, 100.0, 101.0, 102.0, 103.0, 104.0, 105.0, 106.0, 107.0, 108.0, 109.0, 110.0, 111.0, 112.0, 113, 114, 115, 116, 117, 0.18, 0.19, 0.2, 0.21, 0.22, 0.23, 0.24);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('campaigns', 2);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('rounds', 5);
INSERT INTO sqlite_sequence ("name", "seq") VALUES ('visits', 4);
CREATE INDEX campaign_sites_of_site ON campaign_sites (siteId);
CREATE INDEX discoveries_of_campaign ON discoveries (campaignId, siteId);
CREATE INDEX leases_by_expiry ON leases (expiresAt) WHERE state = 'active';
CREATE UNIQUE INDEX leases_one_active ON leases (roundId) WHERE state = 'active';
CREATE INDEX rounds_leased ON rounds (campaignId) WHERE state = 'leased';
CREATE INDEX rounds_of_campaign ON rounds (campaignId);
CREATE INDEX rounds_queued ON rounds (campaignId) WHERE state = 'queued';
CREATE UNIQUE INDEX visits_counted_once ON visits (roundId, slot) WHERE counted = 1;
CREATE INDEX visits_of_campaign ON visits (campaignId);
CREATE INDEX visits_of_round ON visits (roundId, attempt, slot, verdict);
