-- Visits that failed because of the page or its protocol, and count as that: slower than every load. Visits of before count as they did.
ALTER TABLE visits ADD COLUMN failed INTEGER NOT NULL DEFAULT 0 CHECK (failed = 0 OR (failed = 1 AND counted = 0 AND verdict = 'invalid'));
-- However the code errs: no slot of a round fails twice.
CREATE UNIQUE INDEX visits_failed_once ON visits (roundId, slot) WHERE failed = 1;
