-- How a page came to rest after its load event, as JSON; null where nobody noted it.
ALTER TABLE visits ADD COLUMN settled TEXT;
