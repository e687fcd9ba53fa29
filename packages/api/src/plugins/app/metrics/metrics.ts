// What Prometheus scrapes. What concerns the service comes from the database when it is asked for, so that it survives restarts and is the
// same at each of several api processes; what concerns a process (requests, memory, event loop) is its own. Names and units as
// prometheus.io/docs/practices/naming has them.
import { statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { priorities, runnerStates } from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { registerTotals } from './totals.ts';

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

export default fp<MetricsOptions & { evidenceDirectory: string }>(async (app, { process, evidenceDirectory }) => {
  const registry = new Registry();
  const readTotals = registerTotals(registry, app.database);
  registerGauges(app, registry, evidenceDirectory);
  observeRequests(app, registry);
  if (process) collectDefaultMetrics({ register: registry });
  app.decorate('metrics', {
    contentType: registry.contentType,
    text() {
      readTotals();
      return registry.metrics();
    },
  });
});

/** The state of the service when it is asked for: reads over tables of several owners, cheap enough for every scrape. */
function registerGauges(app: FastifyInstance, registry: Registry, evidenceDirectory: string): void {
  const { database, evidence } = app;
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    collect: (self: Gauge<Label>) => void | Promise<void>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        return collect(this);
      },
    });
  const selectQueue = database.prepare<[], { rank: number; queued: number; leased: number; since: number | null }>(
    `SELECT rank, sum(queued) AS queued, sum(leased) AS leased, min(iif(queued > 0, queuedAt, NULL)) AS since
     FROM campaign_progress CROSS JOIN queue_entries USING (campaignId) WHERE queued > 0 OR leased > 0 GROUP BY rank`,
  );
  const queueOf = () => {
    const rows = selectQueue.all();
    return priorities.map((priority, rank) => {
      const { queued = 0, leased = 0, since = null } = rows.find((row) => row.rank === rank) ?? {};
      return { priority, queued, leased, since };
    });
  };

  gauge('pronghorn_build_info', 'Which Pronghorn this process is; always 1.', ['version'], (self) => self.set({ version }, 1));
  gauge('pronghorn_queue_rounds', 'Rounds that wait (queued) or that runners have (leased).', ['priority', 'state'], (self) => {
    for (const { priority, queued, leased } of queueOf()) {
      self.set({ priority, state: 'queued' }, queued);
      self.set({ priority, state: 'leased' }, leased);
    }
  });
  gauge('pronghorn_queue_oldest_age_seconds', 'Age of the oldest campaign with waiting rounds; 0: none waits.', ['priority'], (self) => {
    for (const { priority, since } of queueOf()) self.set({ priority }, since === null ? 0 : Math.max(0, (app.now() - since) / 1_000));
  });
  gauge('pronghorn_runners', 'Runners by state.', ['state'], (self) => {
    const runners = app.runnerRegistry.all();
    for (const state of runnerStates) self.set({ state }, runners.filter((runner) => runner.state === state).length);
  });
  gauge('pronghorn_clock_doubt_seconds', 'How far the clock is from its last believed time; 0: it is believed.', [], (self) =>
    self.set((app.clock.doubt()?.byMs ?? 0) / 1_000),
  );
  gauge(
    'pronghorn_database_size_bytes',
    'The database file; kind free: pages in it that wait for reuse; kind log: beside it.',
    ['kind'],
    (self) => {
      const pragma = (name: string) => Number(database.pragma(name, { simple: true }));
      self.set({ kind: 'file' }, pragma('page_count') * pragma('page_size'));
      self.set({ kind: 'free' }, pragma('freelist_count') * pragma('page_size'));
      self.set({ kind: 'log' }, statSync(`${database.name}-wal`, { throwIfNoEntry: false })?.size ?? 0);
    },
  );
  gauge('pronghorn_evidence_size_bytes', 'Files of evidence; kind incoming: that are being received.', ['kind'], (self) => {
    const usage = new Map(evidence.usage().map(({ what, bytes }) => [what, bytes]));
    for (const kind of ['files', 'incoming']) self.set({ kind }, usage.get(kind) ?? 0);
  });
  const { budgetBytes } = evidence;
  if (budgetBytes !== null) gauge('pronghorn_evidence_budget_bytes', 'What evidence may take.', [], (self) => self.set(budgetBytes));
  gauge('pronghorn_disk_free_bytes', 'Left for the service on the disk of the data folder.', [], async (self) => {
    const { bavail, bsize } = await statfs(evidenceDirectory);
    self.set(bavail * bsize);
  });
}

/** How long requests take, by route; event streams, which last as long as somebody looks, are counted while they are open. */
function observeRequests(app: FastifyInstance, registry: Registry): void {
  const durations = new Histogram({
    name: 'pronghorn_http_request_duration_seconds',
    help: 'From the request’s arrival to the end of its reply, by route; this process alone.',
    labelNames: ['method', 'route', 'code'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const streams = new Gauge({
    name: 'pronghorn_event_streams',
    help: 'Event streams that are open; this process alone.',
    registers: [registry],
  });
  const isStream = (url: string | undefined) => url?.endsWith('/events') === true;

  app.addHook('onRequest', async (request) => {
    if (isStream(request.routeOptions.url)) streams.inc();
  });
  app.addHook('onResponse', async (request, reply) => {
    const { url } = request.routeOptions;
    if (isStream(url)) return streams.dec();
    // What has no route is one label, or whoever asks for many paths makes many series.
    durations.observe({ method: request.method, route: url ?? 'none', code: reply.statusCode }, reply.elapsedTime / 1_000);
  });
}
