-- A schedule may be named like a token: which of them made a campaign is not to be guessed. Tokens are never deleted, and a schedule takes
-- its starts along when it is; so a name that no token ever had is a schedule's.
ALTER TABLE campaigns ADD COLUMN createdByKind TEXT CHECK (createdByKind IN ('token', 'schedule'));
UPDATE campaigns SET createdByKind = CASE
  WHEN EXISTS (SELECT 1 FROM schedule_starts WHERE campaignId = campaigns.id) THEN 'schedule'
  WHEN EXISTS (SELECT 1 FROM tokens WHERE tokens.name = campaigns.createdBy) THEN 'token'
  ELSE 'schedule'
END
WHERE createdBy IS NOT NULL;

-- How many campaigns of a token are not done.
DROP INDEX campaigns_unfinished;
CREATE INDEX campaigns_unfinished ON campaigns (createdBy, createdByKind) WHERE state IN ('queued', 'running');
