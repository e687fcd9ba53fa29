// A gate: what the visits of a campaign say of each assertion, and what follows for all of them.
import type { GateOutcome, GateRules } from '../schemas/gate.ts';
import type { GateResult } from '../schemas/gate-answer.ts';
import { adjustPValues } from '../statistics/adjust.ts';
import { counted } from '../statistics/words.ts';
import { describeAssertion } from './assertion-text.ts';
import { valuesBefore } from './earlier-campaigns.ts';
import { assertionsOf, type GateQuestionAt, questionsAt } from './gate-places.ts';
import { cancelledWords, gateWords } from './gate-words.ts';
import { checkOf, fewestRoundsFor, judged } from './judge.ts';
import { groupKey, type MeasuredGroup, type Measurements, measuredGroups } from './measured-campaign.ts';

export const gateDefaults = { confidence: 0.95, branch: 'main', campaigns: 10 } as const;

/**
 * What of a gate so many rounds can never pass, whatever they show: to be told before they are measured.
 *
 * @param rules without problems: see `gateProblems`.
 * @returns a sentence for each such assertion
 */
export function tooFewRounds(rules: GateRules, rounds: number): string[] {
  const { confidence = gateDefaults.confidence, decide = 'interval' } = rules;
  if (decide === 'point') return [];
  const alpha = 1 - confidence;
  return assertionsOf(rules).flatMap((assertion) => {
    const fewest = fewestRoundsFor(assertion, { pass: alpha, fail: alpha });
    if (fewest <= rounds) return [];
    const takes = Number.isFinite(fewest)
      ? `that takes ${counted(fewest, 'round')} at least, and ${rounds} are asked for`
      : 'no number of rounds shows that no load ever fails';
    return [`"${describeAssertion(assertion)}" can't pass: ${takes}.`];
  });
}

/**
 * Checks a campaign.
 *
 * A check passes where the visits show that its assertion holds, fails where they show that it does not, and is inconclusive else, each
 * shown at the confidence asked for. The gate passes when all checks do: no correction is needed, since a gate that passes wrongly has at
 * least one check that does (intersection–union test: Berger, Technometrics 24, 1982). It fails when any check fails, and that takes
 * Holm's correction over all of them. So the chance that it fails though all assertions hold is at most 1 − confidence, and so is
 * the chance that it passes though one of them does not.
 *
 * @param rules without problems: see `gateProblems`.
 * @param baselines campaigns before this one, newest first, with the same `setupKey`; gone through once.
 * @throws RangeError on an assertion that can't be read, and on a visit that fits no slot of its campaign.
 */
export function checkGate(rules: GateRules, measured: Measurements, baselines: Iterable<Measurements> = []): GateResult {
  const { confidence = gateDefaults.confidence, decide = 'interval' } = rules;
  const branch = rules.baseline?.branch ?? gateDefaults.branch;
  const { campaign } = measured;
  const assertions = assertionsOf(rules);
  const questions = questionsAt(assertions, campaign.spec, campaign.sites);
  const groups = measuredGroups(measured);
  const asksForBaseline = assertions.some(({ kind }) => kind === 'baseline');
  const { before, used } = asksForBaseline ? valuesBefore(questions, campaign, baselines) : { before: [], used: [] };

  const alpha = 1 - confidence;
  const alphas = { pass: alpha, fail: alpha / Math.max(1, questions.length) };
  const found = questions.map((question, i) =>
    judged(question, groups.get(groupKey({ ...question, siteId: question.site.id })) as MeasuredGroup, {
      ...{ alphas, branch, confidence, decide, state: campaign.state },
      before: before[i] ?? [],
    }),
  );
  const adjusted = adjustPValues(found.map(({ canFail, evidence }) => (canFail && evidence !== null ? evidence.pFail : 1)));
  const checks = found.map((one, i) => checkOf(questions[i] as GateQuestionAt, one, adjusted[i] as number, alphas, decide));
  const counts = { pass: 0, fail: 0, inconclusive: 0 };
  for (const { outcome } of checks) counts[outcome] += 1;
  const outcome: GateOutcome = counts.fail > 0 ? 'fail' : counts.inconclusive > 0 || checks.length === 0 ? 'inconclusive' : 'pass';
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
    baseline: asksForBaseline ? { branch, campaigns: used } : null,
  };
}
