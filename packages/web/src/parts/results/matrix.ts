// All cells of a campaign as a matrix: a row for each site, a column for each condition and view. Pure.

import { isUnfinished } from '@pronghorn/core/answer';
import type { Campaign, CellAnswer, VerdictOutcome } from '@pronghorn/core/schemas';
import type { View } from '@pronghorn/core/vocabulary';
import { signedPercent } from '../../text/format.ts';
import { outcomeNames } from '../../text/vocabulary.ts';
import { type Cell, cellKey } from './cells.ts';

export type MatrixColumn = { condition: string; view: View; title: string };
export type MatrixCell = Cell & {
  /** Null: without a verdict, or with rounds still to come. */
  outcome: VerdictOutcome | null;
  /** The verdict's sign and HTTP/3’s difference, as the cell shows them. */
  sign: string;
  delta: string;
  /** The same in full, for a screen reader. */
  words: string;
};
export type MatrixRow = { siteId: string; name: string; cells: readonly MatrixCell[] };

const signs: Readonly<Record<VerdictOutcome, string>> = {
  'h3-faster': '◆',
  'h2-faster': '●',
  'h1-faster': '■',
  equivalent: '=',
  'not-shown-yet': '~',
  inconclusive: '?',
};

export function matrixColumns({ spec }: Pick<Campaign, 'spec'>): MatrixColumn[] {
  return spec.conditions.flatMap(({ name }) =>
    spec.views.map((view) => ({ condition: name, view, title: spec.views.length > 1 ? `${name}, ${view}` : name })),
  );
}

export function matrixRows({ sites, spec }: Pick<Campaign, 'sites' | 'spec'>, answers: readonly CellAnswer[]): MatrixRow[] {
  const known = new Map(answers.map((answer) => [cellKey(answer), answer]));
  const columns = matrixColumns({ spec });
  return sites.map(({ id: siteId, name }) => ({
    siteId,
    name,
    cells: columns.map(({ condition, view }) => cellOf({ siteId, condition, view }, known.get(cellKey({ siteId, condition, view })))),
  }));
}

function cellOf(cell: Cell, answer: CellAnswer | undefined): MatrixCell {
  const { comparison = null, medians = {} } = answer ?? {};
  const { h2, h3 } = medians;
  const share = comparison?.shift?.value ?? (h2 != null && h3 != null && h2 !== 0 ? h3 / h2 - 1 : null);
  const numbers = share === null ? '' : signedPercent(share);
  const inWords = share === null ? 'no difference known' : `HTTP/3 ${numbers}`;
  const isLost = answer?.notLoaded != null || comparison?.doubts.includes('not-loaded') === true;
  if (isLost && !comparison?.doubts.includes('unfinished'))
    return { ...cell, outcome: null, sign: '✕', delta: '', words: 'could not be loaded' };
  if (comparison === null) return { ...cell, outcome: null, sign: '', delta: numbers, words: `no verdict, ${inWords}` };
  if (isUnfinished(comparison)) return { ...cell, outcome: null, sign: '⋯', delta: numbers, words: `unfinished, ${inWords}` };
  const { outcome } = comparison;
  return { ...cell, outcome, sign: signs[outcome], delta: numbers, words: `${outcomeNames[outcome]}, ${inWords}` };
}
