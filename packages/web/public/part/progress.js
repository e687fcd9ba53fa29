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
export function progressBar({ progress }) {
  const words = `${progress.roundsDone} of ${many(progress.rounds, 'round')}`;
  return html(
    'span',
    { class: 'progress' },
    html('progress', { value: progress.roundsDone, max: Math.max(1, progress.rounds), 'aria-label': 'Rounds done' }),
    ' ',
    words,
  );
}
