-- A gate may also say that a page was not measured.
CREATE TABLE gate_answers_new (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  gateId INTEGER REFERENCES gates (id) ON DELETE SET NULL,
  gate TEXT, -- its name then
  rules TEXT NOT NULL CHECK (json_valid(rules)), -- as they were then
  question BLOB NOT NULL, -- hash of gate and rules: asked twice, it is one question
  askedAt TEXT NOT NULL,
  askedBy TEXT,
  checkedAt TEXT,
  outcome TEXT CHECK (outcome IN ('pass', 'fail', 'inconclusive', 'unmeasured')),
  result TEXT CHECK (result IS NULL OR json_valid(result)),
  CHECK ((checkedAt IS NULL) = (outcome IS NULL) AND (checkedAt IS NULL) = (result IS NULL)),
  UNIQUE (campaignId, question)
) STRICT;
INSERT INTO gate_answers_new
SELECT
  id, campaignId, gateId, gate, rules, question, askedAt, askedBy, checkedAt, outcome,
  CASE WHEN result IS NOT NULL THEN json_set(result, '$.counts.unmeasured', 0) END
FROM gate_answers;
-- No id is ever given twice.
UPDATE sqlite_sequence SET seq = (SELECT seq FROM sqlite_sequence WHERE name = 'gate_answers')
WHERE name = 'gate_answers_new' AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'gate_answers');
DROP TABLE gate_answers;
ALTER TABLE gate_answers_new RENAME TO gate_answers;
CREATE INDEX gate_answers_of_gate ON gate_answers (gateId) WHERE gateId IS NOT NULL;
CREATE INDEX gate_answers_waiting ON gate_answers (campaignId) WHERE checkedAt IS NULL;

-- And so may what became of a night.
UPDATE schedule_regressions SET document = json_set(document, '$.unmeasured', json('[]'));
