// The questions that a campaign asks of each of its cells.
import type { MetricName } from '../schemas/metrics.ts';
import type { Engine } from '../vocabulary/engine.ts';
import { isTime } from '../vocabulary/metric.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import type { Samples } from './comparison.ts';

/** The answers of all cells to one question are a family, corrected together. */
export type Question = Pick<Samples, 'metric' | 'candidate' | 'baseline' | 'confirmatory'>;

/** Compared besides the primary metric: for pages, and for REST calls. */
const ofPages = ['onLoad', 'speedIndex', 'largestContentfulPaint'] as const satisfies readonly MetricName[];
const ofRuns = ['responseTime', 'responseTimeP99', 'latency', 'ttfb', 'timePerRequest'] as const satisfies readonly MetricName[];

/** The first one is the default primary metric. */
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

/** The number of comparisons that answer a campaign's question, h3 against h2 on its primary metric. @param cells sites × conditions × views */
export function confirmatoryComparisons(protocols: readonly Protocol[], cells: number): number {
  return protocols.includes('h3') && protocols.includes('h2') ? cells : 0;
}
