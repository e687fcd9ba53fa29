-- The campaign of which this one is the second run.
ALTER TABLE campaigns ADD COLUMN repeats INTEGER;
