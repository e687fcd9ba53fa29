/** Bytes of a body that has a campaign in it: a thousand sites with URLs as long as the schema allows. */
export const campaignBodyLimit = 8 * 2 ** 20;
