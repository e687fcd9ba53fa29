// What Prometheus scrapes. What concerns the service comes from the database when it is asked for, so that it survives restarts and is the
// same at each of several api processes; what concerns a process (requests, memory, event loop) is its own.
import { type RunnerState, runnerStates } from '@pronghorn/core/schemas';
import fp from 'fastify-plugin';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { RunnerRegistry } from '../runners/runner-registry.ts';
import { createReadings } from './readings.ts';
import { observeRequests } from './request-metrics.ts';
import { registerServiceMetrics } from './service-metrics.ts';
import type { Total } from './totals-repository.ts';

declare module 'fastify' {
  interface FastifyInstance {
    metrics: {
      contentType: string;
      /** All metrics of now, in the text format of Prometheus 0.0.4. */
      text(): Promise<string>;
    };
  }
}

export type MetricsOptions = {
  /** Whether this process is told of too: CPU, memory, event loop, garbage collection. Once a process. */
  process: boolean;
};

export default fp<MetricsOptions & { evidenceDirectory: string; now: () => number }>(
  async (app, { process, evidenceDirectory, now }) => {
    const registry = new Registry();
    let scraped: Total[] = [];
    registerServiceMetrics(registry, {
      totals: () => scraped,
      readings: createReadings(app.database, evidenceDirectory, now),
      evidenceBudgetBytes: app.evidence.budgetBytes,
      clockDoubtSeconds: () => (app.clock.doubt()?.byMs ?? 0) / 1_000,
      runners: () => countByState(app.runnerRegistry),
    });
    observeRequests(app, registry);
    if (process) collectDefaultMetrics({ register: registry });
    app.decorate('metrics', {
      contentType: registry.contentType,
      async text() {
        scraped = app.totals.all();
        return registry.metrics();
      },
    });
  },
  { name: 'metrics', dependencies: ['sqlite', 'clock', 'totals-repository', 'runner-registry', 'evidence-store'] },
);

function countByState(registry: RunnerRegistry): Record<RunnerState, number> {
  const counts = Object.fromEntries(runnerStates.map((state) => [state, 0])) as Record<RunnerState, number>;
  for (let cursor: number | null = null; ; ) {
    const { items, nextCursor } = registry.page({ limit: 1000, cursor });
    for (const { state } of items) counts[state] += 1;
    if (nextCursor === null) return counts;
    cursor = Number(nextCursor);
  }
}
