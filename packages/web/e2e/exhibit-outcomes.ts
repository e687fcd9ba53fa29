// What came of the exhibit's visits.
import type { PageMetrics } from '@pronghorn/core/schemas';
import type { InvalidReason } from '@pronghorn/core/vocabulary';
import type { Outcomes } from './made-rounds.ts';
import { invalid, madeMetrics } from './made-visits.ts';

/** How HTTP/3 stands to HTTP/2 under each condition: every verdict there is. */
const factors: Readonly<Record<string, number>> = { native: 1.1, 'latency-100': 0.85, '4g': 1.02, 'loss-1': 1.3 };

/** Valid visits in which HTTP/3 stands to the others as under `factors`. */
export function shaped({ all = 1, h3 = 1 } = {}): Outcomes {
  return (protocol, _round, random, condition) => {
    const metrics = madeMetrics(protocol, random);
    const factor = all * (protocol === 'h3' ? h3 * (factors[condition] ?? 1) : 1) * slowness(condition);
    return [{ verdict: 'valid', metrics: scaled(metrics, factor) }];
  };
}

const slowness = (condition: string) => ({ native: 1, 'latency-100': 2.1, '4g': 3.2, 'loss-1': 1.6 })[condition] ?? 1;

function scaled(metrics: PageMetrics, factor: number): PageMetrics {
  const times = [
    'onLoad',
    'loadEventEnd',
    'domContentLoaded',
    'firstPaint',
    'firstContentfulPaint',
    'largestContentfulPaint',
    'speedIndex',
  ] as const;
  const rest = ['firstVisualChange', 'lastVisualChange', 'linkedDownload', 'ttfb'] as const;
  const scaledTimes = [...times, ...rest].map((name) => [name, metrics[name] === null ? null : metrics[name] * factor]);
  return { ...metrics, ...Object.fromEntries(scaledTimes) };
}

const passing: readonly InvalidReason[] = ['busy-machine', 'load-timeout', 'incomplete', 'tab-crashed', 'no-visual-progress'];
export const sometimesInvalid: Outcomes = (protocol, round, random, condition, url, view) => {
  const valid = shaped()(protocol, round, random, condition, url, view);
  if (random() > 0.15) return valid;
  const reason = passing[Math.floor(random() * passing.length)] ?? 'busy-machine';
  return [invalid(reason, `made: ${reason} in round ${round}, <b>as the page says</b>`), ...valid];
};
