export { type Axis, axisOf, marginBounds } from './axis.ts';
export { type CaveatLine, caveatLines, caveatsAt, warningTitles } from './caveat-lines.ts';
export { type Answered, answered, isUnfinished, verdictCounts } from './counts.ts';
export { type CampaignReport, type ReportRow, reportOf } from './report.ts';
export {
  type AnswerRow,
  answerRows,
  type Difference,
  failingOver,
  hasMedian,
  middleHalf,
  mostTelling,
  rowOutcome,
  type SiteMark,
} from './rows.ts';
export { answerConfidence, answerSentence, campaignAnswer, confidenceSentence, differenceWords, noQuestionWords } from './sentence.ts';
