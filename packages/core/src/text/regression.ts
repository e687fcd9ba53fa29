// What got worse from campaign to campaign, in sentences: by how much, from what to what, and since when; then what shows it.
import type { MetricName } from '../schemas/metrics.ts';
import type { Regression } from '../schemas/schedule.ts';
import { isTime, metricTitle } from '../vocabulary/metric.ts';
import { dayWords } from './days.ts';
import { counted, protocolName, pWords, quantityWords, shareWords } from './numbers.ts';

type Step = Pick<Regression, 'metric' | 'protocol' | 'condition' | 'view' | 'before' | 'level' | 'failing' | 'since'>;

/** onLoad got 32 % slower over HTTP/3. Half of its loads fail or more over HTTP/3. */
export function worseWords({ metric, protocol, before, level, failing }: Omit<Step, 'condition' | 'view' | 'since'>): string {
  const share = shareWords(level / before - 1);
  const what = isTime(metric) ? `got ${share} slower` : `grew by ${share}`;
  return `${failing ? 'Half of the loads fail or more' : `${metricTitle(metric)} ${what}`} over ${protocolName(protocol)}`;
}

/** onLoad got 32 % slower over HTTP/3 under 4g: 730 → 962 ms, since 8abc0de8 (20 Nov), with Chrome 157 instead of 156. */
export function regressionWords(step: Step): string {
  const { metric, condition, view, before, level, failing, since } = step;
  const where = [...(condition === 'native' ? [] : [` under ${condition}`]), ...(view === 'warm' ? [', repeat view'] : [])].join('');
  const commit = since.commit === null ? dayWords(since.at) : `${since.commit.slice(0, 8)} (${dayWords(since.at)})`;
  const browser = since.browserChange === null ? '' : `, with ${since.browserChange}`;
  const levels = failing ? `${metricTitle(metric)} was ${quantityWords(metric, before)}` : fromTo(metric, before, level);
  return `${worseWords(step)}${where}: ${levels}, since ${commit}${browser}.`;
}

/** Chrome 157 instead of 156; null: the same. @param before,after products, such as Chrome/156.0.8078.79 */
export function browserChange(before: readonly string[], after: readonly string[]): string | null {
  const [from, to] = [before, after].map((products) => [...new Set(products)].sort()) as [string[], string[]];
  if (from.length === 0 || to.length === 0 || from.join() === to.join()) return null;
  const version = (product: string) => product.slice(product.indexOf('/') + 1);
  const major = (product: string) => version(product).split('.')[0] ?? '';
  const words = (of: typeof version) => [from, to].map((products) => products.map(of).join(' and ')) as [string, string];
  const [shortFrom, shortTo] = words(major);
  const [was, is] = shortFrom === shortTo ? words(version) : [shortFrom, shortTo];
  return `${to[0]?.split('/')[0]} ${is} instead of ${was}`;
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
