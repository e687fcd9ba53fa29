// One campaign: how far it is, and what each site's visits say so far.
import { readCampaign, readDiscoveries, readResults, readVisits } from '../browser/api.js';
import { html, outsideLink } from '../browser/element.js';
import { poll } from '../browser/poll.js';
import { redraw } from '../browser/redraw.js';
import { discoveryNote } from '../part/discovery-note.js';
import { facts } from '../part/facts.js';
import { groupBody, keyOf } from '../part/group.js';
import { linkNote, linksTable } from '../part/links.js';
import { overview, siteName } from '../part/overview.js';
import { progressBar, stateWord } from '../part/progress.js';
import { groupVerdict } from '../part/verdict.js';
import { many, percent, time } from '../text/format.js';
import { discoveryWords } from '../text/sentence.js';
import { adjustmentNames, metricNames, protocolNames } from '../text/vocabulary.js';

/** @import { Campaign, CampaignResults, GroupResults, SiteDiscovery, Visit } from '@pronghorn/core' */
/** @import { Place } from '../results.js' */

const pollMs = 2000;
/** Results are heavier than progress: while visits run they are read again after 10 s at the soonest, and after 50 times what it took. */
const resultsMs = 10_000;
const resultsRatio = 50;
/** More dots than that are neither seen nor drawn quickly. */
const visitLimit = 5000;
/** More groups than that are shown one at a time. */
const groupsAtOnce = 6;

/**
 * @param {Place} place
 * @param {string} id
 * @param {string} groupKey of the one group to show; empty for all
 */
export async function campaignPage({ main, signal, attempt }, id, groupKey) {
  const header = html('div');
  const body = html('div');
  main.replaceChildren(header, body);
  let shownHeader = '';
  let shownProgress = '';
  let readAgainAt = 0;
  await poll(
    () =>
      attempt(async () => {
        const campaign = await readCampaign(id, signal);
        if (shownHeader === '') header.replaceChildren(...headerOf(campaign, groupKey));
        if (shownHeader !== JSON.stringify(campaign)) header.querySelector('.live')?.replaceChildren(...liveOf(campaign));
        shownHeader = JSON.stringify(campaign);
        document.title = `${campaign.spec.name} – Pronghorn`;

        const isRunning = campaign.state === 'queued' || campaign.state === 'running';
        const progress = `${campaign.state} ${JSON.stringify(campaign.progress)}`;
        const startedAt = performance.now();
        if (progress !== shownProgress && (!isRunning || startedAt >= readAgainAt)) {
          const results = await readResults(id, signal);
          const groups = groupsShown(results, groupKey);
          const visits = groups.length > 0 ? await readVisits(id, filterOf(groups), visitLimit, signal) : [];
          const discoveries = await readDiscoveries(id, signal);
          redraw(body, () => bodyOf({ campaign, results, groups, visits, discoveries, groupKey }));
          shownProgress = progress;
          const endedAt = performance.now();
          readAgainAt = endedAt + Math.max(resultsMs, resultsRatio * (endedAt - startedAt));
        }
        return isRunning;
      }),
    pollMs,
    signal,
  );
}

/**
 * @param {Campaign} campaign
 * @param {string} groupKey
 */
function headerOf(campaign, groupKey) {
  const { spec } = campaign;
  const all = `#/campaigns/${encodeURIComponent(campaign.id)}`;
  return [
    html(
      'p',
      { class: 'crumbs' },
      html('a', { href: '#/' }, 'Campaigns'),
      groupKey !== '' && ' › ',
      groupKey !== '' && html('a', { href: all }, 'all of this one'),
    ),
    html('h1', {}, spec.name),
    html('p', { class: 'live' }),
    spec.protocols.includes('h3') && html('p', { class: 'note' }, discoveryWords(spec.discovery)),
    facts([
      ['Protocols', spec.protocols.map((protocol) => protocolNames[protocol]).join(', ')],
      ['Rounds', roundsWords(spec)],
      ['Conditions', spec.conditions.map(({ name }) => name).join(', ')],
      ['Views', spec.views.join(', ')],
      ['Primary metric', metricNames[spec.primaryMetric].name],
      ['No difference', `within ${percent(spec.margin)}`],
      ['Correction', adjustmentNames[spec.adjustment]],
      ['Browser', `${spec.browser}, ${spec.isolation} isolation`],
      ['Seed', String(spec.seed)],
      ['Asked for', time(campaign.createdAt)],
    ]),
  ].filter((part) => part !== false);
}

/** @param {Campaign['spec']} spec */
function roundsWords({ rounds, maximumRounds }) {
  const each = 'for each site, condition and view';
  return maximumRounds === null ? `${rounds} ${each}` : `at most ${maximumRounds} ${each}, until settled`;
}

/** @param {Campaign} campaign */
function liveOf(campaign) {
  const { visitsValid, visitsInvalid } = campaign.progress;
  return [
    stateWord(campaign.state),
    ' ',
    progressBar(campaign),
    html('span', {}, `${many(visitsValid, 'valid visit')}, ${visitsInvalid} invalid`),
  ];
}

/**
 * The chosen group, or all if they are few.
 * @param {CampaignResults} results
 * @param {string} groupKey
 */
function groupsShown({ groups }, groupKey) {
  if (groupKey !== '') return groups.filter((group) => keyOf(group) === groupKey);
  return groups.length > groupsAtOnce ? [] : groups;
}

/**
 * What all these groups have in common, so that no other visits are read.
 * @param {readonly GroupResults[]} groups
 * @returns {Record<string, string>}
 */
function filterOf(groups) {
  const [first, ...others] = groups;
  return first && others.length === 0 ? { siteId: first.siteId, condition: first.condition, view: first.view } : {};
}

/**
 * @param {object} read
 * @param {Campaign} read.campaign
 * @param {CampaignResults} read.results
 * @param {readonly GroupResults[]} read.groups those to show in full
 * @param {readonly Visit[]} read.visits
 * @param {readonly SiteDiscovery[]} read.discoveries
 * @param {string} read.groupKey
 */
function bodyOf({ campaign, results, groups, visits, discoveries, groupKey }) {
  const parts = [];
  if (groupKey === '' && results.groups.length > 1) parts.push(overview(campaign, results), linksTable(results));
  if (groups.length === 0) {
    const words = groupKey === '' ? 'Choose a row of the table to see its visits.' : 'This campaign has no such site, condition and view.';
    parts.push(html('p', {}, words));
  }
  if (visits.length >= visitLimit) {
    parts.push(html('p', { class: 'note' }, `Dots and lists show the first ${visitLimit} visits; the numbers are of all.`));
  }
  const visitsOf = Map.groupBy(visits, keyOf);
  for (const group of groups) {
    const site = campaign.sites.find(({ id }) => id === group.siteId);
    parts.push(
      html(
        'section',
        { class: 'group', 'data-group': keyOf(group) },
        html('h2', {}, siteName(campaign, group), html('small', {}, ` ${group.condition}, ${group.view} view`)),
        site ? html('p', {}, outsideLink(site.url)) : null,
        groupVerdict(group, campaign.spec),
        linkNote(results, group),
        discoveryNote(
          campaign,
          discoveries.findLast(({ siteId }) => siteId === group.siteId),
        ),
        groupBody(group, visitsOf.get(keyOf(group)) ?? [], campaign.spec),
      ),
    );
  }
  return [...parts.filter((part) => part !== null), howToRead()];
}

function howToRead() {
  return html(
    'details',
    { class: 'reading', 'data-key': 'reading' },
    html('summary', {}, 'How to read this'),
    html(
      'ul',
      {},
      html('li', {}, 'Each round loads the page once over every protocol, in random order, back to back.'),
      html(
        'li',
        {},
        'A verdict is made of the primary metric, HTTP/3 against HTTP/2, round by round: Wilcoxon’s signed-rank test, corrected for all sites, conditions and views of the campaign. It is given when all rounds are done, or at the looks that a campaign “until settled” planned before it began.',
      ),
      html('li', {}, 'Equivalent: the two differ by less than the margin. Inconclusive: it can’t be told, which is not “no difference”.'),
      html('li', {}, 'What explores was not asked before the campaign: among many such comparisons some stand out by chance.'),
      html('li', {}, 'H3-Delta is (median HTTP/3 − median HTTP/2) ÷ the larger of both. Negative: HTTP/3 is lower.'),
      html('li', {}, 'Medians and dots describe what was seen; by themselves they say nothing about chance.'),
      html(
        'li',
        {},
        'Quantiles are linear between the visits (definition 7 of Hyndman & Fan). With few visits, p90 and p99 say little beyond the maximum.',
      ),
      html('li', {}, 'The axis of a chart need not start at 0.'),
    ),
  );
}
