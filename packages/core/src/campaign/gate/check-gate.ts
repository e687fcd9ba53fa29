// Checks a campaign against the assertions of a gate.

import { adjustPValues } from '../../math/adjust.ts';
import type { GateRules } from '../../schemas/gate.ts';
import type { GateResult } from '../../schemas/gate-answer.ts';
import { describeAssertion } from '../../text/assertion.ts';
import { cancelledWords, gateWords } from '../../text/gate.ts';
import { counted } from '../../text/numbers.ts';
import { cellKey } from '../../vocabulary/cell.ts';
import type { GateOutcome } from '../../vocabulary/verdict.ts';
import { campaignCaveats } from '../caveats.ts';
import { type FirstLookCell, firstLook, type Measurements } from '../measured/measured.ts';
import { minToFail, pairP, valuesBefore, valuesIn } from './baseline-evidence.ts';
import { assertionsOf, questionsAt } from './gate-questions.ts';
import { checkOf, type JudgedQuestion, judgeQuestion, minRoundsFor } from './judge.ts';

/**
 * The outcome of a gate is the gravest of its checks. A failed assertion was shown, whatever could not be measured; and no other check
 * stands in for one that was not measured.
 */
const gravest = ['fail', 'unmeasured', 'inconclusive', 'pass'] as const satisfies readonly GateOutcome[];

export const gateDefaults = { confidence: 0.95, branch: 'main', campaigns: 10, only: 'passed' } as const;

/**
 * Assertions of a gate that this number of rounds can never pass, or this number of earlier campaigns never fail, whatever the visits show:
 * reported before anything is measured.
 *
 * @param rules without problems: see `gateProblems`.
 * @returns a sentence for each such assertion
 */
export function tooFewRounds(rules: GateRules, rounds: number): string[] {
  const { confidence = gateDefaults.confidence, decide = 'interval' } = rules;
  if (decide === 'point') return [];
  const alpha = 1 - confidence;
  const assertions = assertionsOf(rules);
  const campaigns = rules.baseline?.campaigns ?? gateDefaults.campaigns;
  const before = minToFail(alpha / new Set(assertions.map(({ kind }) => kind === 'baseline')).size);
  return assertions.flatMap((assertion) => {
    if (assertion.kind === 'baseline' && campaigns < before)
      return [
        `"${describeAssertion(assertion)}" can't fail: it needs ${before} earlier campaigns, but baseline.campaigns is ${campaigns}.`,
      ];
    const minRounds = minRoundsFor(assertion, { pass: alpha, fail: alpha });
    if (minRounds <= rounds) return [];
    const takes = Number.isFinite(minRounds)
      ? `it needs at least ${counted(minRounds, 'round')}, but ${rounds} are requested`
      : 'no number of rounds shows that none ever fails';
    return [`"${describeAssertion(assertion)}" can't pass: ${takes}.`];
  });
}

/**
 * Checks a campaign.
 *
 * A check passes if the visits show that its assertion holds, fails if they show that it does not, and is otherwise inconclusive, each at
 * the requested confidence. If the page could not be measured because of itself, it is unmeasured (`mayStand`). The gate passes if all
 * checks do: no correction is needed, because a gate that passes wrongly has at least one check that does (intersection–union test: Berger,
 * Technometrics 24, 1982). It fails if any check fails, which needs Holm's correction over all of them. So the probability that it fails
 * although all assertions hold is at most 1 − confidence, and so is the probability that it passes although one of them does not.
 *
 * @param rules without problems: see `gateProblems`.
 * Against a baseline a single run never fails: that needs another run of the same page that is just as bad, and permutation (`pairP`). A
 * gate with other assertions too splits the probability of a wrong failure equally between both kinds.
 *
 * @param baselines earlier campaigns, newest first, with the same `setupKey`, without the other run; read once.
 * @param otherRun of the same page, with the same `setupKey`; null: none.
 * @throws RangeError on an assertion that can't be read, and on a visit that fits no slot of its campaign.
 */
export function checkGate(
  rules: GateRules,
  measured: Measurements,
  baselines: Iterable<Measurements> = [],
  otherRun: Measurements | null = null,
): GateResult {
  const { confidence = gateDefaults.confidence, decide = 'interval' } = rules;
  const branch = rules.baseline?.branch ?? gateDefaults.branch;
  const { campaign } = measured;
  const assertions = assertionsOf(rules);
  const questions = questionsAt(assertions, campaign.spec, campaign.sites);
  const { cells, measured: atFirstLook } = firstLook(measured);
  const asksForBaseline = assertions.some(({ kind }) => kind === 'baseline');
  const { before, used } = asksForBaseline ? valuesBefore(questions, campaign, baselines) : { before: [], used: [] };
  const ofOther = asksForBaseline && otherRun !== null ? valuesIn(questions, campaign, otherRun) : [];

  const alpha = 1 - confidence;
  const isRelative = questions.map(({ assertion }) => assertion.kind === 'baseline');
  const kinds = new Set(isRelative).size;
  const alphas = { pass: alpha, fail: alpha / Math.max(1, kinds * isRelative.filter((one) => !one).length) };
  const judged = questions.map((question, i) =>
    judgeQuestion(question, cells.get(cellKey({ ...question, siteId: question.site.id })) as FirstLookCell, {
      ...{ alphas, branch, confidence, decide, engine: campaign.spec.engine, state: campaign.state },
      ...{ before: before[i] ?? [], otherRun: ofOther[i] },
    }),
  );
  const minCampaigns = minToFail(alpha / kinds);
  const ofPairs = pairP(
    judged.map(({ canFail, runs }) => (canFail && runs !== null ? runs.two : null)),
    minCampaigns,
  );
  const ofOne = adjustedAmong(judged, isRelative);
  const other = otherRun && { id: otherRun.campaign.id, isRepeated: otherRun.campaign.id === campaign.annotations.repeats };
  const checks = questions.map((question, i) => {
    const p = isRelative[i] ? ofPairs[i] : ofOne[i];
    return checkOf(question, judged[i] as JudgedQuestion, Math.min(1, kinds * (p as number)), {
      ...{ alphas, decide, otherRun: other, minToFail: minCampaigns },
    });
  });
  const counts: GateResult['counts'] = { pass: 0, fail: 0, inconclusive: 0, unmeasured: 0 };
  for (const { outcome } of checks) counts[outcome] += 1;
  const outcome = gravest.find((one) => counts[one] > 0) ?? 'inconclusive';
  return {
    campaignId: campaign.id,
    state: campaign.state,
    outcome,
    words: campaign.state === 'cancelled' ? cancelledWords(campaign.id) : gateWords(outcome, counts, decide),
    decide,
    confidence,
    counts,
    assertions: assertions.map(describeAssertion),
    checks,
    caveats: campaignCaveats(atFirstLook),
    baseline: asksForBaseline ? { branch, campaigns: used, otherRun: otherRun?.campaign.id ?? null } : null,
  };
}

/** p of failing of the checks that one run decides, Holm-corrected among them; 1 for the others. */
function adjustedAmong(judged: readonly JudgedQuestion[], isRelative: readonly boolean[]): number[] {
  const places = judged
    .keys()
    .filter((place) => !isRelative[place])
    .toArray();
  const adjusted = adjustPValues(
    places.map((place) => {
      const { canFail, evidence } = judged[place] as JudgedQuestion;
      return canFail && evidence !== null ? evidence.pFail : 1;
    }),
  );
  const ps = judged.map(() => 1);
  for (const [i, place] of places.entries()) ps[place] = adjusted[i] as number;
  return ps;
}
