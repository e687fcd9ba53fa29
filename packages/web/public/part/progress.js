// How far a campaign is.
import { html } from '../browser/element.js';
import { many } from '../text/format.js';
import { stateNames } from '../text/vocabulary.js';

/** @import { Campaign, CampaignState } from '@pronghorn/core' */

/** @param {CampaignState} state */
export function stateWord(state) {
  return html('span', { class: `state state-${state}` }, stateNames[state]);
}

/** @param {Campaign} campaign */
export function progressBar(campaign) {
  const { progress, state } = campaign;
  const most = isOver(state) ? progress.rounds : Math.max(progress.rounds, mostRounds(campaign) ?? 0);
  return html(
    'span',
    { class: 'progress' },
    html('progress', { value: progress.roundsDone, max: Math.max(1, most), 'aria-label': 'Rounds done' }),
    ' ',
    progressWords(campaign),
  );
}

/**
 * Such as: 3 of 20 rounds; 12 of at most 60 rounds, until settled.
 * @param {Campaign} campaign
 */
function progressWords(campaign) {
  const { progress, state } = campaign;
  const most = mostRounds(campaign);
  if (most === null) return `${progress.roundsDone} of ${many(progress.rounds, 'round')}`;
  const words = `${progress.roundsDone} of at most ${many(most, 'round')}`;
  return isOver(state) ? words : `${words}, until settled`;
}

/**
 * Of a campaign that adds rounds until it is settled, for all of its groups; null for one of a fixed number.
 * @param {Campaign} campaign
 */
function mostRounds({ sites, spec: { conditions, views, maximumRounds } }) {
  return maximumRounds === null ? null : sites.length * conditions.length * views.length * maximumRounds;
}

/** @param {CampaignState} state */
const isOver = (state) => state === 'done' || state === 'cancelled';
