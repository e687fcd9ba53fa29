// The rows of the answer: one for each condition and view, of one site or of all sites together. Pure.
import { median, quantile } from '../../math/quantile.ts';
import type { Campaign } from '../../schemas/campaign.ts';
import type { VerdictCount } from '../../schemas/campaign-list.ts';
import type { FailureRate } from '../../schemas/results.ts';
import type { CellAnswer } from '../../schemas/summary.ts';
import { describeCondition } from '../../text/condition.ts';
import type { View } from '../../vocabulary/cell.ts';
import { type Protocol, protocols } from '../../vocabulary/protocol.ts';
import type { VerdictOutcome } from '../../vocabulary/verdict.ts';
import { isUnfinished, verdictCounts } from './counts.ts';

/** A difference of HTTP/3 from HTTP/2: a share of HTTP/2’s value, and the same in the metric’s unit. */
export type Difference = { share: number; amount: number | null };

/** A site’s mark in a row of several. */
export type SiteMark = Difference & { siteId: string; outcome: VerdictOutcome | null };

export type AnswerRow = {
  condition: string;
  view: View;
  /** With its view where there are several. */
  name: string;
  /** What the condition does. */
  words: string;
  /** Of one site; over several sites the median site’s. */
  medians: Partial<Record<Protocol, number | null>>;
  /** Failed loads by protocol. */
  failures: Partial<Record<Protocol, FailureRate>>;
  /** Of one site: the typical difference within a round; over several the median site’s. Without a test: of the medians. */
  difference: Difference | null;
  /** Of one site. */
  interval: { low: number; high: number } | null;
  /** In the API’s words: 96 ms (9.2 %) sooner; 95 % sure it is 4.2 to 11 %. */
  differenceWords: string | null;
  /** One for each kind of verdict; without a comparison none. */
  verdicts: VerdictCount[];
  /** Several sites: one each. */
  marks: SiteMark[];
  /** The least number of rounds that would settle it; null: settled, or unknown. */
  moreRounds: number | null;
  /** Whether HTTP/3 and HTTP/2 were tested on this metric here. */
  isTested: boolean;
};

type Setup = Pick<Campaign, 'sites' | 'spec'>;

/**
 * @param siteId null: all sites together
 */
export function answerRows({ spec }: Setup, cells: readonly CellAnswer[], siteId: string | null): AnswerRow[] {
  return spec.conditions.flatMap((condition) =>
    spec.views.map((view) => {
      const its = cells.filter(
        (cell) => cell.condition === condition.name && cell.view === view && (siteId === null || cell.siteId === siteId),
      );
      const names = {
        ...{ condition: condition.name, view, words: describeCondition(condition) },
        name: spec.views.length > 1 ? `${condition.name}, ${view}` : condition.name,
      };
      return { ...names, ...(siteId === null ? rowOfSites(its) : rowOfSite(its[0])) };
    }),
  );
}

type Numbers = Omit<AnswerRow, 'condition' | 'view' | 'name' | 'words'>;

function rowOfSite(cell: CellAnswer | undefined): Numbers {
  const { low = null, high = null } = cell?.comparison?.shift ?? {};
  return {
    medians: cell?.medians ?? {},
    failures: cell?.failures ?? {},
    difference: cell === undefined ? null : differenceOf(cell),
    interval: low === null || high === null ? null : { low, high },
    differenceWords: cell?.comparison?.difference ?? null,
    verdicts: cell === undefined ? [] : verdictCounts({ cells: [cell] }),
    marks: [],
    moreRounds: moreRoundsOf(cell),
    isTested: cell?.comparison != null,
  };
}

/** The middle of several sites’ differences. Where the two medians point in opposite directions, the amount says nothing. */
export function middleOf(differences: readonly Difference[]): Difference | null {
  const amounts = differences.flatMap(({ amount }) => amount ?? []);
  const share = medianOf(differences.map((one) => one.share));
  if (share === null) return null;
  const amount = amounts.length === differences.length ? medianOf(amounts) : null;
  return { share, amount: amount !== null && Math.sign(amount) === Math.sign(share) ? amount : null };
}

function rowOfSites(cells: readonly CellAnswer[]): Numbers {
  const differences = cells.flatMap((cell) => differenceOf(cell) ?? []);
  const more = cells.flatMap((cell) => moreRoundsOf(cell) ?? []);
  return {
    medians: Object.fromEntries(protocols.map((protocol) => [protocol, medianOf(cells.flatMap(({ medians }) => medians[protocol] ?? []))])),
    failures: Object.fromEntries(
      protocols.flatMap((protocol) => {
        const rate = sumOf(cells.map(({ failures }) => failures[protocol]));
        return rate === null ? [] : [[protocol, rate]];
      }),
    ),
    difference: middleOf(differences),
    interval: null,
    differenceWords: null,
    verdicts: verdictCounts({ cells }),
    marks: cells.flatMap((cell) => {
      const its = differenceOf(cell);
      const { comparison } = cell;
      const outcome = comparison === null || isUnfinished(comparison) ? null : comparison.outcome;
      return its === null ? [] : [{ siteId: cell.siteId, ...its, outcome }];
    }),
    moreRounds: more.length === 0 ? null : Math.max(...more),
    isTested: cells.some(({ comparison }) => comparison !== null),
  };
}

/** The one verdict of a row; null: there is none yet, or its sites differ. */
export const rowOutcome = ({ verdicts: [first, ...others] }: Pick<AnswerRow, 'verdicts'>): VerdictOutcome | null =>
  first === undefined || others.length > 0 || first.unfinished || first.notLoaded !== null ? null : first.outcome;

/** Of several sites, the differences of the middle half. */
export function middleHalf({ marks }: Pick<AnswerRow, 'marks'>): { low: number; high: number } | null {
  const shares = marks.map(({ share }) => share);
  return shares.length === 0 ? null : { low: quantile(shares, 0.25), high: quantile(shares, 0.75) };
}

const medianOf = (values: readonly number[]): number | null => (values.length === 0 ? null : median(values));

/** Its interval is that of each site, not of the sum. */
function sumOf(rates: readonly (FailureRate | undefined)[]): FailureRate | null {
  const [failed, loads] = [rates.reduce((sum, one) => sum + (one?.failed ?? 0), 0), rates.reduce((sum, one) => sum + (one?.loads ?? 0), 0)];
  return loads === 0 ? null : { failed, loads, share: failed / loads, low: null, high: null };
}

function differenceOf({ comparison, medians: { h2, h3 } }: CellAnswer): Difference | null {
  if (comparison?.shift?.value != null) return { share: comparison.shift.value, amount: comparison.shiftAtMedian };
  if (h2 == null || h3 == null || h2 === 0) return null;
  return { share: h3 / h2 - 1, amount: h3 - h2 };
}

const moreRoundsOf = (cell: CellAnswer | undefined): number | null => {
  const more = cell?.comparison?.moreRounds ?? null;
  return more === null || more.givenUp ? null : more.least;
};

/** The row whose loads are shown first: the largest proven difference, or the first with numbers. */
export function mostTelling(rows: readonly AnswerRow[]): AnswerRow | undefined {
  const size = ({ difference, verdicts }: AnswerRow) =>
    verdicts.some(({ outcome }) => outcome.endsWith('-faster')) ? Math.abs(difference?.share ?? 0) : 0;
  const best = rows.reduce<AnswerRow | undefined>((a, b) => (a === undefined || size(b) > size(a) ? b : a), undefined);
  return best !== undefined && size(best) > 0 ? best : (rows.find(hasMedian) ?? rows[0]);
}

/** Whether a load counts there. */
export const hasMedian = ({ medians }: Pick<AnswerRow, 'medians'>): boolean => Object.values(medians).some((value) => value !== null);
