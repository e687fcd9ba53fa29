// The result of a factorial campaign, wherever it is shown: of its visits and its sites’ levels alone.
import type { Campaign, Site } from '../../schemas/campaign.ts';
import type { CampaignFactorial, FactorialPair } from '../../schemas/factorial.ts';
import type { MetricName } from '../../schemas/metrics.ts';
import { counted, protocolName } from '../../text/numbers.ts';
import type { CountedVisits } from '../../verdict/counted-visits.ts';
import { pairsOfProtocols } from '../../verdict/questions.ts';
import type { View } from '../../vocabulary/cell.ts';
import type { Protocol } from '../../vocabulary/protocol.ts';
import { type CampaignGroup, gatherGroups } from '../campaign-groups.ts';
import type { ResultVisit } from '../results.ts';
import { designOf, termName } from './design.ts';
import { factorDifferences } from './differences.ts';
import { type FoundInteraction, interactionsOf } from './interactions.ts';
import { type Combination, levelsOf } from './model.ts';
import { factorialPower, relevance } from './replications.ts';
import { type SideValues, scenariosOf } from './scenarios.ts';

/** Of a run of REST calls: which of its metrics say what the slowest of its requests took. */
const tails: Partial<Record<MetricName, { p95: MetricName; p99: MetricName }>> = {
  latency: { p95: 'latencyP95', p99: 'latencyP99' },
  latencyMean: { p95: 'latencyP95', p99: 'latencyP99' },
  ttfb: { p95: 'ttfbP95', p99: 'ttfbP99' },
  ttfbMean: { p95: 'ttfbP95', p99: 'ttfbP99' },
  responseTime: { p95: 'responseTimeP95', p99: 'responseTimeP99' },
  responseTimeMean: { p95: 'responseTimeP95', p99: 'responseTimeP99' },
};

/** Whether its sites have levels. */
export const isFactorial = ({ sites }: Pick<Campaign, 'sites'>): boolean => sites.every(({ levels }) => levels !== undefined);

/**
 * The levels of each site × condition × view, in the campaign’s order: condition and view are factors where there are several.
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
        ...Object.fromEntries(factors.map((factor) => [factor, levels[factor] ?? ''])), // in one order, whoever wrote them
        ...(conditions.length > 1 ? { condition: name } : {}),
        ...(views.length > 1 ? { view } : {}),
      })),
    ),
  );
}

/**
 * What a factorial campaign shows of one metric: every combination of levels by itself, each factor, and on what the ratio of two protocols depends.
 *
 * @param campaign whose sites have levels.
 * @param visits as for `campaignResults`, with all of their metrics: the tails of a run are others than the metric itself.
 * @param metric default: the campaign’s primary one.
 * @param permutations of each interaction at most.
 * @throws RangeError on a visit that fits no group or slot of the campaign.
 */
export function campaignFactorial(
  campaign: Pick<Campaign, 'id' | 'spec' | 'sites'>,
  visits: Iterable<ResultVisit>,
  metric: MetricName = campaign.spec.primaryMetric,
  permutations?: number,
): CampaignFactorial {
  const { spec } = campaign;
  const combinations = combinationsOf({ ...spec, sites: campaign.sites });
  const cells = gatherGroups(campaign, visits).map((group, place) => ({ group, levels: combinations[place] as Combination }));
  const ofRequests = spec.engine === 'transaction' ? tails[metric] : undefined;
  const names = pairsOfProtocols.filter((pair) => pair.every((protocol) => spec.protocols.includes(protocol)));
  const pairs = names.map(([candidate, baseline]): FactorialPair => {
    const scenarios = scenariosOf(
      cells.map(({ group, levels }) => ({
        levels,
        candidate: sideOf(group, candidate, metric, ofRequests),
        baseline: sideOf(group, baseline, metric, ofRequests),
      })),
      { metric, candidate, baseline },
    );
    const ratios = cells.map(({ group, levels }) => ({ levels, ...ratiosOf(group, candidate, baseline, metric) }));
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
      cells.flatMap(({ group, levels }) =>
        protocols.map((protocol) => ({
          levels: { ...levels, protocol: protocolName(protocol) },
          values: sideOf(group, protocol, metric, undefined).values,
        })),
      ),
    ),
    cautions: cautionsOf(pairs),
  };
}

const slotsOf = ({ slots }: CampaignGroup, protocol: Protocol): CountedVisits[] =>
  slots.filter((slot) => slot.protocol === protocol).map(({ counted: visits }) => visits);

/** Slots of one protocol stand together. */
function sideOf(group: CampaignGroup, protocol: Protocol, metric: MetricName, tail: (typeof tails)[MetricName]): SideValues {
  const visits = slotsOf(group, protocol);
  const of = (name: MetricName | null) => (name === null ? [] : visits.flatMap((its) => its.sampleOf(name)));
  return { values: of(metric), tails: tail === undefined ? null : { p95: of(tail.p95), p99: of(tail.p99) } };
}

/** Of each round in which both protocols have a value; where one has several slots, by the first that has one. */
function ratiosOf(
  group: CampaignGroup,
  candidate: Protocol,
  baseline: Protocol,
  metric: MetricName,
): { logRatios: number[]; leftOut: number } {
  const valuesOf = (protocol: Protocol) => {
    const found = new Map<number, number>();
    for (const visits of slotsOf(group, protocol))
      for (const [n, value] of visits.valuesOf(metric).entries()) {
        const round = visits.rounds[n] as number;
        if (Number.isFinite(value) && value > 0 && !found.has(round)) found.set(round, value);
      }
    return found;
  };
  const [of, against] = [valuesOf(candidate), valuesOf(baseline)];
  const logRatios = [...group.finished]
    .sort((a, b) => a - b)
    .flatMap((round) => {
      const [value, other] = [of.get(round), against.get(round)];
      return value === undefined || other === undefined ? [] : [Math.log(value / other)];
    });
  return { logRatios, leftOut: group.finished.size - logRatios.length };
}

function interactionWords(
  { factors, p, adjustedP, confoundedWith, levels }: FoundInteraction,
  candidate: Protocol,
  baseline: Protocol,
): string {
  const of = `${protocolName(candidate)} ÷ ${protocolName(baseline)}`;
  const name = termName(factors);
  const others = confoundedWith.map(termName);
  if (p === null || adjustedP === null)
    return others.length > 0
      ? `The design can’t tell ${name} from ${others.join(' or ')}.`
      : `${name} can’t be tested: there are too few rounds or combinations.`;
  const also = others.length > 0 ? ` It may as well be ${others.join(' or ')}, which the design can’t tell from it.` : '';
  if (adjustedP >= relevance.alpha)
    return factors.length === 1
      ? `Not shown that ${of} depends on ${name}.${also}`
      : `Not shown that what ${factors[0]} does to ${of} depends on ${factors[1]}.${also}`;
  // Of a pair they are too many to read in a sentence.
  const ratios = levels.map(({ levels: its, ratio }) => `${its.join()} ${ratio.toFixed(2)}`).join(', ');
  return factors.length === 1
    ? `${of} depends on ${name}: ${ratios}.${also}`
    : `What ${factors[0]} does to ${of} depends on ${factors[1]}.${also}`;
}

function cautionsOf(pairs: readonly FactorialPair[]): string[] {
  const leftOut = pairs.reduce((most, pair) => Math.max(most, pair.roundsLeftOut), 0);
  return [
    'A replication is the unit: requests of one run share connections, queues and moments, and are no independent samples.',
    'Kruskal–Wallis pools everything else, as published: what other factors do is noise to it, and it does not know that protocols are paired in rounds. A large p says little; interactions and scenarios decide.',
    ...(leftOut > 0
      ? [`${counted(leftOut, 'round')} in which a protocol failed or has no value are in no interaction: they have no ratio.`]
      : []),
  ];
}
