-- What the link saw of each visit: refused is a JSON list. Visits from before have neither.
ALTER TABLE visits ADD COLUMN refused TEXT CHECK (refused IS NULL OR json_valid(refused));
ALTER TABLE visits ADD COLUMN receiveDrops INTEGER;

-- Nobody wrote down the receive buffers then. Ids stay: of these rows they are the hash of an older form.
UPDATE environments SET document = json_set(document, '$.link.receiveBuffers', json('{"tcp":null,"udpMaxBytes":null}'));
