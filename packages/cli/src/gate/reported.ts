// What the reports of a gate are made of.
import type { Campaign, GateCheck, GateResult, Site } from '@pronghorn/core';
import type { ExitCodes } from './exit-codes.ts';

export interface Reported {
  campaign: Campaign;
  result: GateResult;
  exitCodes: ExitCodes;
  /** Where the campaign is looked at; null: nowhere that lasts. */
  url: string | null;
}

/** The checks at one site, under one condition, in one view. */
export interface Place {
  site: Pick<Site, 'name' | 'url'>;
  condition: string;
  view: string;
  checks: GateCheck[];
}

/** In the order of the campaign. */
export function placesOf({ campaign, result }: Pick<Reported, 'campaign' | 'result'>): Place[] {
  return campaign.sites.flatMap((site) =>
    campaign.spec.conditions.flatMap(({ name: condition }) =>
      campaign.spec.views.flatMap((view): Place[] => {
        const checks = result.checks.filter((check) => check.siteId === site.id && check.condition === condition && check.view === view);
        return checks.length === 0 ? [] : [{ site, condition, view, checks }];
      }),
    ),
  );
}

/** What came of a check, and how many more rounds would decide it. */
export const wordsOf = ({ words, moreRounds }: GateCheck): string => [words, moreRounds?.words ?? ''].join(' ').trim();

/** Tells a check from the others at its place. */
export const nameOf = ({ assertions }: GateResult, { assertion, protocol, min }: GateCheck): string =>
  `${assertions[assertion]} (${protocol}${min === null ? '' : ', at least'})`;

/** Whether a second run of the page would decide it: one run fails nothing against a baseline. */
export const needsSecondRun = ({ outcome, checks }: GateResult): boolean =>
  outcome !== 'fail' && checks.some(({ reasons }) => reasons.some(({ reason }) => reason === 'second-run'));

/** What a relation to a baseline was held against. */
export function baselineWords({ baseline }: GateResult): string {
  if (baseline === null) return '';
  const { branch, campaigns, otherRun } = baseline;
  if (campaigns.length === 0) return `Baseline: there is no campaign on ${branch} yet that compares.`;
  const commits = campaigns.flatMap(({ commit }) => (commit === null ? [] : [commit.slice(0, 10)]));
  const listed = campaigns.map(({ campaignId }) => campaignId).join(', ');
  const second = otherRun === null ? '' : ` The other run is campaign ${otherRun}.`;
  return `Baseline: ${campaigns.length === 1 ? 'campaign' : 'campaigns'} ${listed} on ${branch}${commits.length > 0 ? ` (${commits.join(', ')})` : ''}.${second}`;
}

/** Said wherever numbers of forced HTTP/3 are. */
export const forcedSentence =
  'HTTP/3 was forced from the first request: what a visitor gets who knows the host speaks it. A first visitor without an HTTPS record begins over HTTP/2';

export const forcedWords = ({ campaign, result }: Pick<Reported, 'campaign' | 'result'>): string =>
  campaign.spec.discovery === 'forced' && result.checks.some(({ protocol }) => protocol === 'h3') ? `${forcedSentence}.` : '';
