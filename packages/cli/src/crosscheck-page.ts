// The picture of how far engines agree: Bland and Altman's, of each metric and place, as one page.
import { protocolName } from '@pronghorn/core/text';
import { metricTitle } from '@pronghorn/core/vocabulary';
import {
  acrossPages,
  acrossRows,
  acrossWords,
  agreedMetrics,
  type EnginePair,
  enginePairs,
  hasPages,
  loadedPages,
  pageRows,
  placeWords,
  signedMs,
  signedShare,
  verdictRows,
  verdictsOf,
  type Witness,
} from './crosscheck.ts';
import { html, type Markup, page, tableOf } from './study/html.ts';
import { axisAround, axisTo, legend, type ScatterLine, scatterChart, secondsWords } from './study/svg.ts';

/** @returns a whole HTML page; null where no two engines have anything in common. */
export function crosscheckPage(witnesses: readonly Witness[]): string | null {
  const pairs = enginePairs(witnesses);
  if (pairs.length === 0) return null;
  const engines = witnesses.map(({ engine }) => engine);
  const protocols = [...new Set(pairs.map(({ protocol }) => protocol))].sort();
  const across = acrossPages(pairs);
  const title = `Do ${engines.slice(0, -1).join(', ')} and ${engines.at(-1)} agree?`;
  const places = [...Map.groupBy(pairs, (pair) => placeWords(pair)).entries()];
  return page(
    title,
    html`<h1>${title}</h1>
<p>Each engine loaded the same pages in the same rounds, by turns. A point is one round: how far two engines’ loads of it differ, over the mean of both (Bland &amp; Altman, Lancet 1986). The solid line is the bias, the mean difference; 95 % of single differences lie between the dashed lines, the limits of agreement. The limits hold what one page differs by from load to load, too: they are no error of an engine alone.</p>
${legend(protocols.map((tone) => ({ tone, words: protocolName(tone) })))}
${hasPages(across) && html`<h2>All pages</h2><p>${acrossWords}</p>${tableOf(acrossRows(across))}`}
${places.length > 1 && html`<h2>All places</h2><p>Each point is one place and protocol: its bias in per cent, with a line from limit to limit, over the mean of both engines.</p>${panels(overviewOf(pairs))}`}
<h2>Whom they name</h2>${tableOf(verdictRows(verdictsOf(witnesses)))}
<h2>What they loaded</h2>${tableOf(pageRows(loadedPages(witnesses)))}
${places.map(([words, its]) => html`<h2>${words}</h2>${panels(picturesOf(its))}${tableOf(numbersOf(its))}`)}`,
  );
}

const panels = (all: readonly Markup[]) => html`<div class="panels">${all}</div>`;
const panel = (title: string, chart: Markup) => html`<figure class="panel"><b>${title}</b>${chart}</figure>`;
const nameOf = ({ metric, engines: [first, second] }: Pick<EnginePair, 'metric' | 'engines'>) =>
  `${metricTitle(metric)}: ${second} − ${first}`;

/** What is one picture: a metric of two engines, over all protocols. */
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
    const title = nameOf({ metric, engines });
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
    const points = its.flatMap(({ protocol, inLogs, pairs: loads, ...place }) => {
      if (inLogs === null) return [];
      const mean = loads.reduce((sum, [first, second]) => sum + (first + second) / 2, 0) / loads.length;
      const reach = { low: percent(inLogs.limits.low), high: percent(inLogs.limits.high) };
      const words = `${placeWords(place)}, ${protocolName(protocol)}: ${signedShare(inLogs.bias)}`;
      return [{ tone: protocol, x: mean, y: percent(inLogs.bias), reach, words }];
    });
    const title = nameOf({ metric, engines });
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
