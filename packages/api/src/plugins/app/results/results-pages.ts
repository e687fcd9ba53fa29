// Pages of what is kept, as JSON: read a few cells at a time, so that a quick reader leaves time for everybody else.
import { setImmediate } from 'node:timers/promises';
import { answerFromResults } from '@pronghorn/core/campaign';
import type { CampaignAnswers, CellResults, Comparison, MetricName, VerdictOutcome } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { ProblemError } from '../../../shared/problems.ts';
import type { Slice } from '../../../storage/page.ts';
import type { CellFilter, ChangeOutline, ComparisonOutline, KeptCell, ResultsRepository } from '../../../tables/results-repository.ts';
import { countOutcomes } from './computation.ts';

/** Null: any. */
export type ComparisonFilter = CellFilter & {
  metric: MetricName | null;
  candidate: Protocol | null;
  baseline: Protocol | null;
  outcome: VerdictOutcome | null;
  confirmatory: 0 | 1 | null;
};
/** @param differing 1: only cells where anything differs. */
export type ComparedFilter = CellFilter & { differing: 0 | 1 };

/** Cells that are read in one go: a few milliseconds. */
const documentsAtOnce = 5;
const outlinesAtOnce = 100;
/** A comparison's place in a list: its cell's place × 100 + its line. */
const comparisonsEach = 100;

export function createResultsPages(kept: ResultsRepository) {
  /** @throws what `deleted` makes when they are deleted meanwhile: a list must not end too early. */
  async function* batchesOf(
    key: number,
    filter: CellFilter,
    { after, atOnce, deleted }: { after: number; atOnce: number; deleted: () => Error },
  ): AsyncGenerator<KeptCell[]> {
    for (let place = after; ; ) {
      await setImmediate();
      const cells = kept.cells(key, filter, { after: place, limit: atOnce });
      if (!kept.isWhole(key)) throw deleted();
      yield cells;
      if (cells.length < atOnce) return;
      place = cells.at(-1)?.place ?? place;
    }
  }

  return {
    /** Results with the cells of a page. @param slice null: all of them. */
    async *results(key: number, filter: CellFilter, slice: Slice | null): AsyncGenerator<string> {
      const head = kept.textOf(key, 0);
      if (head === undefined) throw deletedResults();
      yield `${head.slice(0, -1)},"cells":[`;
      let [last, count, more] = [0, 0, false];
      const range = { after: slice?.cursor ?? 0, atOnce: documentsAtOnce, deleted: deletedResults };
      for await (const cells of batchesOf(key, filter, range)) {
        const left = (slice?.limit ?? Number.POSITIVE_INFINITY) - count;
        const onPage = cells.slice(0, left);
        const texts = onPage.map(({ place }) => {
          const [cell, comparisons] = [kept.textOf(key, place), kept.comparisonsOf(key, place)];
          if (cell === undefined || comparisons === undefined) throw deletedResults();
          return `${cell.slice(0, -1)},"comparisons":[${comparisons.replaceAll('\n', ',')}]}`;
        });
        if (texts.length > 0) yield `${count === 0 ? '' : ','}${texts.join()}`;
        [last, count, more] = [onPage.at(-1)?.place ?? last, count + texts.length, cells.length > left];
        if (more) break;
      }
      yield slice === null ? ']}' : `],"nextCursor":${more ? `"${last}"` : null}}`;
    },

    /** The answer of each cell on one metric, from results. */
    async answers(key: number, campaignId: number, metric: MetricName): Promise<CampaignAnswers> {
      const answers: CampaignAnswers['cells'] = [];
      const any: CellFilter = { siteId: null, condition: null, view: null };
      for await (const cells of batchesOf(key, any, { after: 0, atOnce: documentsAtOnce, deleted: deletedResults })) {
        for (const { place } of cells) {
          const [cell, comparisons] = [kept.textOf(key, place), kept.comparisonsOf(key, place)];
          if (cell === undefined || comparisons === undefined) throw deletedResults();
          const compared = comparisons === '' ? [] : comparisons.split('\n').map((line) => JSON.parse(line) as Comparison);
          answers.push(answerFromResults({ ...(JSON.parse(cell) as CellResults), comparisons: compared }, metric));
        }
      }
      return { campaignId: String(campaignId), metric, cells: answers };
    },

    /** The comparisons of protocols in results. */
    async comparisons(key: number, filter: ComparisonFilter, { limit, cursor }: Slice): Promise<string> {
      const { siteId, condition, view, metric, candidate, baseline, outcome, confirmatory } = filter;
      const parts = [metric, candidate, baseline, outcome, confirmatory].map((part) => part ?? '[^ "]+').join(' ');
      const [wanted, inOutline] = [new RegExp(`^${parts}$`), new RegExp(`"${parts}"`)];
      const page: { place: number; text: string }[] = [];
      const after = Math.max(0, Math.floor((cursor ?? 0) / comparisonsEach) - 1); // a page may end within a cell
      const range = { after, atOnce: outlinesAtOnce, deleted: deletedResults };
      const add = ({ place, outline, ...cell }: KeptCell): void => {
        if (page.length > limit || !inOutline.test(outline)) return;
        const placeOf = (line: number) => place * comparisonsEach + line;
        const lines = (JSON.parse(outline) as ComparisonOutline[]).flatMap((one, line) =>
          wanted.test(one) && placeOf(line) > (cursor ?? 0) ? [line] : [],
        );
        if (lines.length === 0) return;
        const comparisons = kept.comparisonsOf(key, place)?.split('\n');
        if (comparisons === undefined) throw deletedResults();
        const start = JSON.stringify(cell).slice(0, -1);
        page.push(...lines.map((line) => ({ place: placeOf(line), text: `${start},${comparisons[line]?.slice(1)}` })));
      };
      for await (const cells of batchesOf(key, { siteId, condition, view }, range)) {
        cells.forEach(add);
        if (page.length > limit) break;
      }
      const onPage = page.slice(0, limit);
      const next = page.length > limit ? `"${onPage.at(-1)?.place}"` : null;
      return `{"items":[${onPage.map(({ text }) => text).join()}],"nextCursor":${next}}`;
    },

    /** A comparison with another campaign. @throws ProblemError invalid-request when it was replaced meanwhile. */
    async compared(key: number, { differing, ...filter }: ComparedFilter, { limit, cursor }: Slice): Promise<string> {
      const [head, outline] = [kept.textOf(key, 0), kept.outlineOf(key)];
      if (head === undefined || outline === undefined) throw replaced();
      const isFiltered = Object.values(filter).some((wanted) => wanted !== null);
      const counted = countOutcomes();
      const after = cursor === null ? 0 : kept.placeOf(cursor);
      const page: number[] = [];
      // Outcomes are of all cells of a filter, on each of its pages.
      const range = { after: isFiltered ? 0 : after, atOnce: outlinesAtOnce, deleted: replaced };
      for await (const cells of batchesOf(key, filter, range)) {
        for (const { place, outline, ...cell } of cells) {
          const change = JSON.parse(outline) as ChangeOutline;
          if (isFiltered) counted.add(cell, change);
          if (place > after && page.length <= limit && (differing === 0 || differs(change))) page.push(place);
        }
        if (!isFiltered && page.length > limit) break;
      }
      const texts = page.slice(0, limit).map((place) => {
        const text = kept.textOf(key, place);
        if (text === undefined) throw replaced();
        return text;
      });
      const next = page.length > limit ? `"${kept.idOf(key, page[limit - 1] ?? 0)}"` : null;
      const outcomes = JSON.stringify(isFiltered ? counted.counts : JSON.parse(outline).outcomes);
      return `${head.slice(0, -1)},"outcomes":${outcomes},"cells":[${texts.join()}],"nextCursor":${next}}`;
    },
  };
}

const differs = ({ changes, lead }: ChangeOutline) =>
  [...changes.map(({ outcome }) => outcome), lead].some((outcome) => outcome === 'lower' || outcome === 'higher');
const deletedResults = () => new Error('These results were deleted while they were read. Read them anew.');
export const replaced = () =>
  new ProblemError(
    'invalid-request',
    'The comparison was computed anew since the page before, from more rounds, or the cursor is of another one. Read it anew without the cursor.',
  );
