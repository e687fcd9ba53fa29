-- What a token may do less than its role (JSON), and of a rule of access.oidc: who issues the tokens that count as this one. The hash of a rule is of
-- nothing that anybody knows.
ALTER TABLE tokens ADD COLUMN scope TEXT CHECK (scope IS NULL OR json_valid(scope));
ALTER TABLE tokens ADD COLUMN issuer TEXT;
