-- Which texts no visit uses any longer is found by reading what visits use, since a campaign may go before older ones do.
ALTER TABLE strings DROP COLUMN usedUntil;

-- Since when texts may be unused: resources were removed, and nobody has looked since. At most one row.
CREATE TABLE unused_texts (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  removal INTEGER NOT NULL -- counts removals, so that who looked tells whether there were more
) STRICT;
CREATE TRIGGER texts_may_be_unused AFTER DELETE ON resources BEGIN
  INSERT INTO unused_texts (one, removal) VALUES (1, 1) ON CONFLICT DO UPDATE SET removal = removal + 1;
END;
-- Campaigns that were deleted before left theirs.
INSERT INTO unused_texts (one, removal) SELECT 1, 1 WHERE EXISTS (SELECT 1 FROM strings);
