-- An import is stored, and forgotten, in steps: it counts once all of it is there, and no longer from the first step of forgetting on.
ALTER TABLE imports ADD COLUMN hosts INTEGER; -- how many answered; NULL while it does not count
ALTER TABLE imports ADD COLUMN months TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(months)); -- in which its requests were made, sorted
UPDATE imports SET
  hosts = (SELECT count(DISTINCT host) FROM import_hosts WHERE importId = imports.id),
  months = (SELECT json_group_array(month) FROM (SELECT DISTINCT month FROM import_hosts WHERE importId = imports.id ORDER BY month));
