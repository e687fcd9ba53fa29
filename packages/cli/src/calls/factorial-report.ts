// The tables of a factorial study: the published ones, and what goes beyond them.
import { styleText } from 'node:util';
import {
  type Campaign,
  counted,
  type FactorialCell,
  factorDifferences,
  type Interaction,
  interactionsOf,
  type MetricName,
  metricOf,
  metricTitle,
  type Protocol,
  protocolName,
  quantityWords,
  type Scenario,
  scenariosOf,
  type Visit,
} from '@pronghorn/core';
import { table, wrap } from '../terminal.ts';
import type { Levels } from './design.ts';

/** In which the study is told: its own three, and the tail that it lacks. Throughput of a request is its payload by its latency, so the two are one. */
export const studyMetrics = ['latencyMean', 'ttfb', 'latencyP95', 'latencyP99'] as const satisfies readonly MetricName[];

/**
 * What each combination of levels gave, round by round.
 *
 * @param levels of each site, by its URL
 */
export function cellsOf(
  campaign: Campaign,
  visits: readonly Visit[],
  levels: ReadonlyMap<string, Levels>,
  metric: MetricName,
): FactorialCell[] {
  const { sites, spec } = campaign;
  return sites.flatMap(({ id, url }) =>
    spec.conditions.map(({ name: condition }): FactorialCell => {
      const values: Partial<Record<Protocol, number[]>> = {};
      for (const protocol of new Set(spec.protocols)) values[protocol] = new Array<number>(spec.rounds).fill(Number.NaN);
      for (const { siteId, condition: its, protocol, roundNumber, counted: isCounted, outcome } of visits) {
        if (siteId !== id || its !== condition || !isCounted || outcome.verdict !== 'valid') continue;
        const column = values[protocol];
        if (column) column[roundNumber - 1] = metricOf(outcome.metrics, metric) ?? Number.NaN;
      }
      return { levels: { ...levels.get(url), condition }, values };
    }),
  );
}

const sizes = { negligible: '', small: 'small', medium: 'moderate', large: 'large' } as const;
const signedPercent = (share: number) => `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)} %`;
const pWords = (p: number) => (p < 0.001 ? '< 0.001' : p.toFixed(3));

/** @returns the text of all tables */
export function factorialReport(campaign: Campaign, visits: readonly Visit[], levels: ReadonlyMap<string, Levels>): string {
  const has = (protocol: Protocol) => campaign.spec.protocols.includes(protocol);
  const pairs = (
    [
      ['h3', 'h2'],
      ['h3', 'h1'],
      ['h2', 'h1'],
    ] as const
  ).filter((pair) => pair.every(has));
  return pairs
    .flatMap(([candidate, baseline], first) =>
      studyMetrics.flatMap((metric) => {
        const cells = cellsOf(campaign, visits, levels, metric);
        const title = `${metricTitle(metric)}, ${protocolName(candidate)} against ${protocolName(baseline)}`;
        return [
          styleText('bold', title),
          scenarioTable(scenariosOf(cells, candidate, baseline), metric, candidate, baseline),
          ...(first === 0 ? [factorLines(cells, metric)] : []),
          interactionTable(interactionsOf(cells, candidate, baseline, campaign.spec.seed), candidate, baseline),
        ];
      }),
    )
    .concat(wrap(notes(campaign)))
    .join('\n\n');
}

function scenarioTable(scenarios: readonly Scenario[], metric: MetricName, candidate: Protocol, baseline: Protocol): string {
  return table(
    [
      'method',
      'payload',
      'load',
      'condition',
      `mean ${candidate}`,
      `mean ${baseline}`,
      `CV ${candidate}`,
      `CV ${baseline}`,
      'medians differ',
      'p',
      'p, Holm',
      'ε',
      '',
    ],
    scenarios.map(({ levels, mean, cv, relative, p, adjustedP, rankBiserial, category, isRelevant }) => [
      levels.method ?? '',
      levels.payload ?? '',
      levels.load ?? '',
      levels.condition ?? '',
      quantityWords(metric, mean.candidate),
      quantityWords(metric, mean.baseline),
      cv.candidate === null ? '–' : `${(cv.candidate * 100).toFixed(0)} %`,
      cv.baseline === null ? '–' : `${(cv.baseline * 100).toFixed(0)} %`,
      signedPercent(relative),
      pWords(p),
      pWords(adjustedP),
      `${rankBiserial < 0 ? '−' : '+'}${Math.abs(rankBiserial).toFixed(2)}`,
      isRelevant
        ? { text: `${sizes[category]}: ${protocolName(relative < 0 ? candidate : baseline)}`, style: 'green' as const }
        : sizes[category],
    ]),
    [0, 1, 2, 3, 12],
  );
}

function factorLines(cells: readonly FactorialCell[], metric: MetricName): string {
  const tests = factorDifferences(cells);
  return [
    styleText('dim', 'Kruskal–Wallis for each factor, all else pooled, as the study has it'),
    ...tests.map(({ factor, levels, h, p }) =>
      wrap(
        `${factor}: H = ${h.toFixed(1)}, p ${pWords(p)}; medians ${levels.map(({ level, median }) => `${level} ${quantityWords(metric, median)}`).join(', ')}`,
      ),
    ),
  ].join('\n');
}

function interactionTable(interactions: readonly Interaction[], candidate: Protocol, baseline: Protocol): string {
  return [
    styleText(
      'dim',
      `On what it depends what ${protocolName(candidate)} takes of ${protocolName(baseline)}’s time (permutations within rounds)`,
    ),
    table(
      ['factor', 'p', 'p, Holm', 'ratio at each level'],
      interactions.map(({ factors, p, adjustedP, levels }) => [
        factors.join(' × '),
        pWords(p),
        { text: pWords(adjustedP), style: adjustedP < 0.05 ? ('green' as const) : ('dim' as const) },
        levels.map(({ level, ratio }) => `${level} ${ratio.toFixed(2)}`).join(', '),
      ]),
      [0, 3],
    ),
  ].join('\n');
}

function notes({ spec }: Campaign): string {
  const few =
    spec.rounds < 6
      ? ` With ${counted(spec.rounds, 'replication')} of each no p can be below ${(2 / combinations(2 * spec.rounds, spec.rounds)).toFixed(2)}, so nothing can be shown.`
      : '';
  return `A run is the unit: its requests share connections, queues and moments.${few} Green: p < 0.05 after Holm over the scenarios, |ε| ≥ 0.3 and medians 10 % apart, the study’s rule for what matters.`;
}

/** n over k. */
function combinations(n: number, k: number): number {
  let product = 1;
  for (let i = 1; i <= k; i++) product = (product * (n - k + i)) / i;
  return product;
}

/** In the study’s shape: a line for each run. */
export function factorialCsv(campaign: Campaign, visits: readonly Visit[], levels: ReadonlyMap<string, Levels>): string {
  const urls = new Map(campaign.sites.map(({ id, url }) => [id, url]));
  const metrics = [
    'latencyMean',
    'latency',
    'latencyP95',
    'latencyP99',
    'ttfb',
    'bytesPerSecond',
    'requestsPerSecond',
    'requests',
    'failedRequests',
    'clientCpu',
    'serverCpu',
  ] as const;
  const header = ['protocol', 'method', 'payload', 'load', 'network', 'replication', 'verdict', ...metrics];
  const lines = visits.flatMap(({ siteId, protocol, condition, roundNumber, outcome, counted: isCounted }) => {
    const its = levels.get(urls.get(siteId) ?? '');
    if (its === undefined || !isCounted) return [];
    const numbers = metrics.map((metric) => (outcome.verdict === 'valid' ? (metricOf(outcome.metrics, metric) ?? '') : ''));
    return [
      [
        protocol,
        its.method,
        its.payload,
        its.load,
        condition,
        roundNumber,
        outcome.verdict === 'valid' ? 'valid' : outcome.reason,
        ...numbers,
      ].join(','),
    ];
  });
  return `${[header.join(','), ...lines].join('\r\n')}\r\n`;
}
