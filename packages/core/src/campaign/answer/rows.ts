// The rows of the answer: one for each condition and view, of one site or of all sites together. Pure.
import { median, quantile } from '../../math/quantile.ts';
import type { Campaign } from '../../schemas/campaign.ts';
import type { VerdictCount } from '../../schemas/campaign-list.ts';
import type { MoreRounds } from '../../schemas/comparison.ts';
import type { FailureRate } from '../../schemas/results.ts';
import type { CellAnswer } from '../../schemas/summary.ts';
import { describeCondition } from '../../text/condition.ts';
import { endsOf, estimatedValue } from '../../text/numbers.ts';
import type { View } from '../../vocabulary/cell.ts';
import { type Protocol, protocols } from '../../vocabulary/protocol.ts';
import type { VerdictOutcome } from '../../vocabulary/verdict.ts';
import { isNotLoaded, isUnfinished, verdictCounts } from './counts.ts';

/** A difference of HTTP/3 from HTTP/2: a share of HTTP/2’s value, and the same in the metric’s unit. */
export type Difference = { share: number; amount: number | null };

/** A site’s mark in a row of several; its share is ±∞ where so many loads failed that the difference has no bound. */
export type SiteMark = Difference & { siteId: string; outcome: VerdictOutcome | null };

/** The sites of a row on which one protocol is proven, or likely, to be faster. */
export type Lead = {
  protocol: 'h2' | 'h3';
  isProven: boolean;
  sites: number;
  /** Of the site in the middle of these. Null: without bound, because loads failed, or unknown. */
  difference: Difference | null;
  /** Loads that failed over the other protocol. */
  lost: FailureRate | null;
};

export type AnswerRow = {
  condition: string;
  view: View;
  /** With its view where there are several. */
  name: string;
  /** What the condition does. */
  words: string;
  /** Of one site; of several those of the site in the middle, as the difference. Where nothing has a difference, the medians of all sites’. */
  medians: Partial<Record<Protocol, number | null>>;
  /** Failed loads by protocol. */
  failures: Partial<Record<Protocol, FailureRate>>;
  /**
   * Of one site: the typical difference within a round; without a test, or where a value is 0, of the medians. Of several: of the site in the
   * middle. Null: without bound, because loads failed, or unknown.
   */
  difference: Difference | null;
  /** Of one site. An end is ±∞ where too many loads failed for a bound. Null: too few rounds. */
  interval: { low: number; high: number } | null;
  /** One for each kind of verdict; without a comparison none. */
  verdicts: VerdictCount[];
  leads: Lead[];
  /** Sites whose page did not load. */
  notLoaded: number;
  /** Further sites without a comparison, because the page never loaded over HTTP/2, or never over HTTP/3. */
  notCompared: number;
  failing: Failing | null;
  /** Several sites: one each, where its difference is known. */
  marks: SiteMark[];
  /** Of each comparison that more rounds could settle. */
  moreRounds: MoreRounds[];
  /** Whether HTTP/3 and HTTP/2 were tested on this metric here. */
  isTested: boolean;
};

/** Sites without a verdict and without a number, because loads failed. */
export type Failing = {
  sites: number;
  /** Of the protocols over which many loads failed. */
  rates: Partial<Record<Lead['protocol'], FailureRate>>;
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
  const ends = cell?.comparison?.shift ? endsOf(cell.comparison.shift) : null;
  return {
    ...verdictsOf(cell === undefined ? [] : [cell]),
    medians: cell?.medians ?? {},
    failures: cell?.failures ?? {},
    difference: cell === undefined ? null : differenceOf(cell),
    interval: ends && { low: ends[0], high: ends[1] },
    marks: [],
  };
}

function rowOfSites(cells: readonly CellAnswer[]): Numbers {
  const middle = middleOf(cells);
  return {
    ...verdictsOf(cells),
    medians:
      middle?.medians ??
      Object.fromEntries(protocols.map((protocol) => [protocol, medianOf(cells.flatMap(({ medians }) => medians[protocol] ?? []))])),
    failures: Object.fromEntries(
      protocols.flatMap((protocol) => {
        const rate = sumOf(cells.map(({ failures }) => failures[protocol]));
        return rate === null ? [] : [[protocol, rate]];
      }),
    ),
    difference: middle === undefined ? null : differenceOf(middle),
    interval: null,
    marks: cells.flatMap((cell) => {
      const share = shareOf(cell);
      const { siteId, comparison } = cell;
      const outcome = comparison === null || isUnfinished(comparison) ? null : comparison.outcome;
      return share === null ? [] : [{ siteId, ...(differenceOf(cell) ?? { share, amount: null }), outcome }];
    }),
  };
}

type Verdicts = Pick<AnswerRow, 'verdicts' | 'leads' | 'notLoaded' | 'notCompared' | 'failing' | 'moreRounds' | 'isTested'>;

function verdictsOf(cells: readonly CellAnswer[]): Verdicts {
  const loaded = cells.filter((cell) => !isNotLoaded(cell));
  return {
    verdicts: verdictCounts({ cells }),
    leads: leadsOf(loaded),
    notLoaded: cells.length - loaded.length,
    notCompared: loaded.filter(({ comparison }) => comparison?.doubts.includes('not-loaded')).length,
    failing: failingOf(loaded),
    moreRounds: cells.flatMap(({ comparison }) => (comparison?.moreRounds && !comparison.moreRounds.givenUp ? comparison.moreRounds : [])),
    isTested: cells.some(({ comparison }) => comparison !== null),
  };
}

/** The Hodges–Lehmann estimate has no bound from 29 % of such rounds on (its breakdown point, 1 − √½). */
const manyFailed = 0.25;

/** The protocols over which so many loads failed that a cell without a verdict has no number either; mostly none. */
export function failingOver(cell: CellAnswer): Lead['protocol'][] {
  const { comparison, failures } = cell;
  if (comparison === null || comparison.rounds === 0 || comparison.outcome === 'equivalent') return [];
  if (isNotLoaded(cell) || comparison.doubts.includes('not-loaded') || isUnfinished(comparison)) return [];
  if (winnerOf(cell) !== null || differenceOf(cell) !== null) return [];
  return (['h3', 'h2'] as const).filter((protocol) => {
    const { failed, loads } = failures[protocol] ?? { failed: 0, loads: 1 };
    return failed / loads >= manyFailed;
  });
}

function failingOf(cells: readonly CellAnswer[]): Failing | null {
  const its = cells.filter((cell) => failingOver(cell).length > 0);
  const over = new Set(its.flatMap(failingOver));
  const rates = Object.fromEntries([...over].map((protocol) => [protocol, sumOf(its.map(({ failures }) => failures[protocol]))]));
  return its.length === 0 ? null : { sites: its.length, rates };
}

function leadsOf(cells: readonly CellAnswer[]): Lead[] {
  return (['h3', 'h2'] as const).flatMap((protocol) =>
    [true, false].flatMap((isProven): Lead[] => {
      const its = cells.filter((cell) => winnerOf(cell) === protocol && (cell.comparison?.outcome !== 'not-shown-yet') === isProven);
      const middle = middleOf(its);
      const lost = sumOf(its.map(({ failures }) => failures[protocol === 'h3' ? 'h2' : 'h3']));
      return its.length === 0
        ? []
        : [{ protocol, isProven, sites: its.length, difference: middle === undefined ? null : differenceOf(middle), lost }];
    }),
  );
}

/** Who is faster by the verdict, or likely is. */
function winnerOf({ comparison }: CellAnswer): Protocol | null {
  if (comparison === null || !(comparison.outcome.endsWith('-faster') || comparison.outcome === 'not-shown-yet')) return null;
  return comparison.ahead;
}

/** The site with the median difference: its numbers fit each other. Of an even number, of the two in the middle that which differs less. */
function middleOf(cells: readonly CellAnswer[]): CellAnswer | undefined {
  const known = cells.flatMap((cell) => {
    const share = shareOf(cell);
    return share === null ? [] : [{ cell, share }];
  });
  known.sort((a, b) => a.share - b.share);
  const [low, high] = [known[Math.floor((known.length - 1) / 2)], known[Math.floor(known.length / 2)]];
  return (low && high && Math.abs(high.share) < Math.abs(low.share) ? high : low)?.cell;
}

/** The one verdict of a row; null: there is none yet, or its sites differ. */
export const rowOutcome = ({ verdicts: [first, ...others] }: Pick<AnswerRow, 'verdicts'>): VerdictOutcome | null =>
  first === undefined || others.length > 0 || first.unfinished || first.notLoaded !== null ? null : first.outcome;

/** Of several sites, the differences of the middle half; beyond ±1,000,000 they have no bound. */
export function middleHalf({ marks }: Pick<AnswerRow, 'marks'>): { low: number; high: number } | null {
  const shares = marks.map(({ share }) => Math.max(-1e6, Math.min(1e6, share)));
  return shares.length === 0 ? null : { low: quantile(shares, 0.25), high: quantile(shares, 0.75) };
}

const medianOf = (values: readonly number[]): number | null => (values.length === 0 ? null : median(values));

/** Its interval is that of each site, not of the sum. */
export function sumOf(rates: readonly (FailureRate | undefined)[]): FailureRate | null {
  const [failed, loads] = [rates.reduce((sum, one) => sum + (one?.failed ?? 0), 0), rates.reduce((sum, one) => sum + (one?.loads ?? 0), 0)];
  return loads === 0 ? null : { failed, loads, share: failed / loads, low: null, high: null };
}

function differenceOf(cell: CellAnswer): Difference | null {
  const share = shareOf(cell);
  const { comparison, medians } = cell;
  if (share === null || !Number.isFinite(share)) return null;
  return { share, amount: comparison?.shift ? comparison.shiftAtMedian : (medians.h3 ?? 0) - (medians.h2 ?? 0) };
}

/**
 * The verdict's own estimate; ±∞: without bound, because loads failed. Medians are another estimate: they stand in only where there is no test, or
 * where a value is 0 and has no ratio, and not where they contradict the verdict. Null: unknown.
 */
function shareOf(cell: CellAnswer): number | null {
  const { h2, h3 } = cell.medians;
  if (cell.comparison?.shift != null) return estimatedValue(cell.comparison.shift);
  if (h2 == null || h3 == null || (h2 === 0 && h3 === 0)) return null;
  const share = h3 / h2 - 1;
  const winner = winnerOf(cell);
  return winner === null || share < 0 === (winner === 'h3') ? share : null;
}

/** The row whose loads are shown first: the largest proven difference, or the first with numbers. */
export function mostTelling(rows: readonly AnswerRow[]): AnswerRow | undefined {
  const size = ({ difference, verdicts }: AnswerRow) =>
    verdicts.some(({ outcome }) => outcome.endsWith('-faster')) ? Math.abs(difference?.share ?? 0) : 0;
  const best = rows.reduce<AnswerRow | undefined>((a, b) => (a === undefined || size(b) > size(a) ? b : a), undefined);
  return best !== undefined && size(best) > 0 ? best : (rows.find(hasMedian) ?? rows[0]);
}

/** Whether a load counts there. */
export const hasMedian = ({ medians }: Pick<AnswerRow, 'medians'>): boolean => Object.values(medians).some((value) => value !== null);
