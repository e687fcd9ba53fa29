// All campaigns, the newest first.
import { readCampaigns } from '../browser/api.js';
import { html } from '../browser/element.js';
import { poll } from '../browser/poll.js';
import { progressBar, stateWord } from '../part/progress.js';
import { scrollable } from '../part/summary-table.js';
import { many, time } from '../text/format.js';
import { protocolNames } from '../text/vocabulary.js';

/** @import { Campaign } from '@pronghorn/core' */
/** @import { Place } from '../results.js' */

const campaignLimit = 200;

/** @param {Place} place */
export async function campaignsPage({ main, signal, attempt }) {
  const list = html('div');
  main.replaceChildren(html('h1', {}, 'Campaigns'), list);
  let shown = '';
  await poll(
    () =>
      attempt(async () => {
        const campaigns = await readCampaigns(campaignLimit, signal);
        const found = JSON.stringify(campaigns);
        // Drawn again only when something changed: a keyboard's focus stays where it is.
        if (found !== shown) list.replaceChildren(campaigns.length === 0 ? none() : table(campaigns));
        shown = found;
        return campaigns.some(({ state }) => state === 'queued' || state === 'running');
      }),
    2000,
    signal,
  );
}

function none() {
  return html('p', {}, 'No campaign yet. Start one with ', html('code', {}, './pronghorn measure URL'), ' and look here again.');
}

/** @param {readonly Campaign[]} campaigns */
function table(campaigns) {
  const titles = ['campaign', 'state', 'progress', 'sites', 'protocols', 'valid', 'invalid', 'started'];
  const rows = campaigns
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
    .map((campaign) => {
      const { spec, progress } = campaign;
      return html(
        'tr',
        {},
        html('th', { scope: 'row' }, html('a', { href: `#/campaigns/${encodeURIComponent(campaign.id)}` }, spec.name)),
        html('td', {}, stateWord(campaign.state)),
        html('td', {}, progressBar(campaign)),
        html('td', {}, many(campaign.sites.length, 'site')),
        html('td', {}, spec.protocols.map((protocol) => protocolNames[protocol]).join(', ')),
        html('td', {}, String(progress.visitsValid)),
        html('td', {}, String(progress.visitsInvalid)),
        html('td', {}, time(campaign.createdAt)),
      );
    });
  return scrollable(
    'Campaigns',
    html(
      'table',
      { class: 'campaigns' },
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          titles.map((title) => html('th', { scope: 'col' }, title)),
        ),
      ),
      html('tbody', {}, rows),
    ),
  );
}
