export { describeAssertion, isOneSlip, metricMeant, parseAssertion } from './assertion.ts';
export { type FoundCalibration, judgeCalibration } from './calibration.ts';
export { describeCondition } from './condition.ts';
export {
  confidenceWords,
  counted,
  endsOf,
  estimatedValue,
  isRounding,
  listed,
  protocolName,
  pValue,
  pWords,
  shareWords,
} from './numbers.ts';
export { rateWords } from './quantities.ts';
export { scopeWords } from './scope.ts';
export { afterWords, visitorWords } from './visitor.ts';
export { requestsOfRun, runViewWords, workloadWords } from './workload.ts';
