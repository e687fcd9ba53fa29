// The result of a factorial campaign, wherever it is shown.
import { kruskalWallisTest } from '../../math/kruskal-wallis.ts';
import { median } from '../../math/quantile.ts';
import type { Campaign, Site } from '../../schemas/campaign.ts';
import type { CampaignFactorial, FactorDifference, FactorialPair } from '../../schemas/factorial.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import { counted, protocolName } from '../../text/numbers.ts';
import type { CountedVisits } from '../../verdict/counted-visits.ts';
import { pairsOfProtocols } from '../../verdict/questions.ts';
import { knownOrNull } from '../../verdict/summary.ts';
import type { View } from '../../vocabulary/cell.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import type { MeasuredCampaign, MeasuredCell } from '../measured/measured.ts';
import { type InteractionTest, interactionsOf } from './interactions.ts';
import { type Combination, designOf, levelsOf, termName } from './model.ts';
import { factorialPower, relevance, type SideValues, scenariosOf } from './scenarios.ts';

/** Metrics of a run of REST calls that describe its slowest requests. */
const tails: Partial<Record<MetricName, { p95: MetricName; p99: MetricName }>> = {
  latency: { p95: 'latencyP95', p99: 'latencyP99' },
  latencyMean: { p95: 'latencyP95', p99: 'latencyP99' },
  ttfb: { p95: 'ttfbP95', p99: 'ttfbP99' },
  ttfbMean: { p95: 'ttfbP95', p99: 'ttfbP99' },
  responseTime: { p95: 'responseTimeP95', p99: 'responseTimeP99' },
  responseTimeMean: { p95: 'responseTimeP95', p99: 'responseTimeP99' },
};

/** True if its sites have levels. */
export const isFactorial = ({ sites }: Pick<Campaign, 'sites'>): boolean => sites.every(({ levels }) => levels !== undefined);

/**
 * The levels of each site × condition × view, in the campaign’s order; condition and view are factors if there are several.
 * @param sites of the request or the campaign.
 */
export function combinationsOf({
  sites,
  conditions,
  views,
}: {
  sites: readonly Pick<Site, 'levels'>[];
  conditions: readonly { name: string }[];
  views: readonly View[];
}): Combination[] {
  const factors = Object.keys(sites[0]?.levels ?? {});
  return sites.flatMap(({ levels = {} }) =>
    conditions.flatMap(({ name }) =>
      views.map((view) => ({
        ...Object.fromEntries(factors.map((factor) => [factor, levels[factor] ?? ''])), // in one order, as any client may write them
        ...(conditions.length > 1 ? { condition: name } : {}),
        ...(views.length > 1 ? { view } : {}),
      })),
    ),
  );
}

/**
 * The result of a factorial campaign for one metric: every combination of levels, each factor, and what the ratio of two protocols depends on.
 *
 * @param measured with sites that have levels, and with all metrics of its visits, because the tails of a run are separate metrics.
 * @param metric default: the campaign’s primary one.
 * @param permutations of each interaction, at most.
 */
export function campaignFactorial(
  measured: MeasuredCampaign,
  metric: MetricName = measured.campaign.spec.primaryMetric,
  permutations?: number,
): CampaignFactorial {
  const { campaign } = measured;
  const { spec } = campaign;
  const combinations = combinationsOf({ ...spec, sites: campaign.sites });
  const cells = measured.cells.map((cell, i) => ({ cell, levels: combinations[i] as Combination }));
  const ofRequests = spec.engine === 'transaction' ? tails[metric] : undefined;
  const names = pairsOfProtocols.filter((pair) => pair.every((protocol) => spec.protocols.includes(protocol)));
  const pairs = names.map(([candidate, baseline]): FactorialPair => {
    const scenarios = scenariosOf(
      cells.map(({ cell, levels }) => ({
        levels,
        candidate: sideOf(cell, candidate, metric, ofRequests),
        baseline: sideOf(cell, baseline, metric, ofRequests),
      })),
      { metric, candidate, baseline },
    );
    const ratios = cells.map(({ cell, levels }) => ({ levels, ...ratiosOf(cell, candidate, baseline, metric) }));
    const measured = scenarios.filter(({ p }) => p !== null);
    const replications = measured.length === 0 ? spec.rounds : Math.min(...measured.flatMap((one) => [one.candidate.n, one.baseline.n]));
    return {
      ...{ candidate, baseline, scenarios },
      power: factorialPower(replications, measured.length === 0 ? cells.length : measured.length),
      interactions: interactionsOf(ratios, spec.seed, permutations).map((one) => ({
        ...one,
        words: interactionWords(one, candidate, baseline),
      })),
      roundsLeftOut: ratios.reduce((sum, { leftOut }) => sum + leftOut, 0),
    };
  });
  const protocols = [...new Set(spec.protocols)];
  return {
    campaignId: campaign.id,
    metric,
    factors: Object.keys(combinations[0] ?? {}).map((factor) => ({ factor, levels: levelsOf(combinations, factor) })),
    design: designOf(combinations),
    tailOf: ofRequests ? 'requests' : 'replications',
    pairs,
    differences: factorDifferences(
      cells.flatMap(({ cell, levels }) =>
        protocols.map((protocol) => ({
          levels: { ...levels, protocol: protocolName(protocol) },
          values: sideOf(cell, protocol, metric, undefined).values,
        })),
      ),
    ),
    cautions: cautionsOf(pairs),
  };
}

const slotsOf = ({ slots }: MeasuredCell, protocol: Protocol): CountedVisits[] =>
  slots.filter((slot) => slot.protocol === protocol).map(({ counted: visits }) => visits);

/** Slots of one protocol are pooled. */
function sideOf(cell: MeasuredCell, protocol: Protocol, metric: MetricName, tail: (typeof tails)[MetricName]): SideValues {
  const visits = slotsOf(cell, protocol);
  const of = (name: MetricName | null) => (name === null ? [] : visits.flatMap((its) => its.sampleOf(name)));
  return { values: of(metric), tails: tail === undefined ? null : { p95: of(tail.p95), p99: of(tail.p99) } };
}

/** For each round in which both protocols have a value; with several slots, the first one that has a value. */
function ratiosOf(
  cell: MeasuredCell,
  candidate: Protocol,
  baseline: Protocol,
  metric: MetricName,
): { logRatios: number[]; leftOut: number } {
  const valuesOf = (protocol: Protocol) => {
    const byRound = new Map<number, number>();
    for (const visits of slotsOf(cell, protocol))
      for (const [n, value] of visits.valuesOf(metric).entries()) {
        const round = visits.rounds[n] as number;
        if (Number.isFinite(value) && value > 0 && !byRound.has(round)) byRound.set(round, value);
      }
    return byRound;
  };
  const [of, against] = [valuesOf(candidate), valuesOf(baseline)];
  const logRatios = [...cell.finished]
    .sort((a, b) => a - b)
    .flatMap((round) => {
      const [value, other] = [of.get(round), against.get(round)];
      return value === undefined || other === undefined ? [] : [Math.log(value / other)];
    });
  return { logRatios, leftOut: cell.finished.size - logRatios.length };
}

function interactionWords(
  { factors, p, adjustedP, confoundedWith, levels }: InteractionTest,
  candidate: Protocol,
  baseline: Protocol,
): string {
  const of = `${protocolName(candidate)} ÷ ${protocolName(baseline)}`;
  const name = termName(factors);
  const others = confoundedWith.map(termName);
  if (p === null || adjustedP === null)
    return others.length > 0
      ? `The design can’t separate ${name} from ${others.join(' or ')}.`
      : `${name} can’t be tested: there are too few rounds or combinations.`;
  const also = others.length > 0 ? ` It may be ${others.join(' or ')} instead, which the design can’t separate from it.` : '';
  if (adjustedP >= relevance.alpha)
    return factors.length === 1
      ? `No evidence that ${of} depends on ${name}.${also}`
      : `No evidence that the effect of ${factors[0]} on ${of} depends on ${factors[1]}.${also}`;
  // A pair has too many to read in a sentence.
  const ratios = levels.map(({ levels: its, ratio }) => `${its.join()} ${ratio.toFixed(2)}`).join(', ');
  return factors.length === 1
    ? `${of} depends on ${name}: ${ratios}.${also}`
    : `The effect of ${factors[0]} on ${of} depends on ${factors[1]}.${also}`;
}

function cautionsOf(pairs: readonly FactorialPair[]): string[] {
  const leftOut = pairs.reduce((most, pair) => Math.max(most, pair.roundsLeftOut), 0);
  return [
    'The unit is a replication: requests of one run share connections, queues and moments, so they are not independent samples.',
    'Kruskal–Wallis pools everything else, as published: effects of other factors are noise to it, and it ignores that protocols are paired in rounds. A large p says little; interactions and scenarios decide.',
    ...(leftOut > 0
      ? [`${counted(leftOut, 'round')} in which a protocol failed or has no value are excluded from interactions: they have no ratio.`]
      : []),
  ];
}

/** Values of one protocol under one combination of levels, including the protocol; +∞ for the time of a failed replication. */
interface LevelledValues {
  levels: Combination;
  values: readonly number[];
}

/**
 * Kruskal–Wallis test of each factor with everything else pooled, and of the protocol within each level of each other factor: in the study,
 * protocols differed for POST but not for GET. Levels without a value are ignored, and so is a factor with a single level.
 */
function factorDifferences(cells: readonly LevelledValues[]): FactorDifference[] {
  const measured = cells.filter(({ values }) => values.length > 0);
  const factors = Object.keys(measured[0]?.levels ?? {}).filter((factor) => levelsIn(measured, factor).length > 1);
  const pooled = factors.flatMap((factor) => differenceOf(measured, factor, null));
  const within = factors
    .filter((factor) => factor !== 'protocol')
    .flatMap((factor) =>
      levelsIn(measured, factor).flatMap((level) =>
        differenceOf(
          measured.filter(({ levels }) => levels[factor] === level),
          'protocol',
          { factor, level },
        ),
      ),
    );
  return [...pooled, ...within];
}

const levelsIn = (cells: readonly LevelledValues[], factor: string): string[] =>
  levelsOf(
    cells.map(({ levels }) => levels),
    factor,
  );

function differenceOf(cells: readonly LevelledValues[], factor: string, within: FactorDifference['within']): FactorDifference[] {
  const groups = levelsIn(cells, factor).map((level) => ({
    level,
    values: cells.filter(({ levels }) => levels[factor] === level).flatMap(({ values }) => values),
  }));
  if (groups.length < 2) return [];
  const { statistic, df, p, epsilonSquared } = kruskalWallisTest(groups.map(({ values }) => values));
  const levels = groups.map(({ level, values }) => ({ level, median: knownOrNull(median(values)), n: values.length }));
  return [{ factor, within, levels, h: statistic, df, p, epsilonSquared }];
}
