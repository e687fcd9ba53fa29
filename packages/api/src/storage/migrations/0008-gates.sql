-- Named gates, and what gates said of campaigns.
CREATE TABLE gates (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  createdAt TEXT NOT NULL,
  changedAt TEXT NOT NULL,
  createdBy TEXT,
  campaign TEXT CHECK (campaign IS NULL OR json_valid(campaign)), -- null: it judges what others measure
  rules TEXT NOT NULL CHECK (json_valid(rules))
) STRICT;

-- One row for each question to a campaign: it waits until the campaign is done, is answered once, and stays so.
CREATE TABLE gate_answers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  campaignId INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
  gateId INTEGER REFERENCES gates (id) ON DELETE SET NULL,
  gate TEXT, -- its name then
  rules TEXT NOT NULL CHECK (json_valid(rules)), -- as they were then
  question BLOB NOT NULL, -- hash of gate and rules: asked twice, it is one question
  askedAt TEXT NOT NULL,
  askedBy TEXT,
  checkedAt TEXT,
  outcome TEXT CHECK (outcome IN ('pass', 'fail', 'inconclusive')),
  result TEXT CHECK (result IS NULL OR json_valid(result)),
  CHECK ((checkedAt IS NULL) = (outcome IS NULL) AND (checkedAt IS NULL) = (result IS NULL)),
  UNIQUE (campaignId, question)
) STRICT;
CREATE INDEX gate_answers_of_gate ON gate_answers (gateId) WHERE gateId IS NOT NULL;
CREATE INDEX gate_answers_waiting ON gate_answers (campaignId) WHERE checkedAt IS NULL;
