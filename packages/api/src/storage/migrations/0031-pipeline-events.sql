-- What made a campaign's pipeline run: pull requests are no baseline.
ALTER TABLE campaigns ADD COLUMN event TEXT;
ALTER TABLE campaigns ADD COLUMN pullRequest INTEGER;
-- Which campaigns a failed gate had as its other run.
CREATE INDEX gate_answers_other_run ON gate_answers (result ->> '$.baseline.otherRun') WHERE outcome = 'fail';
