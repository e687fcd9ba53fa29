-- JSON: how long a visit was watched at least, because another of its cell showed something late. Null: until its page was idle.
ALTER TABLE visits ADD COLUMN watch TEXT CHECK (watch IS NULL OR json_valid(watch));
-- 0: one of the round's visits showed what another was not watched long enough to see, so that no metric that ends with the visit has a value.
ALTER TABLE rounds ADD COLUMN watchedEqually INTEGER NOT NULL DEFAULT 1 CHECK (watchedEqually IN (0, 1));
-- JSON: how the page of a valid load compares with that of its discovery.
ALTER TABLE visits ADD COLUMN likeness TEXT CHECK (likeness IS NULL OR json_valid(likeness));
