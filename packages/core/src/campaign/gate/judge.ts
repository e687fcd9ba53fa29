// Judges one check of a gate: one assertion about one protocol in one cell.
import type { Campaign } from '../../schemas/campaign.ts';
import type { Assertion } from '../../schemas/gate.ts';
import type { GateCheck, GateResult } from '../../schemas/gate-answer.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import type { FailureRate } from '../../schemas/results.ts';
import { type Allowed, allowedRatio } from '../../text/assertion.ts';
import { measuredWords, statisticOf } from '../../text/gate.ts';
import { confidenceWords, counted, intervalWords, pWords, quantityWords } from '../../text/numbers.ts';
import { pairsOf, type Side, withoutLosses } from '../../verdict/cell-samples.ts';
import { failed } from '../../verdict/counted-visits.ts';
import { maxLostShare } from '../../verdict/doubts.ts';
import { failureRate } from '../../verdict/failures.ts';
import { minTelling, rangeWords } from '../../verdict/more-rounds.ts';
import { lostAlone, lostWords, medianLost } from '../../verdict/parity.ts';
import { mainMetrics } from '../../verdict/questions.ts';
import { knownOrNull } from '../../verdict/summary.ts';
import type { Engine } from '../../vocabulary/engine.ts';
import type { GateOutcome } from '../../vocabulary/verdict.ts';
import { type FirstLookCell, failuresOfSide, valuesOf } from '../measured/measured.ts';
import {
  type EarlierValues,
  isBeyondAll,
  minBaselines,
  predictionEvidence,
  type TwoRuns,
  twoCampaignsEvidence,
  twoRunsOf,
} from './baseline-evidence.ts';
import { measurementDoubts, receiveDropsDoubt, relationDoubts, unmeasuredDoubt } from './gate-doubts.ts';
import type { GateQuestion } from './gate-questions.ts';
import { levelOf, shareLevel } from './level.ts';
import { type Alphas, boundEvidence, type Evidence, ratioEvidence, shiftEvidence } from './relation.ts';

/** More rounds than a campaign takes. */
const maxRounds = 10_000;

export interface JudgedQuestion {
  evidence: Evidence | null;
  reasons: GateCheck['reasons'];
  caution: string | null;
  rounds: number;
  /** Failures of the protocol. */
  failures: FailureRate;
  canFail: boolean;
  /** Why the page was not measured, for each such protocol of the question. */
  unmeasured: GateCheck['reasons'];
  words: string;
  /** Lost datagrams, which may speak against the outcome. */
  drops: GateCheck['reasons'][number] | null;
  /** Null unless against a baseline. */
  runs: Runs | null;
}

/** What a relation to a baseline needs beside its own campaign. */
interface Runs {
  /** Null: there is no other run, or it lacks these values. */
  two: TwoRuns | null;
  /** Whether each run is worse than all earlier ones, by more than is allowed. */
  isBeyond: boolean;
  isOtherBeyond: boolean;
  /** Number of earlier campaigns. */
  count: number;
  /** Why it may not pass or fail, because it lacks more or fewer objects than any earlier campaign. */
  lost: { pass: string | null; fail: string | null };
}

interface Circumstances {
  /** The campaign's engine. */
  engine: Engine;
  alphas: Alphas;
  branch: string;
  confidence: number;
  decide: GateResult['decide'];
  state: Campaign['state'];
  /** One for each earlier campaign, by index. */
  before: readonly (EarlierValues | undefined)[];
  /** The other run of the same page. */
  otherRun: EarlierValues | undefined;
}

/** The answer of one question's visits, before the correction for the others. */
export function judgeQuestion(question: GateQuestion, cell: FirstLookCell, circumstances: Circumstances): JudgedQuestion {
  const { assertion, protocol } = question;
  const { alphas, branch, confidence, decide, engine, state } = circumstances;
  const before = circumstances.before.flatMap((one) => (one === undefined ? [] : [one.values]));
  const ofShare = assertion.metric === 'failedShare';
  // Whether a load failed does not depend on its other metrics.
  const metric = assertion.metric === 'failedShare' ? (mainMetrics({ engine })[0] as MetricName) : assertion.metric;
  const side = cell.side(protocol, metric);
  const other = assertion.kind === 'protocols' ? cell.side(assertion.baseline, metric) : null;
  const outcomes = failuresOfSide(side);
  const values = ofShare ? outcomes : valuesOf(side);
  const sides = [{ protocol, count: values.length }];
  if (assertion.kind === 'protocols' && other !== null) sides.push({ protocol: assertion.baseline, count: valuesOf(other).length });
  const reasons = measurementDoubts(cell, state, metric, sides);
  const rounds = other === null ? values.length : pairsOf(side, other).length;
  if (other !== null && reasons.length === 0 && rounds / cell.planned < 1 - maxLostShare) {
    const words = `Only ${rounds} of ${counted(cell.planned, 'round')} have both protocols; they may not be representative.`;
    reasons.push({ reason: 'invalid-visits', words });
  }
  if (assertion.kind === 'protocols') reasons.push(...relationDoubts(cell, { ...assertion, candidate: protocol }));
  const few = assertion.kind === 'baseline' && before.length < minBaselines;
  if (assertion.kind === 'baseline' && before.length === 0) {
    const words = `No earlier campaign on ${branch} measured this site, condition, view and protocol in the same way.`;
    reasons.push({ reason: 'no-baseline', words });
  } else if (few && decide !== 'point') reasons.push({ reason: 'few-baselines', words: fewWords(before.length, branch) });
  const ofMean = statisticOf(question) === 'mean' && !ofShare;
  const used = [values, ...(other === null ? [] : [valuesOf(other)]), ...before];
  const censored = ofMean && used.some((its) => its.includes(failed));
  if (censored) {
    const words = 'A visit failed, and how long it would have taken is unknown, so there is no mean. Use a percentile, or failedShare.';
    reasons.push({ reason: 'censored', words });
  }
  const empty =
    censored || sides.some(({ count }) => count === 0) || (assertion.kind === 'baseline' && before.length === 0) || rounds === 0;
  const evidence = empty ? null : evidenceOf(question, values, { side, other, before, alphas, atLeastMs: cell.atLeastMs });
  if (assertion.kind === 'protocols' && other !== null && evidence !== null && reasons.length === 0 && !ofMean) {
    // The side that a pass favours must not owe it to objects that it lacked more often.
    const favoured = assertion.not === 'below' ? 'baseline' : 'candidate';
    const lost = lostAlone(cell, cell.rounds.places, { candidate: protocol, baseline: assertion.baseline });
    const of = { candidate: side, baseline: other };
    const whole = withoutLosses(of[favoured], favoured === 'candidate' ? other : side, {
      own: lost[favoured],
      others: lost[favoured === 'candidate' ? 'baseline' : 'candidate'],
    });
    const held = { ...of, [favoured]: whole };
    const without = () =>
      evidenceOf(question, valuesOf(held.candidate), {
        side: held.candidate,
        other: held.baseline,
        before,
        alphas,
        atLeastMs: cell.atLeastMs,
      });
    if (whole !== of[favoured] && passes(question, evidence, circumstances) && !passes(question, without(), circumstances)) {
      const loser = favoured === 'candidate' ? protocol : assertion.baseline;
      reasons.push({ reason: 'parity', words: lostWords(loser, lost[favoured].length, lost.rounds) });
    }
  }
  // A campaign that is not done is unfinished, whatever it measured until then.
  const unmeasured = state === 'done' ? sides.flatMap((one) => unmeasuredDoubt(cell, one.protocol) ?? []) : [];
  const failures = failureRate(
    outcomes.reduce((sum, one) => sum + one, 0),
    outcomes.length,
  );
  const wordsContext = { confidence, rounds, before: few ? 1 : before.length, branch, failures, atLeastMs: cell.atLeastMs };
  const words = evidence === null ? '' : measuredWords(question, evidence, wordsContext);
  return {
    evidence,
    reasons,
    rounds,
    failures,
    words,
    caution: few && evidence !== null && decide === 'point' ? `Caution: ${fewWords(before.length, branch)}` : null,
    canFail: reasons.length === 0 && mayStand('fail', { assertion, unmeasured }),
    unmeasured,
    drops: [protocol, assertion.kind === 'protocols' ? assertion.baseline : protocol].includes('h3') ? receiveDropsDoubt(cell) : null,
    runs: evidence === null || few ? null : runsOf(question, values, cell, circumstances),
  };
}

/**
 * Whether an outcome says more than that the page was not measured. Its failure rate is known then, and failing over one protocol alone is
 * a difference between the two. The times of the few loads that succeeded say nothing about a page that hardly ever loads.
 */
function mayStand(
  outcome: GateOutcome,
  { assertion, unmeasured }: Pick<GateQuestion, 'assertion'> & Pick<JudgedQuestion, 'unmeasured'>,
): boolean {
  if (unmeasured.length === 0) return true;
  if (assertion.metric === 'failedShare') return outcome === 'pass' || outcome === 'fail';
  return outcome === 'fail' && assertion.kind === 'protocols' && unmeasured.length === 1;
}

function runsOf(
  question: GateQuestion,
  values: readonly number[],
  cell: FirstLookCell,
  { before, otherRun }: Pick<Circumstances, 'before' | 'otherRun'>,
): Runs | null {
  const { assertion, protocol } = question;
  if (assertion.kind !== 'baseline') return null;
  const allowed: Allowed = { margin: assertion.margin, not: assertion.not ?? 'above' };
  const earlier = before.map((one) => one?.values);
  const of = (other: readonly number[]) => twoRunsOf(statisticOf(question), values, other, earlier, allowed, cell.atLeastMs);
  const two = otherRun === undefined ? null : of(otherRun.values);
  const alone = two ?? of(values);
  const known = before.filter((one) => one !== undefined);
  const lost = medianLost(cell, cell.rounds.places, protocol);
  const [minLost, maxLost] = [Math.min(...known.map((one) => one.lost)), Math.max(...known.map((one) => one.lost))];
  const lacked = `The median visit lacked ${counted(lost, 'object')}, those of the campaigns before it`;
  const isTime = (assertion.not ?? 'above') === 'above';
  return {
    two,
    isBeyond: isBeyondAll(alone, alone.latest[1]),
    isOtherBeyond: two !== null && isBeyondAll(two, two.latest[0]),
    count: known.length,
    lost: {
      pass: isTime && lost > maxLost ? `${lacked} at most ${maxLost}: a page with missing objects loads faster.` : null,
      fail: isTime && lost < minLost ? `${lacked} ${minLost} at least: a page with missing objects loads faster.` : null,
    },
  };
}

function evidenceOf(
  question: Pick<GateQuestion, 'assertion' | 'side'>,
  values: readonly number[],
  {
    side,
    other,
    before,
    alphas,
    atLeastMs,
  }: { side: Side; other: Side | null; before: readonly (readonly number[])[]; alphas: Alphas; atLeastMs: number },
): Evidence {
  const { assertion } = question;
  const statistic = statisticOf(question);
  if (assertion.kind === 'bound') {
    const level = assertion.metric === 'failedShare' ? shareLevel(values) : levelOf(statistic, values);
    return boundEvidence(level, question.side, assertion[question.side] ?? 0, alphas);
  }
  const allowed: Allowed = { margin: assertion.margin, not: assertion.not ?? 'above' };
  if (assertion.kind === 'protocols' && other !== null) {
    if (statistic === 'shift') return shiftEvidence(pairsOf(side, other), allowed, alphas);
    return ratioEvidence(levelOf(statistic, values), levelOf(statistic, valuesOf(other)), allowed, alphas);
  }
  return before.length < minBaselines
    ? twoCampaignsEvidence(statistic, values, before[0] ?? [], allowed, alphas)
    : predictionEvidence(statistic, values, before, allowed, alphas, atLeastMs);
}

interface Deciding {
  alphas: Alphas;
  decide: GateResult['decide'];
  /** The other run of the page, for its sentence. */
  otherRun: { id: string; isRepeated: boolean } | null;
  /** Earlier campaigns that a failure needs. */
  minToFail: number;
}

/** @param pFail corrected for the other checks */
export function checkOf(question: GateQuestion, judged: JudgedQuestion, pFail: number, deciding: Deciding): GateCheck {
  const { assertion, side, protocol, site, condition, view, index } = question;
  const { alphas, decide } = deciding;
  const { evidence, rounds, caution, runs } = judged;
  const limit = limitOf(question);
  let outcome: GateOutcome = 'inconclusive';
  const reasons = [...judged.reasons];
  if (evidence !== null && reasons.length === 0) {
    outcome =
      decide === 'point'
        ? byPoint(evidence, side, limit)
        : evidence.pPass <= alphas.pass
          ? 'pass'
          : pFail <= alphas.pass
            ? 'fail'
            : outcome;
    // Lost datagrams slow HTTP/3 down: they may make it fail, or let its baseline pass.
    const blamed = protocol === 'h3' ? 'fail' : 'pass';
    if (judged.drops !== null && outcome === blamed) {
      outcome = 'inconclusive';
      reasons.push(judged.drops);
    } else if (outcome === 'inconclusive') reasons.push(undecided(question, judged, evidence, deciding));
    const lost = outcome === 'pass' || outcome === 'fail' ? (runs?.lost[outcome] ?? null) : null;
    if (lost !== null) {
      outcome = 'inconclusive';
      reasons.push({ reason: 'parity', words: lost });
    }
  }
  if (!mayStand(outcome, { assertion, unmeasured: judged.unmeasured })) return unmeasuredCheck(question, judged);
  const confirmed =
    outcome === 'fail' && runs !== null && decide !== 'point'
      ? `Campaign ${deciding.otherRun?.id}, the other run, confirms it (${pWords(pFail, alphas.pass)}).`
      : '';
  return {
    assertion: index,
    words: [judged.words, confirmed, ...reasons.map(({ words }) => words), ...(caution === null ? [] : [caution])]
      .filter((part) => part !== '')
      .join(' '),
    outcome,
    siteId: site.id,
    condition,
    view,
    protocol,
    metric: assertion.metric,
    value: asJson(evidence?.value),
    low: asJson(evidence?.low),
    high: asJson(evidence?.high),
    max: side === 'max' ? limit : null,
    min: side === 'min' ? limit : null,
    rounds,
    failures: judged.failures,
    pPass: evidence?.pPass ?? 1,
    pFail,
    reasons,
    caution,
    moreRounds: moreRounds(question, reasons, judged),
  };
}

/** A page that could not be measured over an unreliable link may not be to blame. */
function unmeasuredCheck(question: GateQuestion, { unmeasured, reasons: all, rounds, failures }: JudgedQuestion): GateCheck {
  const { assertion, side, protocol, site, condition, view, index } = question;
  const reasons = [...unmeasured, ...all.filter(({ reason }) => reason === 'link')];
  const limit = limitOf(question);
  return {
    ...{ assertion: index, words: reasons.map(({ words }) => words).join(' '), outcome: 'unmeasured', siteId: site.id },
    ...{ condition, view, protocol, metric: assertion.metric, value: null, low: null, high: null },
    ...{ max: side === 'max' ? limit : null, min: side === 'min' ? limit : null, rounds, failures },
    ...{ pPass: 1, pFail: 1, reasons, caution: null, moreRounds: null },
  };
}

const asJson = (value: number | null | undefined): number | null => (value === null || value === undefined ? null : knownOrNull(value));

const limitOf = ({ assertion, side }: GateQuestion): number =>
  assertion.kind === 'bound' ? (assertion[side] ?? 0) : allowedRatio({ margin: assertion.margin, not: assertion.not ?? 'above' }) - 1;

const passes = (question: GateQuestion, evidence: Evidence, { decide, alphas }: Pick<Circumstances, 'decide' | 'alphas'>): boolean =>
  decide === 'point' ? byPoint(evidence, question.side, limitOf(question)) === 'pass' : evidence.pPass <= alphas.pass;

/** Like a usual budget: by the measured value alone. */
function byPoint({ value }: Evidence, side: 'max' | 'min', limit: number): GateOutcome {
  if (value === null) return 'inconclusive';
  return (side === 'max' ? value <= limit : value >= limit) ? 'pass' : 'fail';
}

function undecided(
  question: GateQuestion,
  { rounds, runs }: JudgedQuestion,
  evidence: Evidence,
  deciding: Deciding,
): GateCheck['reasons'][number] {
  const { minRounds, low, high } = evidence;
  if (deciding.decide === 'point') return { reason: 'undecided', words: 'There is no number to decide by.' };
  if (rounds < minRounds)
    return {
      reason: 'too-few-rounds',
      words: Number.isFinite(minRounds)
        ? `${counted(rounds, 'round')} ${rounds === 1 ? 'is' : 'are'} too few: at least ${minRounds} are needed to show that it holds.`
        : 'No number of rounds can show that none ever fails.',
    };
  if (runs?.isBeyond === true) return suspected(runs, deciding);
  const confidence = confidenceWords(1 - deciding.alphas.pass);
  const what = runs === null ? 'the visits don’t show' : 'this run and those before it don’t show';
  const limit = limitOf(question);
  const isWithin = low !== null && high !== null && low < limit && limit < high;
  const within = isWithin
    ? `: the limit lies inside the interval (${reachWords(question, low, high)}). ${runs === null ? 'Widen the limit, or accept this.' : 'More rounds don’t reduce the difference between runs: widen the limit, or accept this.'}`
    : '.';
  return { reason: 'undecided', words: `At ${confidence} confidence ${what} whether it holds${within}` };
}

/** What a run that is worse than all earlier ones still lacks to fail. */
function suspected({ two, isOtherBeyond, count }: Runs, { otherRun, minToFail }: Deciding): GateCheck['reasons'][number] {
  const worse = `It is worse than all ${count} earlier campaigns by more than is allowed`;
  if (count < minToFail) return { reason: 'undecided', words: `${worse}; failing needs ${minToFail} earlier campaigns and a second run.` };
  if (otherRun === null || (!otherRun.isRepeated && !isOtherBeyond))
    return {
      reason: 'second-run',
      words:
        otherRun === null
          ? `${worse}, which one run may be by chance: a second run would decide.`
          : `${worse}, but campaign ${otherRun.id}, the run before it, was not: the next run decides.`,
    };
  if (two === null) return { reason: 'undecided', words: `${worse}; campaign ${otherRun.id}, the other run, has nothing to compare.` };
  return {
    reason: 'undecided',
    words: isOtherBeyond
      ? `${worse}, and so is campaign ${otherRun.id}, the other run; but runs of this gate's pages normally differ by as much.`
      : `${worse}; campaign ${otherRun.id}, the other run, does not confirm it.`,
  };
}

/** 950 to 1,050 ms; 4 to 19 % higher. */
const reachWords = ({ assertion }: GateQuestion, low: number, high: number): string =>
  assertion.kind === 'bound'
    ? `${quantityWords(assertion.metric, low)} to ${quantityWords(assertion.metric, high)}`
    : intervalWords(low, high);

function moreRounds(question: GateQuestion, reasons: GateCheck['reasons'], { evidence, rounds }: JudgedQuestion): GateCheck['moreRounds'] {
  const [reason, ...others] = reasons.map(({ reason }) => reason);
  if (evidence === null || others.length > 0) return null;
  if (reason === 'too-few-rounds') {
    const least = evidence.minRounds - rounds;
    return evidence.minRounds > maxRounds ? null : { least, words: `Needs at least ${counted(least, 'more round')}.` };
  }
  const { value, low, high } = evidence;
  if (reason !== 'undecided' || value === null || rounds < minTelling) return null;
  const limit = limitOf(question);
  const far = Math.abs((low ?? value) - limit) > Math.abs((high ?? value) - limit) ? low : high;
  const totals = [value, far ?? value].filter(Number.isFinite).flatMap((one) => evidence.roundsToDecide(one) ?? []);
  return totals.length === 0
    ? null
    : { least: 1, words: `Deciding it would take more rounds: ${rangeWords(totals.map((total) => Math.max(1, total - rounds)))}.` };
}

/** The normal difference between two runs of an unchanged page is not known yet, and more rounds of two runs only confirm that they differ. */
const fewWords = (count: number, branch: string) =>
  `${counted(count, 'campaign')} on ${branch} before it ${count === 1 ? 'does' : 'do'} not show how much two runs of one page normally differ: that needs ${minBaselines}. This compares only the visits of two runs.`;

/** With fewer rounds no data could show that an assertion holds; infinite if none ever could. */
export function minRoundsFor(assertion: Assertion, alphas: Alphas): number {
  const one: Side = { values: [1], ofRound: [1], failures: [0] };
  const minRoundsOf = (side: 'max' | 'min') =>
    evidenceOf({ assertion, side }, assertion.metric === 'failedShare' ? [0] : [1], {
      ...{ side: one, other: one, before: Array.from({ length: minBaselines }, () => [1]), alphas, atLeastMs: 0 },
    }).minRounds;
  if (assertion.kind !== 'bound') return minRoundsOf('max');
  return Math.max(...(['max', 'min'] as const).filter((side) => assertion[side] !== undefined).map(minRoundsOf));
}
