-- The time limit that each load had; of visits from before the campaign's spec tells it.
ALTER TABLE visits ADD COLUMN loadTimeoutMs INTEGER;
