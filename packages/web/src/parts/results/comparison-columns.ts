// The columns of the table of comparisons, with their terms. Pure.

import { isUnfinished } from '@pronghorn/core/answer';
import type { Comparison } from '@pronghorn/core/schemas';
import { pWords } from '@pronghorn/core/text';
import type { Cell, ChartTable } from '../../charts/frame/table.ts';
import type { Term } from '../../text/explanations.ts';
import { pValue, signed, signedNumber, signedPercent, unitNames } from '../../text/format.ts';
import { metricNames, outcomeNames, protocolNames } from '../../text/vocabulary.ts';
import { roleOf } from './cells.ts';

/** `small` stands below `main` in a smaller font. */
export type ComparisonCell = { main: string; small?: string };
export type ComparisonColumn = { title: string; term: Term; cell: (comparison: Comparison) => ComparisonCell };

/** The table has elements of its own for metric and verdict. */
export const comparisonColumns: readonly ComparisonColumn[] = [
  { title: 'rounds', term: 'pairedRounds', cell: ({ rounds }) => ({ main: String(rounds) }) },
  { title: 'delta', term: 'delta', cell: ({ delta }) => estimate(delta, signed) },
  {
    title: 'median difference',
    term: 'medianDifference',
    cell: ({ metric, medianDifference }) => {
      const { unit } = metricNames[metric];
      return estimate(medianDifference, (value) => signedNumber(value, unit), unitNames[unit] === '' ? '' : ` ${unitNames[unit]}`);
    },
  },
  { title: 'shift', term: 'shift', cell: ({ shift }) => estimate(shift, (value) => signedPercent(value, ''), ' %') },
  {
    title: 'p',
    term: 'p',
    cell: ({ signedRank }) => ({ main: signedRank ? pValue(signedRank.p) : '–', ...(signedRank ? { small: signedRank.method } : {}) }),
  },
  { title: 'corrected p', term: 'adjustedP', cell: ({ signedRank }) => ({ main: signedRank ? pValue(signedRank.adjustedP) : '–' }) },
  {
    title: 'r',
    term: 'rankBiserial',
    cell: ({ signedRank }) => (signedRank ? { main: signed(signedRank.rankBiserial), small: signedRank.category } : { main: '–' }),
  },
  {
    title: 'Cliff’s delta',
    term: 'cliffsDelta',
    cell: ({ mannWhitney }) =>
      mannWhitney
        ? { main: signed(mannWhitney.cliffsDelta), small: `${mannWhitney.cliffsDeltaCategory}; ${pWords(mannWhitney.p)}` }
        : { main: '–' },
  },
  {
    title: 'equivalence',
    term: 'equivalence',
    cell: ({ equivalence }) =>
      equivalence === null
        ? { main: '–' }
        : {
            main: equivalence.equivalent ? 'yes' : 'not shown',
            small: `${equivalence.low === null ? 'no bound' : signedPercent(equivalence.low, '')} to ${equivalence.high === null ? 'no bound' : signedPercent(equivalence.high)}`,
          },
  },
  {
    title: 'practical',
    term: 'practical',
    cell: ({ practical, mannWhitney, relativeMedianDifference: relative }) => ({
      main: practical ? 'yes' : 'no',
      ...(mannWhitney !== null && relative !== null ? { small: `r ${signed(mannWhitney.rankBiserial)}, ${signedPercent(relative)}` } : {}),
    }),
  },
];

/** @param format without the unit */
function estimate(estimated: Comparison['delta'], format: (value: number) => string, unit = ''): ComparisonCell {
  if (estimated === null) return { main: '–' };
  const { value, low, high, unbounded } = estimated;
  return {
    main: value === null ? 'no bound' : `${format(value)}${unit}`,
    small:
      unbounded !== undefined
        ? 'no bound: visits failed'
        : low === null || high === null
          ? 'too few rounds'
          : `${format(low)} to ${format(high)}${unit}`,
  };
}

/** A comparison with the name that sets it apart in its group: its metric, or its condition. */
export type ComparisonRow = { name: string; note: string; comparison: Comparison };
export type ComparisonRows = { title: string; rows: readonly ComparisonRow[] };

/** In full digits, for a spreadsheet. */
export function comparisonsTable(groups: readonly ComparisonRows[]): ChartTable {
  const columns = [
    ...['of', 'metric', 'role', 'candidate', 'baseline', 'verdict', 'rounds', 'delta', 'deltaLow', 'deltaHigh', 'medianDifference'],
    ...['medianDifferenceLow', 'medianDifferenceHigh', 'shift', 'shiftLow', 'shiftHigh', 'confidence', 'p', 'adjustedP', 'rankBiserial'],
    ...['effect', 'mannWhitneyP', 'cliffsDelta', 'equivalent', 'equivalenceLow', 'equivalenceHigh', 'margin', 'practical', 'words'],
  ];
  return {
    columns: columns.map((name) => ({ name })),
    rows: groups
      .flatMap(({ rows }) => rows)
      .map(({ name, comparison: one }): Cell[] => {
        const { delta, medianDifference, shift, signedRank, mannWhitney, equivalence, verdict } = one;
        return [
          ...[name, one.metric, roleOf(one), protocolNames[one.candidate], protocolNames[one.baseline]],
          ...[isUnfinished(verdict) ? 'unfinished' : outcomeNames[verdict.outcome], one.rounds],
          ...[delta, medianDifference, shift].flatMap((each) => [each?.value ?? null, each?.low ?? null, each?.high ?? null]),
          ...[
            one.confidence,
            signedRank?.p ?? null,
            signedRank?.adjustedP ?? null,
            signedRank?.rankBiserial ?? null,
            signedRank?.category ?? null,
          ],
          ...[mannWhitney?.p ?? null, mannWhitney?.cliffsDelta ?? null],
          ...[
            equivalence === null ? null : equivalence.equivalent ? 'yes' : 'no',
            equivalence?.low ?? null,
            equivalence?.high ?? null,
            equivalence?.margin ?? null,
          ],
          ...[one.practical ? 'yes' : 'no', verdict.words],
        ];
      }),
  };
}
