// How the loads of two protocols differ from the fastest to the slowest, as lines of a report.
import type { GroupResults } from '@pronghorn/core/schemas';
import { table, wrap } from './terminal.ts';

/** The sentence, and each quantile's difference with the band of all; nothing where the rounds are too few to tell. */
export function quantileLines({ comparisons }: Pick<GroupResults, 'comparisons'>): string[] {
  const question = comparisons.find(({ confirmatory }) => confirmatory);
  if (!question?.byQuantile) return [];
  const { quantiles } = question.byQuantile;
  const cells = quantiles.map(({ p, value, low, high }) =>
    value === null || low === null || high === null ? [name(p), '–', '', ''] : [name(p), percent(value), percent(low), percent(high)],
  );
  const title = `${question.candidate} against ${question.baseline}, %`;
  return [...quantileSentence({ comparisons }), table([title, 'value', 'low', 'high'], cells, [0])];
}

/** In words. */
export function quantileSentence({ comparisons }: Pick<GroupResults, 'comparisons'>): string[] {
  const words = comparisons.find(({ confirmatory }) => confirmatory)?.byQuantile?.words;
  return words === undefined ? [] : [wrap(`By quantile (explores): ${words}`)];
}

const name = (p: number): string => `p${Math.round(100 * p)}`;

const percent = (share: number): string => `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)}`;
