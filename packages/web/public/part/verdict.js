// A group's answer, before all numbers: the API's verdict on the question that was fixed before the campaign, in the API's words.
import { html } from '../browser/element.js';
import { unbroken } from '../text/format.js';
import { moreRoundsWords, verdictParts } from '../text/sentence.js';
import { metricNames, outcomeNames, protocolNames } from '../text/vocabulary.js';

/** @import { CampaignSpec, Comparison, ComparisonVerdict, GroupResults } from '@pronghorn/core' */

/**
 * The comparison that answers the campaign's question; undefined where its protocols or metric ask none.
 * @param {GroupResults} group
 */
export function questionOf({ comparisons }) {
  return comparisons.find(({ confirmatory }) => confirmatory);
}

/**
 * @param {GroupResults} group
 * @param {Pick<CampaignSpec, 'primaryMetric' | 'maximumRounds'>} spec
 */
export function groupVerdict(group, { primaryMetric, maximumRounds }) {
  if (group.comparisons.length === 0) return null;
  const question = questionOf(group);
  const metric = metricNames[primaryMetric].name;
  if (question === undefined) {
    const words = `No verdict: a campaign’s question is HTTP/3 against HTTP/2 on a time, and this one lacks it (its primary metric is ${metric}). Its comparisons explore.`;
    return html('p', { class: 'verdict' }, words);
  }
  const { verdict } = question;
  const { sentence, doubts } = verdictParts(verdict);
  return html(
    'div',
    { class: `verdict ${outcomeClass(verdict)}`, 'data-outcome': verdict.outcome },
    html('p', {}, verdictMark(verdict), ' ', html('span', { class: 'asked' }, `${pairName(question)} on ${metric}`)),
    html('p', { class: 'words' }, unbroken(sentence)),
    doubts.length > 0 &&
      html(
        'ul',
        { class: 'doubts' },
        doubts.map((doubt) => html('li', {}, unbroken(doubt))),
      ),
    verdict.moreRounds !== null &&
      html(
        'p',
        { class: 'more-rounds', title: 'With a power of 80 %, if the rounds to come are like those so far.' },
        moreRoundsWords(verdict.moreRounds, question.rounds, maximumRounds),
      ),
    group.sinceLook !== null && html('p', { class: 'since-look' }, group.sinceLook.words),
  );
}

/**
 * Shape, colour and a short word.
 * @param {ComparisonVerdict} verdict
 */
export function verdictMark(verdict) {
  const isOpen = isUnfinished(verdict);
  return html(
    'strong',
    { class: `outcome ${outcomeClass(verdict)}` },
    html('span', { class: 'sign', 'aria-hidden': 'true' }, isOpen ? '⋯' : signs[verdict.outcome]),
    html('span', { class: 'word' }, isOpen ? 'unfinished' : outcomeNames[verdict.outcome]),
  );
}

/** A winner's sign is its protocol's mark, which CSS draws. @type {Readonly<Record<ComparisonVerdict['outcome'], string>>} */
const signs = { 'h3-faster': '', 'h2-faster': '', 'h1-faster': '', equivalent: '=', inconclusive: '?' };

/** @param {ComparisonVerdict} verdict */
function outcomeClass(verdict) {
  if (isUnfinished(verdict)) return 'outcome-unfinished';
  const [, winner] = verdict.outcome.match(/^(h\d)-faster$/) ?? [];
  return winner ? `outcome-faster protocol-${winner}` : `outcome-${verdict.outcome}`;
}

/** Rounds are still to come, or were called off: nothing is wrong. */
const isUnfinished = (/** @type {ComparisonVerdict} */ { outcome, doubts }) =>
  outcome === 'inconclusive' && doubts.some(({ doubt }) => doubt === 'unfinished');

/** @param {Pick<Comparison, 'candidate' | 'baseline'>} comparison */
export function pairName({ candidate, baseline }) {
  return `${protocolNames[candidate]} against ${protocolNames[baseline]}`;
}
