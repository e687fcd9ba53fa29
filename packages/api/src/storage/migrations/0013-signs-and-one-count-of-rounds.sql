-- The sequence of a runner's last sign that counted: signs overtake each other on their way.
ALTER TABLE runners ADD COLUMN signs INTEGER NOT NULL DEFAULT 0;

-- How many rounds of a campaign are queued and leased is counted once, in campaign_progress; the queue reads it there.
DROP TRIGGER rounds_count_inserted;
DROP TRIGGER rounds_count_changed;
DROP TRIGGER rounds_count_deleted;
DROP INDEX queue_entries_waiting;
ALTER TABLE queue_entries DROP COLUMN queued;
ALTER TABLE queue_entries DROP COLUMN leased;
-- Lending looks at the campaigns that have open rounds, never at a million rounds.
CREATE INDEX campaign_progress_open ON campaign_progress (campaignId) WHERE queued > 0 OR leased > 0;
CREATE TRIGGER progress_of_deleted_round AFTER DELETE ON rounds BEGIN
  UPDATE campaign_progress SET
    queued = queued - (old.state = 'queued'),
    leased = leased - (old.state = 'leased'),
    done = done - (old.state = 'done'),
    cancelled = cancelled - (old.state = 'cancelled')
  WHERE campaignId = old.campaignId;
END;
