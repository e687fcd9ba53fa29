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

/** How many more rounds would decide a check; empty where nobody can say. */
export function moreWords({ moreRounds, reasons }: GateCheck): string {
  if (moreRounds === null) return '';
  const rounds = `${moreRounds} more ${moreRounds === 1 ? 'round' : 'rounds'}`;
  return reasons.some(({ reason }) => reason === 'too-few-rounds') ? `It takes ${rounds} at least.` : `About ${rounds} would decide it.`;
}

/** What a relation to a baseline was held against. */
export function baselineWords({ baseline }: GateResult): string {
  if (baseline === null) return '';
  const { branch, campaigns } = baseline;
  if (campaigns.length === 0) return `Baseline: there is no campaign on ${branch} yet that compares.`;
  const commits = campaigns.flatMap(({ commit }) => (commit === null ? [] : [commit.slice(0, 10)]));
  const listed = campaigns.map(({ campaignId }) => campaignId).join(', ');
  return `Baseline: ${campaigns.length === 1 ? 'campaign' : 'campaigns'} ${listed} on ${branch}${commits.length > 0 ? ` (${commits.join(', ')})` : ''}.`;
}

/** Said wherever numbers of forced HTTP/3 are. */
export const forcedSentence =
  'HTTP/3 was forced from the first request: what a visitor gets who knows the host speaks it. A first visitor without an HTTPS record begins over HTTP/2';

export const forcedWords = ({ campaign, result }: Pick<Reported, 'campaign' | 'result'>): string =>
  campaign.spec.discovery === 'forced' && result.checks.some(({ protocol }) => protocol === 'h3') ? `${forcedSentence}.` : '';
