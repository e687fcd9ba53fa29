export { describeAssertion, lackingMetric, parseAssertion } from './assertion.ts';
export type { UnjudgedCalibration } from './calibration.ts';
export { caveatWords } from './caveat.ts';
export { changeAnswer, changeSides } from './change.ts';
export { conditionDetails, conditionFacts, describeCondition } from './condition.ts';
export { dayWords, monthNames } from './days.ts';
export { doubtNames } from './doubt-names.ts';
export { firstSteps } from './first-steps.ts';
export { leftOutWords } from './left-out.ts';
export { isOneSlip, metricMeant, metricNamed, nameMeant } from './meant.ts';
export {
  confidenceWords,
  counted,
  durationWords,
  endsOf,
  estimatedValue,
  grouped,
  isRounding,
  listed,
  protocolName,
  pValue,
  pWords,
  quantityWords,
  rateWords,
  shareWords,
} from './numbers.ts';
export { browserChange, regressionEvidence, regressionWords, worseWords } from './regression.ts';
export { scopeWords } from './scope.ts';
export { forcedSentence, sizesWords, sizeWords } from './verdict.ts';
export { afterWords, stepWords, visitorWords } from './visitor.ts';
export { requestsOfRun, runViewWords, workloadWords } from './workload.ts';
