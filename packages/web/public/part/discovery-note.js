// How much of a site HTTP/3 could be forced on: a page whose images come over HTTP/2 anyway gains little.
import { html } from '../browser/element.js';
import { many, quantity, unbroken } from '../text/format.js';

/** @import { Campaign, SiteDiscovery } from '@pronghorn/core' */

/**
 * @param {Campaign} campaign
 * @param {SiteDiscovery | undefined} discovery of the site, the newest
 */
export function discoveryNote(campaign, discovery) {
  if (!discovery) return null;
  if (discovery.failure) {
    return html('p', { class: 'note' }, `This site could not be measured: ${discovery.failure.reason}. ${discovery.failure.detail}`);
  }
  if (campaign.spec.discovery !== 'forced' || !campaign.spec.protocols.includes('h3')) return null;
  const { forced, hosts, objectCoverage, byteCoverage } = discovery;
  const shares = `${quantity(objectCoverage, 'share')} of the page’s objects and ${quantity(byteCoverage, 'share')} of its bytes`;
  return html(
    'p',
    { class: 'calm' },
    unbroken(
      `HTTP/3 was forced on ${forced.length} of ${many(hosts.length, 'host')}, which ${forced.length === 1 ? 'serves' : 'serve'} ${shares}.`,
    ),
  );
}
