// What Prometheus scrapes. What concerns the service comes from the database when it is asked for, so that it survives restarts and is the
// same at each of several api processes; what concerns a process (requests, memory, event loop) is its own. Names and units as
// prometheus.io/docs/practices/naming has them.
import { statfs } from 'node:fs/promises';
import { alertKinds, priorities, runnerStates } from '@pronghorn/core/schemas';
import { version } from '@pronghorn/core/vocabulary';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Total } from '../../../tables/readings-repository.ts';
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
  let totals: Total[] = [];
  registerTotals(registry, () => totals);
  registerGauges(app, registry, evidenceDirectory);
  observeRequests(app, registry);
  if (process) collectDefaultMetrics({ register: registry });
  app.decorate('metrics', {
    contentType: registry.contentType,
    async text() {
      totals = await app.store.service.totals();
      return registry.metrics();
    },
  });
});

/** The state of the service when it is asked for. */
function registerGauges(app: FastifyInstance, registry: Registry, evidenceDirectory: string): void {
  const { store } = app;
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
  async function queueOf() {
    const open = await store.queue.openRounds();
    return priorities.map((priority, rank) => {
      const { queued = 0, leased = 0, since = null } = open.find((rounds) => rounds.rank === rank) ?? {};
      return { priority, queued, leased, since };
    });
  }

  gauge('pronghorn_build_info', 'Which Pronghorn this process is; always 1.', ['version'], (self) => self.set({ version }, 1));
  gauge('pronghorn_queue_rounds', 'Rounds that wait (queued) or that runners have (leased).', ['priority', 'state'], async (self) => {
    for (const { priority, queued, leased } of await queueOf()) {
      self.set({ priority, state: 'queued' }, queued);
      self.set({ priority, state: 'leased' }, leased);
    }
  });
  gauge(
    'pronghorn_queue_oldest_age_seconds',
    'Age of the oldest campaign with waiting rounds; 0: none waits.',
    ['priority'],
    async (self) => {
      for (const { priority, since } of await queueOf())
        self.set({ priority }, since === null ? 0 : Math.max(0, (app.now() - since) / 1_000));
    },
  );
  gauge('pronghorn_alerts', 'Alerts that are not resolved.', ['kind', 'state'], async (self) => {
    const counts = await store.alerts.counts();
    for (const kind of alertKinds)
      for (const state of ['open', 'acknowledged'] as const)
        self.set({ kind, state }, counts.find((one) => one.kind === kind && one.state === state)?.alerts ?? 0);
  });
  gauge('pronghorn_runners', 'Runners by state.', ['state'], async (self) => {
    const runners = await store.runners.all();
    for (const state of runnerStates) self.set({ state }, runners.filter((runner) => runner.state === state).length);
  });
  gauge('pronghorn_clock_doubt_seconds', 'How far the clock is from its last believed time; 0: it is believed.', [], async (self) =>
    self.set(((await store.clock.doubt())?.byMs ?? 0) / 1_000),
  );
  gauge(
    'pronghorn_database_size_bytes',
    'The database file; kind free: pages in it that wait for reuse; kind log: beside it.',
    ['kind'],
    async (self) => {
      const { fileBytes, freeBytes, logBytes } = await store.service.databaseSize();
      self.set({ kind: 'file' }, fileBytes);
      self.set({ kind: 'free' }, freeBytes);
      self.set({ kind: 'log' }, logBytes);
    },
  );
  gauge('pronghorn_evidence_size_bytes', 'Files of evidence; kind incoming: that are being received.', ['kind'], async (self) => {
    const usage = new Map((await store.evidence.usage()).map(({ what, bytes }) => [what, bytes]));
    for (const kind of ['files', 'incoming']) self.set({ kind }, usage.get(kind) ?? 0);
  });
  const { budgetBytes } = app.evidence;
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
