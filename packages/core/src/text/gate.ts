// The answers of a gate in sentences, the same for the command line, the API and reports.

import type { Assertion } from '../schemas/gate.ts';
import type { GateResult } from '../schemas/gate-answer.ts';
import type { FailureRate } from '../schemas/results.ts';
import { type GateMetric, gateMetricTitle, isBetterHigh } from '../vocabulary/metric.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import type { GateOutcome } from '../vocabulary/verdict.ts';
import { allowedRatio } from './assertion.ts';
import { changeWords, confidenceWords, counted, durationWords, failureWords, protocolName, quantityWords } from './numbers.ts';

/** An assertion about one protocol, with one of its limits. */
interface Question {
  assertion: Assertion;
  /** Of two protocols the candidate. */
  protocol: Protocol;
  side: 'max' | 'min';
}

/** A measured value with the bounds of its interval; ±∞ if a number lies among failed loads. */
interface Measured {
  value: number | null;
  low: number | null;
  high: number | null;
}

interface Circumstances {
  confidence: number;
  rounds: number;
  /** Number of campaigns that it is compared with, and their branch. */
  before: number;
  branch: string;
  /** Failures of the protocol. */
  failures: FailureRate;
  /** Lower bound of the time that a failed load would have taken. */
  atLeastMs: number;
}

/** The measured value, its uncertainty, and the limit. */
export function measuredWords(question: Question, { value, low, high }: Measured, circumstances: Circumstances): string {
  const { assertion, protocol } = question;
  const { confidence, rounds, before, branch, failures, atLeastMs } = circumstances;
  const ofShare = assertion.metric === 'failedShare';
  const isShift = assertion.kind === 'protocols' && (assertion.statistic ?? 'shift') === 'shift';
  const statistic = isShift || ofShare ? '' : ` ${statisticOf(question)}`;
  const what = `${capital(gateMetricTitle(assertion.metric), ofShare)}${statistic} over ${protocolName(protocol)}`;
  const words = (number: number) => {
    if (assertion.kind !== 'bound') return changeWords(number);
    return number === Number.POSITIVE_INFINITY ? `at least ${durationWords(atLeastMs)}` : quantityWords(assertion.metric, number);
  };
  const reach =
    low === null && high === null
      ? ''
      : `${confidenceWords(confidence)} bounds: ${low === null ? 'unknown' : words(low)} and ${high === null ? 'unknown' : words(high)}; `;
  const sure = `(${reach}${counted(rounds, 'round')})`;
  const than =
    assertion.kind === 'protocols'
      ? ` than over ${protocolName(assertion.baseline)}`
      : assertion.kind === 'baseline'
        ? ` than in ${before === 1 ? 'the campaign' : `the ${before} campaigns`} on ${branch} before it`
        : '';
  const is = value === null ? 'has no ratio, because a value is 0' : `is ${words(value)}${than}`;
  const failed = failures.failed === 0 || ofShare ? '' : ` ${failureWords(failures)}`;
  return `${what} ${is} ${sure}; ${limitWords(question)} is allowed.${failed}`;
}

const capital = (text: string, wanted: boolean) => (wanted ? text.charAt(0).toUpperCase() + text.slice(1) : text);

export const statisticOf = ({ assertion }: Pick<Question, 'assertion'>): string =>
  assertion.statistic ??
  (assertion.kind === 'bound' ? usualPercentile(assertion.metric) : assertion.kind === 'baseline' ? 'median' : 'shift');

/** Three quarters of the visits are on the good side of it. */
const usualPercentile = (metric: GateMetric) => (isBetterHigh(metric) ? 'p25' : 'p75');

function limitWords({ assertion, side }: Question): string {
  const [most, least] = ['at most', 'at least'];
  if (assertion.kind === 'bound') return `${side === 'max' ? most : least} ${quantityWords(assertion.metric, assertion[side] ?? 0)}`;
  const { margin, not = 'above' } = assertion;
  const share = allowedRatio({ margin, not }) - 1;
  return share === 0 ? `${side === 'max' ? most : least} the same` : `${most} ${changeWords(share)}`;
}

/** The whole gate in a sentence. */
export function gateWords(outcome: GateOutcome, counts: GateResult['counts'], decide: GateResult['decide']): string {
  const { pass, fail, inconclusive, unmeasured } = counts;
  const all = pass + fail + inconclusive + unmeasured;
  const how = decide === 'point' ? ' Decided by the measured values alone, however uncertain they are.' : '';
  const of = (count: number) => (count === all ? (all === 1 ? 'The check' : `All ${all} checks`) : `${count} of ${all} checks`);
  const are = (count: number) => (count === 1 ? 'is' : 'are');
  if (outcome === 'pass') return `${of(pass)} ${all === 1 ? 'holds' : 'hold'}.${how}`;
  if (outcome === 'inconclusive') return `${of(inconclusive)} ${are(inconclusive)} inconclusive${all === 1 ? '' : ', none fails'}.${how}`;
  const open = inconclusive === 0 ? '' : `, ${inconclusive} ${are(inconclusive)} inconclusive`;
  if (outcome === 'unmeasured') {
    const none = unmeasured === all ? '' : ', none fails';
    return `${of(unmeasured)} ${are(unmeasured)} unmeasured${open}${none}: the page was down, blocked or hardly ever valid.${how}`;
  }
  const missing = unmeasured === 0 ? '' : `, ${unmeasured} ${are(unmeasured)} unmeasured`;
  return `${of(fail)} ${fail === 1 ? 'fails' : 'fail'}${missing}${open}.${how}`;
}

/** For a campaign that ended before anything could be decided. */
export const cancelledWords = (campaignId: string): string =>
  `Campaign ${campaignId} was cancelled before all of its rounds were done, so nothing is decided. Resume it, and the gate is checked again when it is done; or check a new campaign.`;
