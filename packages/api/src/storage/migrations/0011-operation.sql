-- What happened to a campaign, in lines: numbered in each campaign, so that a reader knows where it was. afterVisit is the newest visit
-- of the campaign when the line was written.
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

-- What happened since this database was made, for /metrics: counted where it happens, whichever process does it, and never less when
-- campaigns are deleted. `le` is the upper bound of the duration in seconds, as in a histogram of Prometheus; null: beyond the last.
CREATE TABLE totals (
  what TEXT NOT NULL,
  labels TEXT NOT NULL CHECK (json_valid(labels)),
  count INTEGER NOT NULL,
  seconds REAL NOT NULL DEFAULT 0, -- all durations together
  PRIMARY KEY (what, labels)
) STRICT, WITHOUT ROWID;

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

-- How far retention has come: contents of the visits up to this one are removed.
CREATE TABLE retention_marks (
  what TEXT PRIMARY KEY CHECK (what IN ('resources', 'evidence')),
  throughSeq INTEGER NOT NULL,
  removedAt TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What is done once a day by whichever process comes first, and a row that /readyz writes to.
CREATE TABLE daily_jobs (
  name TEXT PRIMARY KEY,
  startedAt INTEGER NOT NULL -- milliseconds since 1970
) STRICT, WITHOUT ROWID;

CREATE TRIGGER schedule_starts_total AFTER INSERT ON schedule_starts BEGIN
  INSERT INTO totals (what, labels, count) VALUES ('schedule-starts', json_object('outcome', new.outcome), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER deliveries_total AFTER UPDATE OF state ON notification_deliveries WHEN new.state <> old.state AND new.state <> 'waiting' BEGIN
  INSERT INTO totals (what, labels, count) VALUES ('deliveries', json_object('result', new.state), 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
