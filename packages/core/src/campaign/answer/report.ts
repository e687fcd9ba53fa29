// A campaign on one page, for somebody who has never seen Pronghorn: the same words on paper, on its card and in its public result.
import type { Campaign } from '../../schemas/campaign.ts';
import type { CampaignSummary } from '../../schemas/summary.ts';
import { counted, grouped, listed, protocolName } from '../../text/numbers.ts';
import { forcedSentence } from '../../text/verdict.ts';
import { type InvalidKind, invalidReasons, kindOf } from '../../vocabulary/reason.ts';
import { caveatLines, warningTitles } from './caveat-lines.ts';
import { type Answered, answered } from './counts.ts';
import { type AnswerRow, answerRows } from './rows.ts';
import { campaignAnswer, confidenceSentence } from './sentence.ts';

/** One cell, or one condition over several sites. */
export type ReportRow = AnswerRow & {
  /** The page's name; null: there is one page, or the row is of all. */
  site: string | null;
};

export interface CampaignReport {
  question: string;
  /** The answer in words and milliseconds. */
  answer: string;
  rows: ReportRow[];
  /** Number of rows that are left out. */
  more: number;
  /** How sure the answer is, in sentences. */
  sure: string[];
  /** What it does not say, in sentences. */
  limits: string[];
  /** What of that a reader must know who sees no more than the answer, in a few words each. */
  warnings: string[];
}

type Reported = Pick<Campaign, 'spec' | 'sites'>;

/** @param atMost rows; of more cells than that each condition has one row for all sites. */
export function reportOf(campaign: Reported, summary: CampaignSummary, atMost = 16): CampaignReport {
  const { sites } = campaign;
  const compared = answered(summary);
  const all =
    summary.cells.length > atMost && sites.length > 1
      ? answerRows(campaign, summary.cells, null).map((row) => ({ ...row, site: null }))
      : sites.flatMap(({ id, name }) =>
          answerRows(campaign, summary.cells, id).map((row) => ({ ...row, site: sites.length === 1 ? null : name })),
        );
  return {
    question: questionOf(campaign, compared),
    answer: [...unfinishedWords(summary), ...answerOf(campaign, summary)].join(' '),
    rows: all.slice(0, atMost),
    more: Math.max(0, all.length - atMost),
    sure: sureSentences(campaign, summary, compared),
    limits: limitsOf(campaign, summary, compared),
    warnings: warningTitles(summary.caveats),
  };
}

function questionOf({ spec, sites }: Reported, compared: readonly Answered[]): string {
  const pages = sites.length === 1 ? 'this page' : `these ${grouped(sites.length)} pages`;
  if (spec.engine === 'transaction')
    return compared.length > 0 ? 'Are REST calls faster over HTTP/3 than over HTTP/2?' : 'How fast are these REST calls?';
  if (compared.length > 0)
    return sites.length === 1 ? 'Is this page faster over HTTP/3 than over HTTP/2?' : `Are ${pages} faster over HTTP/3 than over HTTP/2?`;
  return `How fast ${sites.length === 1 ? 'is' : 'are'} ${pages} over ${listed([...new Set(spec.protocols)].map(protocolName))}?`;
}

const unfinishedWords = ({ state, progress: { rounds, roundsDone } }: CampaignSummary): string[] => {
  if (state === 'done') return [];
  const so = `${grouped(roundsDone)} of ${counted(rounds, 'round')}`;
  return [state === 'cancelled' ? `Cancelled after ${so}.` : state === 'queued' ? 'Not started yet.' : `Not finished: ${so} so far.`];
};

function answerOf(campaign: Reported, summary: CampaignSummary): string[] {
  const { cells, notLoaded, differing } = summary;
  const [first] = notLoaded;
  const all = campaign.sites.length;
  if (first !== undefined && notLoaded.length === all)
    return [all === 1 ? `The page ${first.words}.` : `No page loaded; the first one ${first.words}.`];
  // Where a page is compared, the answer says how many did not load.
  const isCompared = answered(summary).some(({ comparison }) => !comparison.doubts.includes('not-loaded'));
  const lost = first === undefined || isCompared ? [] : [`${notLoaded.length} of ${counted(all, 'page')} could not be loaded.`];
  return [campaignAnswer(campaign, cells, { differing }), ...lost];
}

function sureSentences({ spec }: Reported, { visits, cells, caveats }: CampaignSummary, compared: readonly Answered[]): string[] {
  const rounds = compared.map(({ comparison }) => comparison.rounds);
  const [least, most] = [Math.min(...rounds), Math.max(...rounds)];
  const failed = visits.failed;
  const ofKind = (kind: InvalidKind) => visits.invalid.filter(({ reason }) => kindOf(reason) === kind);
  const sumOf = (those: typeof visits.invalid) => those.reduce((sum, { count }) => sum + count, 0);
  const [disturbed, unfit] = [sumOf(ofKind('measurement')), ofKind('unfit')];
  const left = [
    ...(disturbed > 0 ? [`${grouped(disturbed)} discarded and repeated because the measurement itself was disturbed`] : []),
    // Most frequent first.
    ...unfit.map(({ reason, count }) => `${grouped(count)} that count for neither: ${invalidReasons[reason]}`),
  ];
  const loads = spec.engine === 'transaction' ? 'run' : 'load';
  const isCompared = compared.length > 0 && most > 0;
  return [
    ...(isCompared
      ? [
          `${least === most ? counted(least, 'round') : `${least} to ${counted(most, 'round')}`} of ${listed([...new Set(spec.protocols)].map(protocolName))}, each in random order.`,
          confidenceSentence(spec, compared.length),
        ]
      : []),
    visits.valid + failed === 0
      ? `No valid ${loads} yet.`
      : `${counted(visits.valid, `valid ${loads}`)}${failed > 0 ? `, ${grouped(failed)} failed` : ', none failed'}${left.map((words) => `, ${words}`).join('')}.`,
    ...(isCompared ? doubtSentences(compared, cells.length, warningTitles(caveats).length > 0) : []),
  ];
}

function doubtSentences(compared: readonly Answered[], cells: number, isLimited: boolean): string[] {
  const doubted = compared.filter(({ comparison }) =>
    comparison.doubts.some((doubt) => doubt !== 'unfinished' && doubt !== 'too-few-rounds'),
  ).length;
  return [
    doubted === 0
      ? `Quality: no check found anything that keeps a winner from being named${isLimited ? '; but see the limits' : ''}.`
      : `Quality: in ${doubted} of ${counted(cells, 'case')} a check found something that keeps a winner from being named; the result page says what.`,
  ];
}

/** It is one sheet of paper: besides warnings, of which few answers have any. */
const maxLimits = 6;

function limitsOf(campaign: Reported, { caveats }: CampaignSummary, compared: readonly Answered[]): string[] {
  const { spec, sites } = campaign;
  const ofAll = [
    ...(spec.discovery === 'forced' && spec.protocols.includes('h3') ? [`Best case for HTTP/3. ${forcedSentence}.`] : []),
    ...(spec.views.length === 1 && spec.engine !== 'transaction'
      ? [spec.views[0] === 'cold' ? 'Loads with an empty cache only.' : 'Loads with a filled cache only.']
      : []),
    ...(compared.length > 0 ? ['A laboratory measurement on one machine and emulated networks: real visitors vary more.'] : []),
    ...(sites.length > 1 ? ['The pages are those that were chosen, not a sample of the web.'] : []),
  ];
  const all = caveatLines(caveats, campaign);
  const shown = Math.max(all.filter(({ isWarning }) => isWarning).length, maxLimits - ofAll.length);
  return [
    ...all.slice(0, shown).map(({ words }) => words),
    ...(all.length > shown ? [`${counted(all.length - shown, 'more limit')} on the result page.`] : []),
    ...ofAll,
  ];
}
