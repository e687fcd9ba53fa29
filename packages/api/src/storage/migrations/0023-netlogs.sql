-- What Chrome's network log says of an extra visit that was loaded to record it, as JSON. However the code errs: such a visit never counts.
ALTER TABLE visits ADD COLUMN netlog TEXT CHECK (netlog IS NULL OR (counted = 0 AND failed = 0));

-- Nor is it progress.
DROP TRIGGER progress_of_lost_attempt;
CREATE TRIGGER progress_of_lost_attempt AFTER UPDATE OF state ON rounds WHEN old.state = 'leased' AND new.state IN ('queued', 'cancelled') BEGIN
  UPDATE campaign_progress SET
    visitsValid = visitsValid
      - (SELECT count(*) FROM visits WHERE roundId = old.id AND attempt = old.attempt AND verdict = 'valid' AND netlog IS NULL),
    visitsInvalid = visitsInvalid
      - (SELECT count(*) FROM visits WHERE roundId = old.id AND attempt = old.attempt AND verdict = 'invalid' AND netlog IS NULL)
  WHERE campaignId = new.campaignId;
END;
DROP TRIGGER progress_of_visit;
CREATE TRIGGER progress_of_visit AFTER INSERT ON visits
WHEN new.netlog IS NULL AND EXISTS (SELECT 1 FROM rounds WHERE id = new.roundId AND attempt = new.attempt AND state IN ('leased', 'done')) BEGIN
  UPDATE campaign_progress SET
    visitsValid = visitsValid + (new.verdict = 'valid'),
    visitsInvalid = visitsInvalid + (new.verdict = 'invalid')
  WHERE campaignId = new.campaignId;
END;
