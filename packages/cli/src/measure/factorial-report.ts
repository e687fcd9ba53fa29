// The tables of a factorial campaign: the published study’s and more.

import { styleText } from 'node:util';
import { factorialCsvHeader, factorialCsvLine, termName } from '@pronghorn/core/campaign';
import type {
  Campaign,
  CampaignFactorial,
  FactorDifference,
  FactorialPair,
  MetricName,
  ScenarioSide,
  Visit,
} from '@pronghorn/core/schemas';
import { protocolName, quantityWords } from '@pronghorn/core/text';
import { metricTitle } from '@pronghorn/core/vocabulary';
import { table, wrap } from '../program/terminal.ts';

/** The report's metrics: for REST calls the study’s latency and TTFB with their tails. A request's throughput is payload ÷ latency, so it adds nothing. */
export const factorialMetrics = ({ engine, primaryMetric }: Campaign['spec']): readonly MetricName[] =>
  engine === 'transaction' ? [...new Set<MetricName>([primaryMetric, 'latencyMean', 'ttfb'])] : [primaryMetric];

const signedPercent = (share: number | null) => (share === null ? '–' : `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(1)} %`);
const pWords = (p: number | null) => (p === null ? '–' : p < 0.001 ? '< 0.001' : p.toFixed(3));
const cvClasses = { 'highly-consistent': 'high', consistent: 'good', 'sufficiently-consistent': 'sufficient', inconsistent: 'no' } as const;

export function factorialReport(all: readonly CampaignFactorial[]): string {
  const [first] = all;
  if (first === undefined) return '';
  return [
    wrap(first.design.words),
    ...all.flatMap((one) => [
      ...one.pairs.flatMap((pair) => [
        styleText('bold', `${metricTitle(one.metric)}, ${protocolName(pair.candidate)} against ${protocolName(pair.baseline)}`),
        scenarioTable(one, one.metric, pair),
        tailTable(one, one.metric, pair),
        interactionTable(pair),
      ]),
      differenceTable(one),
    ]),
    ...[...new Set(first.pairs.map(({ power }) => power.words))].map((words) => wrap(words)),
    wrap(
      'Green: p < 0.05 after Holm over the scenarios, |ε| ≥ 0.3 and medians 10 % apart, the study’s rule for what matters. ' +
        `p95 and p99 are ${first.tailOf === 'requests' ? 'medians over the runs of what 95 and 99 % of a run’s requests took at most' : 'percentiles of the replications'}. ` +
        'CV over replications: high up to 10 %, good to 15 %, sufficient to 20 %.',
    ),
    ...[...new Set(all.flatMap(({ cautions }) => cautions))].map((words) => wrap(words)),
  ].join('\n\n');
}

function scenarioTable({ factors }: CampaignFactorial, metric: MetricName, { candidate, baseline, scenarios }: FactorialPair): string {
  const names = factors.map(({ factor }) => factor);
  const cv = ({ cv: share, cvClass }: ScenarioSide) =>
    share === null || cvClass === null ? '–' : `${(share * 100).toFixed(0)} % ${cvClasses[cvClass]}`;
  return table(
    [...names, ...sides('mean', candidate, baseline), ...sides('CV', candidate, baseline), 'medians differ', 'p', 'p, Holm', 'ε', ''],
    scenarios.map((one) => [
      ...names.map((name) => one.levels[name] ?? ''),
      ...[quantity(metric, one.candidate.mean), quantity(metric, one.baseline.mean), cv(one.candidate), cv(one.baseline)],
      ...[signedPercent(one.relative), pWords(one.p), pWords(one.adjustedP)],
      one.rankBiserial === null ? '–' : `${one.rankBiserial < 0 ? '−' : '+'}${Math.abs(one.rankBiserial).toFixed(2)} ${one.category}`,
      { text: one.words, style: one.isRelevant ? 'green' : 'dim' },
    ]),
    [...names.keys(), names.length + 8],
  );
}

function tailTable({ factors }: CampaignFactorial, metric: MetricName, { candidate, baseline, scenarios }: FactorialPair): string {
  const names = factors.map(({ factor }) => factor);
  const columns = ['median', 'p95', 'p99'] as const;
  return table(
    [...names, ...columns.flatMap((what) => sides(what, candidate, baseline))],
    scenarios.map((one) => [
      ...names.map((name) => one.levels[name] ?? ''),
      ...columns.flatMap((what) => [quantity(metric, one.candidate[what]), quantity(metric, one.baseline[what])]),
    ]),
    [...names.keys()],
  );
}

const sides = (what: string, candidate: string, baseline: string) => [`${what} ${candidate}`, `${what} ${baseline}`];
const quantity = (metric: MetricName, value: number | null) => (value === null ? '–' : quantityWords(metric, value));

function differenceTable({ differences, metric }: CampaignFactorial): string {
  const what = ({ factor, within }: FactorDifference) => (within === null ? factor : `${factor} within ${within.factor} ${within.level}`);
  return [
    styleText('dim', `${metricTitle(metric)}: Kruskal–Wallis for each factor, all else pooled, as in the study`),
    table(
      ['factor', 'H', 'p', 'ε²', 'medians'],
      differences.map((one) => [
        what(one),
        one.h.toFixed(1),
        pWords(one.p),
        one.epsilonSquared.toFixed(2),
        one.levels.map(({ level, median }) => `${level} ${median === null ? 'failed' : quantityWords(metric, median)}`).join(', '),
      ]),
      [0, 4],
    ),
  ].join('\n');
}

function interactionTable({ interactions, candidate, baseline }: FactorialPair): string {
  const isFull = interactions.every(({ confoundedWith }) => confoundedWith.length === 0);
  return [
    styleText('dim', `What ${protocolName(candidate)} ÷ ${protocolName(baseline)} depends on (permutation test)`),
    table(
      ['factor', 'p', 'p, Holm', 'ratio at each level', ...(isFull ? [] : ['confounded with'])],
      interactions.map(({ factors, p, adjustedP, levels, confoundedWith }) => [
        termName(factors),
        pWords(p),
        { text: pWords(adjustedP), style: adjustedP !== null && adjustedP < 0.05 ? ('green' as const) : ('dim' as const) },
        levels.map(({ levels: its, ratio }) => `${its.join(' × ')} ${ratio.toFixed(2)}`).join(', '),
        ...(isFull ? [] : [confoundedWith.map(termName).join(', ')]),
      ]),
      [0, 3, 4],
    ),
  ].join('\n');
}

/** In the study’s shape: a line for each run that counts. */
export const factorialCsv = (campaign: Campaign, visits: readonly Visit[]): string =>
  factorialCsvHeader(campaign) + visits.map((visit) => factorialCsvLine(visit, campaign)).join('');
