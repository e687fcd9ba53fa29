-- What a visit counts of its requests, and where its document came from.
ALTER TABLE visits ADD COLUMN documentHeaders REAL;
ALTER TABLE visits ADD COLUMN finishedBytes INTEGER;
ALTER TABLE visits ADD COLUMN blockedRequests INTEGER;
ALTER TABLE visits ADD COLUMN webSockets INTEGER;
ALTER TABLE visits ADD COLUMN ipv6Share REAL;
ALTER TABLE visits ADD COLUMN documentAddress TEXT;

-- Nobody counted them apart until now: bytes were those of finished requests, and what was blocked counted as failed.
UPDATE visits SET finishedBytes = transferBytes, blockedRequests = 0, webSockets = 0, ipv6Share = 0 WHERE verdict = 'valid';

-- A failed object now makes the visit of any protocol incomplete, by one rule.
UPDATE visits SET reason = 'incomplete' WHERE reason = 'forced-host-failed';
