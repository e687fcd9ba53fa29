// The demo origin as the command line uses it: started beside the house, trusted by the runner's Chromes.
import type { Campaign } from '@pronghorn/core';
import { type Origin, startOrigin } from '@pronghorn/origin';
import type { Lab } from '@pronghorn/runner';
import type { DataFolder } from './data.ts';

const isDemoHost = (hostname: string) => hostname.endsWith('.pronghorn.test');

export function labOf(origin: Origin): Lab {
  return { trust: origin.trust, serves: isDemoHost, settings: origin.settings };
}

/**
 * The origin that a campaign's demo sites were measured on, started on the same port; undefined for real sites.
 *
 * @throws Error when it can't be started there
 */
export async function originOf(campaign: Campaign, data: DataFolder): Promise<Origin | undefined> {
  const demo = campaign.sites.map(({ url }) => new URL(url)).find(({ hostname }) => isDemoHost(hostname));
  if (demo === undefined) return undefined;
  try {
    return await startOrigin({ directory: data.origin, port: Number(demo.port) });
  } catch (error) {
    // Another port would be another site: a campaign can't choose one in its middle.
    const why = String(error instanceof Error ? error.message : error).replace(/: choose another.*$/, '');
    throw new Error(`Campaign ${campaign.id} goes on where it was measured, at the demo's port ${demo.port}, and can't: ${why}.`);
  }
}
