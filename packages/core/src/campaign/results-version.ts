/**
 * The version of the results of campaigns: numbers, verdicts and their texts. Stored results of another version are recomputed.
 * results-version.test.ts fails if the results of a golden campaign changed and this was not raised.
 */
export const resultsVersion = 15;
