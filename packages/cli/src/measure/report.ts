// A campaign’s answer as text: the verdicts in a sentence, a line for each cell, notes; on request in full.

import { styleText } from 'node:util';
import { caveatLines } from '@pronghorn/core/answer';
import { differing } from '@pronghorn/core/campaign';
import {
  type Campaign,
  type CampaignResults,
  type Caveat,
  type CellResults,
  type Comparison,
  currentDiscoveries,
  type Environment,
  type MetricName,
  type SiteDiscovery,
  type VerdictOutcome,
  workloadOf,
} from '@pronghorn/core/schemas';
import {
  confidenceWords,
  counted,
  doubtNames,
  endsOf,
  estimatedValue,
  firstSteps,
  forcedSentence,
  isRounding,
  listed,
  protocolName,
  quantityWords,
  shareWords,
  workloadWords,
} from '@pronghorn/core/text';
import { notLoaded } from '@pronghorn/core/verdict';
import { metricTitle } from '@pronghorn/core/vocabulary';
import { dim, plain, shortened, type TableCell, table, wrap, yellow } from '../program/terminal.ts';
import {
  details,
  environmentWords,
  forceListLines,
  invalidLines,
  noiseLines,
  orderLines,
  quantileSentence,
  shownMetrics,
  unavailableLines,
  verdictStyles,
  visitorLines,
} from './report-details.ts';

/**
 * @param environment of one of its visits; undefined when none has run
 * @param caveats of the campaign's summary
 * @param verbose with a block for each cell: percentiles, H3-Delta, what the link did
 */
export function report(
  campaign: Campaign,
  results: CampaignResults,
  discoveries: readonly SiteDiscovery[],
  {
    environment,
    verbose = false,
    caveats = [],
  }: { environment?: Environment | undefined; verbose?: boolean; caveats?: readonly Caveat[] } = {},
): string {
  const cells = cellsOf(campaign, results);
  const loaded = cells.filter(({ cell }) => cell.notLoaded === null);
  return [
    ...notLoadedLines(campaign, results),
    ...(loaded.length === 0
      ? []
      : [...answer(campaign, loaded, cells), ...caveatsIn(campaign, caveats, true), ...overview(campaign, cells)]),
    ...(verbose ? [details(campaign, results, discoveries, caveats)] : shortNotes(campaign, results, { cells, discoveries, caveats })),
    ...closingNotes(campaign, results, environment),
  ].join('\n\n');
}

/** A site under a condition in a view, in words as short as the campaign allows. */
interface ReportedCell {
  cell: CellResults;
  words: string[];
  /** The campaign's question here; undefined where it has none. */
  question: Comparison | undefined;
}

/** Cells where HTTP/3 loses most come first; cells without an answer or without loads come last. */
function cellsOf({ sites, spec }: Campaign, { cells }: CampaignResults): ReportedCell[] {
  const reported = cells.map((cell): ReportedCell => {
    const site = sites.find(({ id }) => id === cell.siteId)?.name ?? cell.siteId;
    const words = [
      ...(sites.length > 1 ? [site] : []),
      ...(spec.conditions.length > 1 || sites.length === 1 ? [cell.condition] : []),
      ...(spec.views.length > 1 ? [cell.view] : []),
    ];
    return { cell, words, question: cell.comparisons.find(({ confirmatory }) => confirmatory) };
  });
  const rank = ({ question }: ReportedCell) => (question?.shift == null ? Number.NEGATIVE_INFINITY : estimatedValue(question.shift));
  return reported.sort((a, b) => rank(b) - rank(a) || 0);
}

/** Pages that no visit loaded, why, and what to do first. */
function notLoadedLines({ sites }: Campaign, { cells }: CampaignResults): string[] {
  const lost = sites.flatMap(({ id, url }) => {
    const its = cells.filter(({ siteId }) => siteId === id);
    const failure = its.some((cell) => cell.notLoaded === null) ? null : notLoaded(its.flatMap(({ slots }) => slots));
    return failure === null ? [] : [{ line: styleText('red', wrap(`${url} ${failure.words}.`)), reason: failure.reasons[0]?.reason }];
  });
  const steps = new Set(lost.flatMap(({ reason }) => (reason === undefined ? [] : [wrap(firstSteps[reason])])));
  return lost.length === 0 ? [] : [[...lost.map(({ line }) => line), ...steps].join('\n')];
}

const maxInWords = 3;

/**
 * The answer to the campaign's question: for few cells a sentence each, for many how often which protocol is faster and by how much.
 *
 * @param loaded the cells where a visit loaded the page
 */
function answer(campaign: Campaign, loaded: readonly ReportedCell[], cells: readonly ReportedCell[]): string[] {
  const compared = loaded.filter(({ question }) => question !== undefined);
  if (compared.length > maxInWords) {
    const bound = differing(
      cells.flatMap(({ question }) => question ?? []),
      campaign,
    );
    return [wrap([...(bound === null ? [] : [bound.words]), claims(compared, campaign.spec), openWords(compared)].join(' ').trim())];
  }
  const answersFirst = compared.toSorted((a, b) => openness(a) - openness(b));
  return answersFirst.map(({ words, question }) => {
    const { outcome, words: sentence, moreRounds } = (question as Comparison).verdict;
    const where = cells.length === 1 ? '' : `${words.join(', ')}: `;
    return styleText(verdictStyles[outcome], wrap(`${where}${sentence}${moreRounds?.words ? ` ${moreRounds.words}` : ''}`));
  });
}

/** Winners first, inconclusive cells last. */
const openness = ({ question }: ReportedCell): number =>
  ({ equivalent: 1, 'not-shown-yet': 2, inconclusive: 3 })[question?.verdict.outcome as string] ?? 0;

/** Such as: HTTP/3 is faster in 4 of 15 cells, by 29 to 221 ms (4 to 24 %); HTTP/2 in 2, by 30 ms (16 %). No difference that matters in 3. */
function claims(compared: readonly ReportedCell[], { adjustment }: Campaign['spec']): string {
  const questions = compared.flatMap(({ question }) => question ?? []);
  const byOutcome = Map.groupBy(questions, ({ verdict }) => verdict.outcome);
  const winners = (['h3', 'h2', 'h1'] as const).flatMap((protocol) => {
    const won = byOutcome.get(`${protocol}-faster`) ?? [];
    return won.length === 0 ? [] : [{ protocol, won }];
  });
  const named = winners.map(({ protocol, won }, index) => {
    const who = `${protocolName(protocol)}${index === 0 ? ' is faster' : ''}`;
    return `${who} in ${won.length}${index === 0 ? ` of ${counted(compared.length, 'cell')}` : ''}${rangeWords(won)}`;
  });
  const equal = byOutcome.get('equivalent')?.length ?? 0;
  return [
    named.length === 0 ? `No protocol is shown to be faster in any of ${counted(compared.length, 'cell')}.` : `${named.join('; ')}.`,
    ...(named.length > 0 && adjustment === 'benjamini-hochberg' ? ['Of these winners at most 5 % are false, on average.'] : []),
    ...(equal === 0 ? [] : [`No difference that matters in ${equal}.`]),
  ].join(' ');
}

/** From the smallest to the largest difference: , by 29 to 221 ms (4 to 24 %). Where loads failed there may be no bound. */
function rangeWords(won: readonly Comparison[]): string {
  const metric = won[0]?.metric ?? 'onLoad';
  const shares = won.flatMap(({ shift }) => (shift?.value == null ? [] : Math.abs(shift.value)));
  const sizes = won.flatMap(({ shiftAtMedian }) => (shiftAtMedian === null ? [] : Math.abs(shiftAtMedian)));
  if (shares.length === 0) return '';
  const ends = (values: readonly number[], words: (value: number) => string) => {
    const [low, high] = [words(Math.min(...values)), words(Math.max(...values))];
    return low === high ? low : `${low.replace(/ \S+$/, '')} to ${high}`;
  };
  const inShares = ends(shares, shareWords);
  const by = shares.length < won.length ? `in ${shares.length} of them by` : 'by';
  return `, ${by} ${sizes.length < shares.length ? inShares : `${ends(sizes, (value) => sizeOf(metric, value))} (${inShares})`}`;
}

/** Why some cells have no answer. */
function openWords(compared: readonly ReportedCell[]): string {
  const open = compared.flatMap(({ question }) => {
    const { outcome, doubts } = (question as Comparison).verdict;
    if (outcome === 'not-shown-yet') return [['too few rounds']];
    return outcome === 'inconclusive' ? [doubts.length === 0 ? ['could be chance'] : doubts.map(({ doubt }) => doubtNames[doubt])] : [];
  });
  if (open.length === 0) return '';
  const reasons = [...Map.groupBy(open.flat(), (reason) => reason)].sort(([, a], [, b]) => b.length - a.length);
  return `Open in ${open.length}: ${reasons.map(([reason, all]) => `${reason} (${all.length})`).join(', ')}.`;
}

/** A line for each cell: medians, the difference, its interval, the verdict. For a single cell a line for each metric that the dashboard shows first. */
function overview({ sites, spec }: Campaign, cells: readonly ReportedCell[]): string[] {
  const [first] = cells;
  if (first === undefined) return [];
  const { primaryMetric: metric } = spec;
  const isSingle = cells.length === 1;
  const rows = isSingle
    ? [metric, ...shownMetrics(spec).filter((name) => name !== metric)].map((name) => ({
        head: [metricTitle(name, spec)],
        ...lineOf(first, name),
      }))
    : cells.map((cell) => ({ head: cell.words, ...lineOf(cell, metric) }));
  const isCompared = rows.some(({ comparison }) => comparison !== undefined);
  const header = [
    ...(isSingle
      ? [`${shortened(sites[0]?.name ?? '', maxNameCells)}, ${first.words.join(', ')}`]
      : [
          ...(sites.length > 1 ? [spec.engine === 'transaction' ? 'site' : 'page'] : []),
          ...(spec.conditions.length > 1 || sites.length === 1 ? ['condition'] : []),
        ]),
    ...(!isSingle && spec.views.length > 1 ? ['view'] : []),
    ...first.cell.slots.map(
      ({ protocol }, slot) => `${slot === 0 && !isSingle ? `${metricTitle(metric, spec)}, ` : ''}${protocolName(protocol)}`,
    ),
    ...(isCompared ? ['differs', '', intervalTitle(rows.flatMap(({ comparison }) => comparison ?? [])), ''] : []),
  ];
  const heads = rows[0]?.head.length ?? 1;
  return [
    table(
      header,
      rows.map(({ head, medians, comparison }) => [...head, ...medians, ...(isCompared ? differenceCells(comparison) : [])]),
      [...Array(heads).keys(), ...(isCompared ? [header.length - 1] : [])],
    ),
  ];
}

/** With the confidence, where all have the same. */
function intervalTitle(comparisons: readonly Comparison[]): string {
  const confidences = new Set(comparisons.map(({ shiftConfidence }) => confidenceWords(shiftConfidence)));
  return confidences.size === 1 ? `${[...confidences]} interval` : 'interval';
}

/** Terminal cells for the name of a single site, whose numbers stand beside it. */
const maxNameCells = 40;

function lineOf({ cell, question }: ReportedCell, metric: MetricName): { medians: string[]; comparison: Comparison | undefined } {
  const medians = cell.slots.map(({ metrics }) => {
    const summary = metrics[metric];
    if (summary === undefined) return '–';
    if (summary.median !== null) return quantityWords(metric, summary.median);
    return summary.censored?.atLeastMs ? `≥ ${quantityWords(metric, summary.censored.atLeastMs)}` : '–';
  });
  const comparison =
    question?.metric === metric
      ? question
      : cell.comparisons.find((one) => one.metric === metric && one.candidate === 'h3' && one.baseline === 'h2');
  return { medians, comparison };
}

function differenceCells(comparison: Comparison | undefined): TableCell[] {
  if (comparison === undefined) return ['', '', '', ''];
  const { metric, shift, shiftAtMedian, confirmatory, verdict } = comparison;
  const ends = shift && endsOf(shift);
  const word = verdict.doubts.some(({ doubt }) => doubt === 'not-loaded') ? '✗ did not load' : outcomeWords[verdict.outcome];
  return [
    shiftAtMedian === null ? '' : `${sign(shiftAtMedian)}${sizeOf(metric, Math.abs(shiftAtMedian))}`,
    shift === null ? '–' : shift.value === null ? 'no bound' : signedShare(shift.value),
    ends === null || ends === undefined || !ends.some(Number.isFinite)
      ? shift === null || shift.value === null
        ? ''
        : 'too few'
      : `${signedShare(ends[0]).replace(' %', '')} to ${signedShare(ends[1])}`,
    confirmatory ? { text: word, style: verdictStyles[verdict.outcome] } : 'exploratory',
  ];
}

/** With the marks that protocols have everywhere. */
const outcomeWords: Record<VerdictOutcome, string> = {
  'h3-faster': '◆ HTTP/3 faster',
  'h2-faster': '● HTTP/2 faster',
  'h1-faster': '■ HTTP/1.1 faster',
  equivalent: '= equivalent',
  'not-shown-yet': '~ likely, not proven',
  inconclusive: '? inconclusive',
};

/** Two digits, or all digits before the point. */
const sizeOf = (metric: MetricName, value: number) =>
  quantityWords(metric, isRounding(value) ? 0 : value < 100 ? Number(value.toPrecision(2)) : value);

const sign = (value: number) => (isRounding(value) ? '' : value < 0 ? '−' : '+');
const signedShare = (share: number) => (Number.isFinite(share) ? `${sign(share)}${shareWords(share)}` : `${sign(share)}∞ %`);

/** What the full blocks would say about visitor, invalid visits and changes; only once. */
function shortNotes(
  campaign: Campaign,
  { cells, conditions }: CampaignResults,
  {
    cells: reported,
    discoveries,
    caveats,
  }: { cells: readonly ReportedCell[]; discoveries: readonly SiteDiscovery[]; caveats: readonly Caveat[] },
): string[] {
  const siteOf = (id: string) => campaign.sites.find((site) => site.id === id);
  const failures = discoveries.flatMap(({ siteId, failure }) =>
    failure === null ? [] : [yellow(`${plain(siteOf(siteId)?.name ?? siteId)}: ${failure.detail}`)],
  );
  const links = conditions.flatMap((condition) =>
    condition.link === null || condition.words === 'nothing added'
      ? []
      : [dim(`${condition.condition}: ${condition.words}; ${condition.link.words}.`)],
  );
  const lines = [
    ...new Set(cells.flatMap((cell) => visitorLines(campaign, siteOf(cell.siteId), cell))),
    visitWords(campaign, cells),
    ...invalidLines(cells.flatMap(({ slots }) => slots)),
    ...new Set(failures),
    ...[...currentDiscoveries(discoveries)].flatMap(([id, discovery]) =>
      unavailableLines(campaign, discovery, `${siteOf(id)?.name ?? id}: `),
    ),
    ...campaign.sites.flatMap(({ id }) =>
      forceListLines(
        campaign,
        discoveries.filter(({ siteId }) => siteId === id),
      ),
    ),
    ...(links.length <= maxInWords ? links : []),
    ...(cells.length === 1 ? cells.flatMap(quantileSentence) : []),
    ...selfLines(reported),
    ...reported.flatMap(({ cell }) => orderLines(cell)).slice(0, maxInWords),
    ...caveatsIn(campaign, caveats, false),
  ];
  return [lines.join('\n')];
}

/** The difference between two slots of one protocol, for few cells each; else where to read it. */
function selfLines(cells: readonly ReportedCell[]): string[] {
  const noisy = cells.filter(({ cell }) => cell.selfComparisons.length > 0);
  if (noisy.length > maxInWords) return [dim('A/A: --verbose shows the noise of each cell.')];
  return noisy.flatMap(({ words, cell }) => noiseLines(cell.selfComparisons, noisy.length === 1 ? '' : `${words.join(', ')}: `));
}

/** What limits the answer: its warnings, or the rest. */
const caveatsIn = (campaign: Campaign, caveats: readonly Caveat[], warnings: boolean): string[] =>
  caveatLines(caveats, campaign).flatMap(({ isWarning, words }) =>
    isWarning === warnings ? [isWarning ? yellow(words) : dim(wrap(words))] : [],
  );

/** The number of loads behind the answer. */
function visitWords({ spec }: Campaign, cells: readonly CellResults[]): string {
  const slots = cells.flatMap((cell) => cell.slots);
  const valid = slots.reduce((sum, slot) => sum + slot.valid, 0);
  const failed = slots.reduce((sum, slot) => sum + slot.failures.failed, 0);
  const words = `${counted(valid, spec.engine === 'transaction' ? 'run' : 'load')} count${valid === 1 ? 's' : ''}${failed === 0 ? '' : `, and ${failed} that failed`}, over ${listed([...new Set(spec.protocols)].map(protocolName))}.`;
  return valid === 0 ? 'Nothing valid was measured.' : dim(words);
}

/** True where only more rounds are missing for an answer. */
const isShortOfRounds = ({ verdict: { outcome, doubts } }: Comparison) =>
  outcome === 'not-shown-yet' || (outcome === 'inconclusive' && doubts.every(({ doubt }) => doubt === 'too-few-rounds'));

/** The workload of each run; where they differ, for each site. */
function workloadNotes({ spec, sites }: Campaign): string[] {
  const at = sites.flatMap((site) => {
    const workload = workloadOf(spec, site);
    return workload === null ? [] : [{ name: site.name, words: workloadWords(workload) }];
  });
  if (new Set(at.map(({ words }) => words)).size <= 1) return at.slice(0, 1).map(({ words }) => `Each run: ${words}`);
  const lines = at.slice(0, maxWorkloads).map(({ name, words }) => `Each run of ${name}: ${words}`);
  return at.length <= maxWorkloads ? lines : [...lines, `${at.length - maxWorkloads} other sites also have their own workloads.`];
}

const maxWorkloads = 10;

/** The next command, what the numbers apply to, and what measured them. */
function closingNotes(campaign: Campaign, { cells }: CampaignResults, environment: Environment | undefined): string[] {
  const { spec } = campaign;
  const slots = cells.flatMap((cell) => cell.slots);
  const isShort = cells.some(({ comparisons }) => comparisons.some((comparison) => comparison.confirmatory && isShortOfRounds(comparison)));
  const notes: string[] = workloadNotes(campaign);
  if (isShort && spec.maximumRounds === null)
    notes.push(
      `To settle open cells, repeat the command with --until-settled: it measures again and adds rounds until the answer is clear, up to ${Math.max(60, 3 * spec.rounds)}.`,
    );
  const valid = slots.reduce((sum, slot) => sum + slot.valid, 0);
  const busy = slots.flatMap(({ invalid }) => invalid.filter(({ reason }) => reason === 'busy-machine'));
  if (busy.reduce((sum, { count }) => sum + count, 0) > valid / 10) {
    const percent = Math.round(spec.limits.foreignCpuShare * 100);
    notes.push(
      `Other work took more than ${percent} % of the CPU: end it, or allow more with --busy, at the cost of noisier numbers. ` +
        'Or a limit on CPU time stopped the runner: remove it. In the dashboard each visit says which.',
    );
  }
  if (
    spec.engine !== 'transaction' &&
    spec.protocols.includes('h3') &&
    spec.discovery === 'forced' &&
    slots.some(({ protocol, valid }) => protocol === 'h3' && valid > 0)
  ) {
    notes.push(`${forcedSentence} (--discovery alt-svc shows that).`);
  }
  if (slots.some(({ receiveDrops }) => receiveDrops !== null))
    notes.push(
      `Receive buffers: ./pronghorn doctor shows what ${spec.engine === 'transaction' ? 'a QUIC client' : 'Chrome'} requests and what it gets here.`,
    );
  if (environment !== undefined) notes.push(environmentWords(environment));
  return notes.map(dim);
}
