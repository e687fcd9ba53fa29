// What pages of a local site took, or wanted, from hosts that are not served here: a build names its production host or third parties.
import { styleText } from 'node:util';
import type { Campaign, Visit } from '@pronghorn/core/schemas';
import { counted } from '@pronghorn/core/text';
import type { House } from '../house.ts';
import { wrap } from '../terminal.ts';

export interface Reach {
  /** Host names that are served here. */
  served: ReadonlySet<string>;
  /** Whether visits reach the world. */
  outside: boolean;
}

/** Says so on standard error, by the last visit of each site. */
export async function tellElsewhere(house: House, campaign: Campaign, { served, outside }: Reach): Promise<void> {
  const last = new Map<string, Visit>();
  for await (const visit of house.visits(campaign.id)) {
    if (visit.counted || last.get(visit.siteId)?.counted !== true) last.set(visit.siteId, visit);
  }
  for (const { id, name, url } of campaign.sites) {
    const visit = last.get(id);
    if (visit === undefined || !served.has(new URL(url).hostname)) continue;
    const counts = elsewhere(await house.resources(visit.id), served);
    if (counts.length === 0) continue;
    const told = counts.slice(0, 5).map(([origin, requests]) => `${counted(requests, 'request')} to ${origin}`);
    const more = counts.length > 5 ? `, and to ${counted(counts.length - 5, 'more host')}` : '';
    const means = outside
      ? 'answered from the network, as far as visits reach it: those numbers hold what it did'
      : 'which failed: visits reach what is served here and nothing else. --outside lets them reach the world';
    console.error(styleText('yellow', wrap(`${name} made ${told.join(', ')}${more}; ${means}.`)));
  }
}

/** Origins and how often each was asked, most first. */
export function elsewhere(resources: readonly { url: string }[], served: ReadonlySet<string>): [origin: string, requests: number][] {
  const counts = new Map<string, number>();
  for (const { url } of resources) {
    const { protocol, hostname, origin } = URL.parse(url) ?? { protocol: '', hostname: '', origin: '' };
    if (!/^(https?|wss?):$/.test(protocol) || served.has(hostname)) continue;
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}
