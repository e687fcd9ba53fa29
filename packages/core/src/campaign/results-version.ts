/**
 * The version of the results of campaigns: numbers, verdicts and their texts. Kept results of another version are computed again.
 * results-version.test.ts fails if the results of a golden campaign changed and this was not raised.
 */
export const resultsVersion = 3;
