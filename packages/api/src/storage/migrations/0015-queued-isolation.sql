-- Only runners that are told how to start containers can give each visit one.
ALTER TABLE queue_entries ADD COLUMN isolation TEXT NOT NULL DEFAULT 'context';
UPDATE queue_entries SET isolation = coalesce((SELECT spec ->> '$.isolation' FROM campaigns WHERE id = campaignId), 'context');
