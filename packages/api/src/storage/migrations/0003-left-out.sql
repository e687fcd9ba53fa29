-- JSON: how many requests of the HAR tell nothing about who advertises HTTP/3, by why.
ALTER TABLE imports ADD COLUMN leftOut TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(leftOut));
