-- What lists and overviews need without reading a campaign's rounds and visits; results themselves are kept in a file of their own, see
-- docs/decisions/0013-results.md.

-- How far each campaign is, kept by triggers: whoever changes rounds or visits cannot forget it. Visits are those of the attempt that
-- finished a round, or may yet.
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

INSERT INTO campaign_progress (campaignId, queued, leased, done, cancelled)
SELECT
  campaigns.id,
  count(rounds.id) FILTER (WHERE rounds.state = 'queued'),
  count(rounds.id) FILTER (WHERE rounds.state = 'leased'),
  count(rounds.id) FILTER (WHERE rounds.state = 'done'),
  count(rounds.id) FILTER (WHERE rounds.state = 'cancelled')
FROM campaigns LEFT JOIN rounds ON rounds.campaignId = campaigns.id
GROUP BY campaigns.id;
UPDATE campaign_progress SET visitsValid = counted.valid, visitsInvalid = counted.invalid
FROM (
  SELECT rounds.campaignId, count(*) FILTER (WHERE verdict = 'valid') AS valid, count(*) FILTER (WHERE verdict = 'invalid') AS invalid
  FROM rounds JOIN visits ON visits.roundId = rounds.id AND visits.attempt = rounds.attempt
  WHERE rounds.state IN ('leased', 'done')
  GROUP BY rounds.campaignId
) AS counted
WHERE counted.campaignId = campaign_progress.campaignId;

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
-- What a lost or released attempt left behind is no progress.
CREATE TRIGGER progress_of_lost_attempt AFTER UPDATE OF state ON rounds WHEN old.state = 'leased' AND new.state IN ('queued', 'cancelled') BEGIN
  UPDATE campaign_progress SET
    visitsValid = visitsValid - (SELECT count(*) FROM visits WHERE roundId = old.id AND attempt = old.attempt AND verdict = 'valid'),
    visitsInvalid = visitsInvalid - (SELECT count(*) FROM visits WHERE roundId = old.id AND attempt = old.attempt AND verdict = 'invalid')
  WHERE campaignId = new.campaignId;
END;
CREATE TRIGGER progress_of_visit AFTER INSERT ON visits
WHEN EXISTS (SELECT 1 FROM rounds WHERE id = new.roundId AND attempt = new.attempt AND state IN ('leased', 'done')) BEGIN
  UPDATE campaign_progress SET
    visitsValid = visitsValid + (new.verdict = 'valid'),
    visitsInvalid = visitsInvalid + (new.verdict = 'invalid')
  WHERE campaignId = new.campaignId;
END;

-- A campaign that is being deleted is gone for everybody at once; its rows go bit by bit.
ALTER TABLE campaigns ADD COLUMN deletedAt TEXT;
ALTER TABLE campaigns ADD COLUMN name TEXT GENERATED ALWAYS AS (spec ->> '$.name') VIRTUAL;
-- What a list filters by, in the list's order: a spec can have hundreds of kilobytes, and is read of the campaigns on the page alone.
CREATE INDEX campaigns_listed ON campaigns (id, deletedAt, state, priority, createdAt, createdBy, branch, "commit", name);

-- Deleting a discovery looks for visits that refer to it.
CREATE INDEX visits_of_discovery ON visits (discoveryId) WHERE discoveryId IS NOT NULL;
