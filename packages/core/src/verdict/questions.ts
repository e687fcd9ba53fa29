// What a campaign asks of each of its sites, conditions and views.
import type { MetricName } from '../schemas/metrics.ts';
import type { Engine } from '../vocabulary/engine.ts';
import { isTime } from '../vocabulary/metric.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import type { Samples } from './comparison.ts';

/** The answers of all groups to one question are a family, which is corrected together. */
export type Question = Pick<Samples, 'metric' | 'candidate' | 'baseline' | 'confirmatory'>;

/** Compared beside the primary metric: of a page, and of REST calls. */
const ofPages = ['onLoad', 'speedIndex', 'largestContentfulPaint'] as const satisfies readonly MetricName[];
const ofRuns = ['responseTime', 'responseTimeP99', 'latency', 'ttfb', 'timePerRequest'] as const satisfies readonly MetricName[];

/** The first is the primary metric where nobody names one. */
export const mainMetrics = ({ engine }: { engine: Engine }): readonly MetricName[] => (engine === 'transaction' ? ofRuns : ofPages);

/** The newer one is the candidate. */
export const pairsOfProtocols: readonly [candidate: Protocol, baseline: Protocol][] = [
  ['h3', 'h2'],
  ['h3', 'h1'],
  ['h2', 'h1'],
];

/** Each pair of protocols on each metric. h3 against h2 on the primary metric is confirmatory: fixed before the campaign. */
export function questionsOf(
  protocols: ReadonlySet<Protocol>,
  { primaryMetric, engine }: { primaryMetric: MetricName; engine: Engine },
): Question[] {
  const metrics = [...new Set([primaryMetric, ...mainMetrics({ engine })])].filter(isTime);
  return pairsOfProtocols
    .filter((pair) => pair.every((protocol) => protocols.has(protocol)))
    .flatMap(([candidate, baseline]) =>
      metrics.map((metric) => {
        const confirmatory = metric === primaryMetric && candidate === 'h3' && baseline === 'h2';
        return { metric, candidate, baseline, confirmatory };
      }),
    );
}

/** Of sites × conditions × views: how many comparisons answer a campaign's question, h3 against h2 on its primary metric. */
export function confirmatoryComparisons(protocols: readonly Protocol[], groups: number): number {
  return protocols.includes('h3') && protocols.includes('h2') ? groups : 0;
}
