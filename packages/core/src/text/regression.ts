// What got worse from campaign to campaign, in sentences: by how much, from what to what, and since when; then what shows it.
import type { MetricName } from '../schemas/metrics.ts';
import type { Regression } from '../schemas/schedule.ts';
import { isTime, metricTitle } from '../vocabulary/metric.ts';
import { dayWords } from './days.ts';
import { counted, protocolName, pWords, quantityWords, shareWords } from './numbers.ts';

type Step = Pick<Regression, 'metric' | 'protocol' | 'condition' | 'view' | 'before' | 'level' | 'since'>;

/** onLoad got 32 % slower over HTTP/3. */
export const worseWords = ({ metric, protocol, before, level }: Pick<Step, 'metric' | 'protocol' | 'before' | 'level'>): string =>
  `${metricTitle(metric)} ${isTime(metric) ? `got ${shareWords(level / before - 1)} slower` : `grew by ${shareWords(level / before - 1)}`} over ${protocolName(protocol)}`;

/** onLoad got 32 % slower over HTTP/3 under 4g: 730 → 962 ms, since 8abc0de8 (20 Nov). */
export function regressionWords(step: Step): string {
  const { metric, condition, view, before, level, since } = step;
  const where = [...(condition === 'native' ? [] : [` under ${condition}`]), ...(view === 'warm' ? [', repeat view'] : [])].join('');
  const commit = since.commit === null ? dayWords(since.at) : `${since.commit.slice(0, 8)} (${dayWords(since.at)})`;
  return `${worseWords(step)}${where}: ${fromTo(metric, before, level)}, since ${commit}.`;
}

/** What shows that it is no chance. @param compared how many medians were compared together. */
export function regressionEvidence(
  { change, baselineRuns, spread, p }: Pick<Regression, 'change' | 'baselineRuns' | 'spread' | 'p'>,
  compared: number,
): string {
  const corrected = compared > 1 ? ` corrected for ${counted(compared, 'comparison')}` : '';
  return `The last two campaigns are at least ${shareWords(change)} above the ${baselineRuns} before, which differ by ${shareWords(spread)} anyway; ${pWords(p)}${corrected}.`;
}

/** 730 → 962 ms. */
function fromTo(metric: MetricName, before: number, level: number): string {
  const [from, to] = [before, level].map((value) => quantityWords(metric, value)) as [string, string];
  const [number, unit] = from.split(' ');
  return `${unit !== undefined && to.endsWith(` ${unit}`) ? number : from} → ${to}`;
}
