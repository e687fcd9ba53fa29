// What is told of sites that a campaign could not measure: what is down, since when, and what to do.
import { type Campaign, mostUnmeasuredSites, type UnmeasuredSites } from '@pronghorn/core/schemas';
import { counted, listed } from '@pronghorn/core/text';
import { lostVisitsWords } from '@pronghorn/core/verdict';
import type { InvalidReason } from '@pronghorn/core/vocabulary';
import type { UnmeasuredSite } from '../visits/unmeasured-sites.ts';
import type { MessageContent } from './outbox.ts';

type Circumstances = {
  campaign: Pick<Campaign, 'id' | 'spec' | 'sites'>;
  lastValid(unmeasured: UnmeasuredSite): UnmeasuredSites['sites'][number]['lastValid'];
};

/** Names and reasons are as long as their authors want. */
const longestWords = 500;

/** Of one site at least. */
export function unmeasuredContent(found: readonly UnmeasuredSite[], { campaign, lastValid }: Circumstances): MessageContent {
  const sites = found.slice(0, mostUnmeasuredSites).map((one): UnmeasuredSites['sites'][number] => {
    const { site, protocols, conditions, lost, expected, reasons } = one;
    const last = lastValid(one);
    const words = [whereWords(one, campaign), sinceWords(last, campaign.id), adviceWords(reasons[0]?.reason)].join(' ');
    return {
      ...{ siteId: site.id, site: site.name, url: site.url, protocols, conditions, lost, visits: expected },
      reasons: reasons.map((reason) => ({ ...reason, detail: cut(reason.detail) })),
      ...{ lastValid: last, words },
    };
  });
  const more = found.length - sites.length;
  const [first] = found;
  const which =
    found.length === 1 ? `${cut(first?.site.name ?? '')} was` : `${found.length} of ${counted(campaign.sites.length, 'site')} were`;
  return {
    title: `${campaign.spec.name}: ${which} not measured`,
    lines: [...sites.map(({ words }) => words), ...(more > 0 ? [`… and ${more} more.`] : [])],
    details: { sites, more } satisfies UnmeasuredSites,
  };
}

/** shop (https://shop.example/), under 4g: 6 of 6 visits over HTTP/3 are not valid: … */
function whereWords({ site, protocols, conditions, ...lost }: UnmeasuredSite, { spec }: Circumstances['campaign']): string {
  const under = conditions.length === spec.conditions.length ? '' : `, under ${listed(conditions)}`;
  const isAll = protocols.length === new Set(spec.protocols).size;
  const named = site.name === site.url ? '' : ` (${site.url})`;
  return `${cut(`${site.name}${named}`)}${under}: ${cut(lostVisitsWords(lost, isAll ? [] : protocols))}`;
}

function sinceWords(last: UnmeasuredSites['sites'][number]['lastValid'], campaignId: string): string {
  if (last === null) return 'No earlier visit of it there was valid.';
  const at = `${last.at.slice(0, 10)} ${last.at.slice(11, 16)} UTC`;
  return `Its last valid visit was on ${at}, in ${last.campaignId === campaignId ? 'this campaign' : `campaign ${last.campaignId}`}.`;
}

/** By what most of its visits ended as. */
const advice: Partial<Record<InvalidReason, string>> = {
  'dns-error': 'Look whether its name still resolves where the runner is.',
  'tls-error': 'Look at its certificate.',
  'quic-error': 'Look whether it still answers over HTTP/3, and whether UDP port 443 is open from the runner to it.',
  'protocol-unavailable': 'Look whether it still offers this protocol; if it is not meant to, take the protocol out of the campaign.',
  challenge: 'Let the runner’s address through the wall that asks for proof of a human.',
  redirected: 'Measure the URL that it leads to, or look why it leads there.',
  'step-failed': 'Look whether the steps before the page (login, consent) still fit it.',
  'secret-missing': 'Store the secret that the page needs.',
};

const adviceWords = (reason: InvalidReason | undefined): string =>
  `${(reason && advice[reason]) ?? 'Look whether it is up, and whether it lets the runner in.'} Until then no gate and no comparison says how it loads.`;

const cut = (text: string): string => (text.length <= longestWords ? text : `${text.slice(0, longestWords - 1).toWellFormed()}…`);
