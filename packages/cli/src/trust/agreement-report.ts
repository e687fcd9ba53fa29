import { protocolName } from '@pronghorn/core/text';
import { metricTitle } from '@pronghorn/core/vocabulary';
import { plain, table, wrap } from '../program/terminal.ts';
import { html, type Markup, page, tableOf } from '../study/html.ts';
import { axisAround, axisTo, legend, type ScatterLine, scatterChart, secondsWords } from '../study/svg.ts';
import {
  type AcrossPages,
  acrossPages,
  agreedMetrics,
  type Cell,
  type EnginePair,
  enginePairs,
  type LoadedPage,
  loadedPages,
  type Verdicts,
  verdictsOf,
  type Witness,
} from './engine-agreement.ts';

export function crosscheckReport(witnesses: readonly Witness[]): string {
  const pairs = enginePairs(witnesses);
  const across = acrossPages(pairs);
  // With many pages, only the HTML has each one's numbers.
  const times = hasPages(across) ? acrossTable(across) : agreementTable(pairs);
  const parts = [times, pageTable(loadedPages(witnesses)), verdictTable(verdictsOf(witnesses))];
  return parts.filter((part) => part !== '').join('\n\n');
}

const cellName = ({ site, condition, view }: Cell) => plain(`${site} ${condition}${view === 'warm' ? ' warm' : ''}`);
const signedMs = (ms: number) =>
  `${ms < 0 ? '−' : '+'}${Math.abs(ms) < 9.95 ? Math.abs(ms).toFixed(1) : Math.round(Math.abs(ms)).toLocaleString('en-US')}`;
export const signedShare = (log: number) => `${log < 0 ? '−' : '+'}${(100 * Math.abs(Math.expm1(log))).toFixed(1)} %`;
const fromTo = <T>({ low, high }: { low: T; high: T }, words: (value: T) => string) => `${words(low)} to ${words(high)}`;

function agreementTable(pairs: readonly EnginePair[]): string {
  if (pairs.length === 0) return wrap('No engine has a round in common with the first: there is nothing to compare.');
  const rows = pairs.map(({ protocol, metric, engines, inMs, inLogs, pairs: { length }, ...cell }) => [
    cellName(cell),
    protocol,
    metricTitle(metric),
    `${engines[1]} − ${engines[0]}`,
    String(length),
    inMs === null ? 'too few' : `${signedMs(inMs.bias)} ms`,
    inMs === null ? '' : fromTo(inMs.interval, signedMs),
    inLogs === null ? '' : signedShare(inLogs.bias),
    inMs === null ? '' : fromTo(inMs.limits, signedMs),
  ]);
  const header = ['', '', 'metric', 'engines', 'rounds', 'bias', '95 % sure', '', 'limits of agreement'];
  return [
    table(header, rows, [0, 1, 2, 3]),
    wrap(
      'Bias: mean difference of the two loads of a round. 95 % of these differences lie between the limits of agreement (Bland and Altman), which include how much a page differs from load to load.',
    ),
  ].join('\n');
}

function acrossTable(across: readonly AcrossPages[]): string {
  const { head, rows } = acrossRows(across);
  return [table(head, rows, [0, 1, 2, 3]), wrap(acrossWords)].join('\n');
}

/** True where there are enough pages for a statement over all of them. */
const hasPages = (across: readonly AcrossPages[]): boolean => across.some(({ inLogs }) => inLogs !== null);

const acrossWords =
  'Bias: the second engine’s time ÷ the first’s, geometric mean over pages, each of which is the mean of its rounds. Limits of agreement: 1.96 standard deviations between pages on either side (Bland and Altman), which include the remaining noise of single loads. h3 ÷ h2: how the second engine’s ratio of HTTP/3 to HTTP/2 differs from the first’s; 0 % means that both measure the same gain.';

function acrossRows(across: readonly AcrossPages[]): { head: string[]; rows: string[][] } {
  const rows = across.map(({ condition, view, over, metric, engines, pages, inLogs }) => [
    plain(`${condition}${view === 'warm' ? ' warm' : ''}`),
    metricTitle(metric),
    `${engines[1]} ÷ ${engines[0]}`,
    over,
    String(pages),
    inLogs === null ? 'too few' : signedShare(inLogs.bias),
    inLogs === null ? '' : fromTo(inLogs.interval, signedShare),
    inLogs === null ? '' : fromTo(inLogs.limits, signedShare),
  ]);
  return { head: ['', 'metric', 'engines', '', 'pages', 'bias', '95 % sure', 'limits of agreement'], rows };
}

function pageTable(pages: readonly LoadedPage[]): string {
  const { head, rows } = pageRows(pages);
  return table(head, rows, [0, 1, 2]);
}

function pageRows(pages: readonly LoadedPage[]): { head: string[]; rows: string[][] } {
  const percent = (share: number) => `${(100 * share).toFixed(share === 1 ? 0 : 1)} %`;
  const rows = pages.map((page) => [
    cellName(page),
    page.protocol,
    page.engine,
    String(page.visits),
    page.requests.toLocaleString('en-US'),
    page.failed === 0 ? '–' : page.failed.toLocaleString('en-US'),
    page.bodyBytes === null ? 'unknown' : `${(page.bodyBytes / 1_000).toFixed(0)} kB`,
    percent(page.sameObjects),
    percent(page.sameProtocol),
  ]);
  return { head: ['', '', 'engine', 'visits', 'requests', 'failed', 'bodies', 'objects in common', 'over the same protocol'], rows };
}

function verdictTable(verdicts: readonly Verdicts[]): string {
  if (verdicts.length === 0) return '';
  const { head, rows } = verdictRows(verdicts);
  return table(head, rows, [0, 1, 2, 4]);
}

function verdictRows(verdicts: readonly Verdicts[]): { head: string[]; rows: string[][] } {
  const rows = verdicts.flatMap(({ of, agree, ...cell }) =>
    of.map(({ engine, outcome, shift }, index) => [
      index === 0 ? cellName(cell) : '',
      engine,
      outcomeWords[outcome] ?? outcome,
      shift === null ? '' : signedShare(Math.log1p(shift)),
      index === 0 ? { yes: 'all agree', open: 'not all have a clear answer', no: 'THEY CONTRADICT EACH OTHER' }[agree] : '',
    ]),
  );
  return { head: ['', 'engine', `${protocolName('h3')} against ${protocolName('h2')}`, 'difference', ''], rows };
}

const outcomeWords: Readonly<Record<string, string>> = {
  'h3-faster': 'HTTP/3 faster',
  'h2-faster': 'HTTP/2 faster',
  equivalent: 'equivalent',
  'not-shown-yet': 'likely, not proven',
  inconclusive: 'no clear difference',
};

/** @returns an HTML page; null where no two engines have anything in common */
export function crosscheckPage(witnesses: readonly Witness[]): string | null {
  const pairs = enginePairs(witnesses);
  if (pairs.length === 0) return null;
  const engines = witnesses.map(({ engine }) => engine);
  const protocols = [...new Set(pairs.map(({ protocol }) => protocol))].sort();
  const across = acrossPages(pairs);
  const title = `Do ${engines.slice(0, -1).join(', ')} and ${engines.at(-1)} agree?`;
  const cells = [...Map.groupBy(pairs, (pair) => cellName(pair)).entries()];
  return page(
    title,
    html`<h1>${title}</h1>
<p>Each engine loaded the same pages in the same rounds, by turns. A point is one round: the difference between two engines’ loads, over the mean of both (Bland &amp; Altman, Lancet 1986). The solid line is the bias, the mean difference; 95 % of single differences lie between the dashed lines, the limits of agreement. The limits include how much one page differs from load to load: they are not only the error of an engine.</p>
${legend(protocols.map((tone) => ({ tone, words: protocolName(tone) })))}
${hasPages(across) && html`<h2>All pages</h2><p>${acrossWords}</p>${tableOf(acrossRows(across))}`}
${cells.length > 1 && html`<h2>All cells</h2><p>Each point is one cell and protocol: its bias in per cent, with a line from limit to limit, over the mean of both engines.</p>${panels(overviewOf(pairs))}`}
<h2>Their verdicts</h2>${tableOf(verdictRows(verdictsOf(witnesses)))}
<h2>What they loaded</h2>${tableOf(pageRows(loadedPages(witnesses)))}
${cells.map(([words, its]) => html`<h2>${words}</h2>${panels(picturesOf(its))}${tableOf(numbersOf(its))}`)}`,
  );
}

const panels = (all: readonly Markup[]) => html`<div class="panels">${all}</div>`;
const panel = (title: string, chart: Markup) => html`<figure class="panel"><b>${title}</b>${chart}</figure>`;
const pictureName = ({ metric, engines: [first, second] }: Pick<EnginePair, 'metric' | 'engines'>) =>
  `${metricTitle(metric)}: ${second} − ${first}`;

/** One picture each: a metric of two engines, over all protocols. */
const byPicture = (pairs: readonly EnginePair[]): EnginePair[][] => [
  ...Map.groupBy(pairs, ({ metric, engines }) => `${agreedMetrics.indexOf(metric)} ${engines.join()}`).values(),
];

function picturesOf(pairs: readonly EnginePair[]): Markup[] {
  return byPicture(pairs).flatMap((its) => {
    const [{ metric, engines } = {}] = its;
    if (metric === undefined || engines === undefined) return [];
    const points = its.flatMap(({ protocol, pairs: loads }) =>
      loads.map(([first, second]) => ({
        tone: protocol,
        x: (first + second) / 2,
        y: second - first,
        words: `${protocolName(protocol)}: ${Math.round(first)} ms and ${Math.round(second)} ms`,
      })),
    );
    const lines = its.flatMap(({ protocol, inMs }): ScatterLine[] => {
      if (inMs === null) return [];
      const name = protocolName(protocol);
      const limit = (y: number): ScatterLine => ({
        tone: protocol,
        y,
        words: `${name}: limit of agreement ${signedMs(y)} ms`,
        dashed: true,
      });
      return [
        { tone: protocol, y: inMs.bias, words: `${name}: bias ${signedMs(inMs.bias)} ms` },
        limit(inMs.limits.low),
        limit(inMs.limits.high),
      ];
    });
    const title = pictureName({ metric, engines });
    return panel(
      title,
      scatterChart({
        title,
        x: axisAround(
          'mean of both, s',
          points.map(({ x }) => x),
          secondsWords,
        ),
        y: axisAround('difference, ms', [0, ...points.map(({ y }) => y), ...lines.map(({ y }) => y)]),
        ...{ points, lines },
      }),
    );
  });
}

function overviewOf(pairs: readonly EnginePair[]): Markup[] {
  return byPicture(pairs.filter(({ inLogs }) => inLogs !== null)).flatMap((its) => {
    const [{ metric, engines } = {}] = its;
    if (metric === undefined || engines === undefined) return [];
    const percent = (log: number) => 100 * Math.expm1(log);
    const points = its.flatMap(({ protocol, inLogs, pairs: loads, ...cell }) => {
      if (inLogs === null) return [];
      const mean = loads.reduce((sum, [first, second]) => sum + (first + second) / 2, 0) / loads.length;
      const reach = { low: percent(inLogs.limits.low), high: percent(inLogs.limits.high) };
      const words = `${cellName(cell)}, ${protocolName(protocol)}: ${signedShare(inLogs.bias)}`;
      return [{ tone: protocol, x: mean, y: percent(inLogs.bias), reach, words }];
    });
    const title = pictureName({ metric, engines });
    return panel(
      title,
      scatterChart({
        title,
        x: axisTo(
          'mean of both, s',
          points.map(({ x }) => x),
          secondsWords,
        ),
        y: axisAround('difference, %', [0, ...points.flatMap(({ reach: { low, high } }) => [low, high])]),
        points,
      }),
    );
  });
}

function numbersOf(pairs: readonly EnginePair[]) {
  const rows = pairs.map(({ metric, engines: [first, second], protocol, inMs, inLogs, pairs: { length } }) => [
    metricTitle(metric),
    `${second} − ${first}`,
    protocolName(protocol),
    String(length),
    inMs === null ? 'too few' : `${signedMs(inMs.bias)} ms`,
    inMs === null ? '' : `${signedMs(inMs.interval.low)} to ${signedMs(inMs.interval.high)}`,
    inLogs === null ? '' : signedShare(inLogs.bias),
    inMs === null ? '' : `${signedMs(inMs.limits.low)} to ${signedMs(inMs.limits.high)}`,
  ]);
  return { head: ['metric', 'engines', 'protocol', 'rounds', 'bias', '95 % sure, ms', 'bias, %', 'limits, ms'], rows };
}
