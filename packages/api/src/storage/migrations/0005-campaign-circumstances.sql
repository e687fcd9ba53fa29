-- Who asked for a campaign, how urgently, where, and for which state of the pages.
ALTER TABLE campaigns ADD COLUMN priority TEXT NOT NULL DEFAULT 'interactive' CHECK (priority IN ('interactive', 'ci', 'schedule'));
ALTER TABLE campaigns ADD COLUMN location TEXT;
ALTER TABLE campaigns ADD COLUMN createdBy TEXT;
ALTER TABLE campaigns ADD COLUMN finishedAt TEXT;
ALTER TABLE campaigns ADD COLUMN "commit" TEXT;
ALTER TABLE campaigns ADD COLUMN branch TEXT;
ALTER TABLE campaigns ADD COLUMN buildUrl TEXT;
CREATE INDEX campaigns_of_branch ON campaigns (branch) WHERE branch IS NOT NULL;
