/**
 * The version of what campaigns are made into: numbers, verdicts and their texts. Kept results of another version are computed again.
 * results-version.test.ts fails when a golden campaign has other results than before and this was not raised.
 */
export const resultsVersion = 3;
