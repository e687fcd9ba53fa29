-- What the machine's clock said when it was last believed, and since when it says something far from that; milliseconds since 1970.
CREATE TABLE clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  believedAt INTEGER NOT NULL,
  doubtedAt INTEGER, -- its latest time since it is doubted; null: it is believed
  ranMs INTEGER NOT NULL DEFAULT 0 -- how long a service has run by the doubted clock
) STRICT;
INSERT INTO clock (id, believedAt)
SELECT 1, max(at) FROM (SELECT max(leasedAt) AS at FROM leases UNION ALL SELECT max(seenAt) FROM runners) HAVING max(at) IS NOT NULL;

-- What was delivered or given up is forgotten by its age, at each look.
CREATE INDEX notification_deliveries_over ON notification_deliveries (createdAt) WHERE state <> 'waiting';
