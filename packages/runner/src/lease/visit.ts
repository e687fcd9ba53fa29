// A visit from load to record: gathered, derived, judged.
import { randomUUID } from 'node:crypto';
import { autoLoadTimeoutMs } from '@pronghorn/core/network';
import type { CampaignSpec, Condition, Lease, Limits, Site, SiteDiscovery, VisitUpload, Watch } from '@pronghorn/core/schemas';
import { type InvalidReason, type Isolation, kindOf, type Protocol, type View } from '@pronghorn/core/vocabulary';
import type { EvidenceFile } from '../api/uploads.ts';
import { effectiveConnectionOf } from '../chrome/flags.ts';
import { addressOf, loadedDocument } from '../derive/document.ts';
import { longer, type Seen, untilFor } from '../derive/equally-watched.ts';
import { likenessOf, pictureShare } from '../derive/likeness.ts';
import { deriveNetlog } from '../derive/netlog/findings.ts';
import { netlogFileOf } from '../derive/netlog/netlog-file.ts';
import { deriveOutcome } from '../derive/outcome.ts';
import { faultOfMachine } from '../derive/verdict.ts';
import { unavailable } from '../discovery/unavailable.ts';
import type { Engine, Load, Loaded } from '../engines/engine.ts';
import type { EvidenceDocument, Usual, VisitRequest } from '../gather/evidence.ts';
import { pauseFactor, type WatchLimits } from '../gather/settling.ts';
import { type AgentLink, refusalText, splitWatched, type Watched } from '../link/agent-link.ts';
import { throttledMs } from '../machine/cgroups.ts';
import { allowedForeignShare, startCpuGauge } from '../machine/cpu-gauge.ts';
import { NotConfirmed } from '../transaction/ownership.ts';
import { outcomeOfRun, runOf } from '../transaction/run-outcome.ts';
import { workloadOfLease } from '../transaction/run-plan.ts';
import { VisitorError } from '../visitor/load-visitor.ts';
import { unavailableTo } from './visiting-engine.ts';

export interface VisitPlan {
  lease: Lease;
  slot: number;
  protocol: Protocol;
  position: number;
  retry: number;
  discovery: SiteDiscovery;
  /** host:port that Chrome must reach over HTTP/3. */
  forced: readonly string[];
  /** How long it is watched at least; `again`: in place of one that was watched for less. Undefined: until the page is idle. */
  watch?: NonNullable<VisitUpload['watch']> | undefined;
  /** An extra visit that records Chrome's network log, and never counts. */
  withNetlog?: boolean;
}

export interface Tools {
  engine: Engine;
  link: Pick<AgentLink, 'watch'>;
}

/** A visit's record, with the evidence that it was derived from and the environment it ran in. */
export interface PerformedVisit {
  visit: VisitUpload;
  evidence: EvidenceDocument | null;
  /** Null: it is not valid, or no page load. */
  seen: Seen | null;
  environment: Awaited<ReturnType<Engine['load']>>['environment'] | null;
  files: readonly EvidenceFile[];
}

function filesOf(loaded: Loaded): EvidenceFile[] {
  const netlog = netlogFileOf(loaded);
  return [
    ...(netlog === null ? [] : [{ kind: 'netlog' as const, content: netlog }]),
    ...(loaded.trace === undefined ? [] : [{ kind: 'trace' as const, content: loaded.trace }]),
    ...(loaded.qlog === undefined ? [] : [{ kind: 'qlog' as const, content: loaded.qlog }]),
    ...(loaded.video === undefined ? [] : [{ kind: 'video' as const, content: loaded.video }]),
  ];
}

/**
 * Performs one visit. Never throws: a failure is an invalid visit with its reason.
 *
 * It loads nothing if discovery has already shown that the visit can't succeed.
 */
export async function performVisit({ engine, link }: Tools, plan: VisitPlan): Promise<PerformedVisit> {
  const { lease, slot, protocol, position, retry, discovery, watch, withNetlog = false } = plan;
  const startedAt = new Date().toISOString();
  const start = performance.now();
  const record = (rest: Pick<VisitUpload, 'outcome'> & Partial<VisitUpload>): VisitUpload => ({
    id: randomUUID(),
    roundId: lease.round.id,
    attempt: lease.round.attempt,
    slot,
    protocol,
    position,
    retry,
    startedAt,
    wallMs: performance.now() - start,
    loadTimeoutMs: null,
    finalUrl: null,
    documentAddress: null,
    cpu: null,
    link: null,
    environmentId: null,
    discoveryId: discovery.id,
    resources: [],
    ...(watch && { watch }),
    ...(withNetlog ? { netlog: { findings: null } } : {}),
    ...rest,
  });
  const invalid = (reason: InvalidReason, detail: string, rest: Partial<VisitUpload> = {}): PerformedVisit => ({
    visit: record({ ...rest, outcome: { verdict: 'invalid', reason, detail } }),
    evidence: null,
    seen: null,
    environment: null,
    files: [],
  });

  const known = unavailableTo(protocol, lease) ?? discovery.failure ?? unavailable(protocol, discovery, lease.spec.discovery);
  if (known !== null) return invalid(known.reason as InvalidReason, known.detail);

  const { spec, site, round } = lease;
  const { request, load } = requestOf(spec, site, { ...plan, condition: conditionOf(lease), view: round.view });
  const { loadTimeoutMs } = load.limits;
  const watched = link.watch();
  try {
    if (spec.engine === 'transaction') return await recordRun({ engine, watched }, plan, record);
    const loaded = await engine.load({
      ...load,
      engine: spec.engine,
      ...(spec.engine !== 'puppeteer' && { isolation: 'process' as const }),
      ...(spec.engineOptions && { engineOptions: spec.engineOptions }),
      ...(withNetlog ? { netlog: 'traced' as const } : {}),
    });
    const { evidence, environment } = loaded;
    const [watchedLink, { outcome, resources, progress, seen }] = await Promise.all([
      watched(),
      deriveOutcome(request, evidence, allowedForeignShare(spec.limits.foreignCpuShare)),
    ]);
    const { link: visitLink, linkCounters } = splitWatched(watchedLink);
    // The page itself may have led there: its own error only says that no connection was made.
    const refused = evidence.end.kind === 'navigation-failed' ? refusalText(visitLink?.refused ?? []) : undefined;
    if (outcome.verdict === 'invalid' && refused !== undefined) outcome.detail += ` ${refused}`;
    const visit = record({
      startedAt: evidence.startedAt,
      finalUrl: evidence.page?.url ?? null,
      documentAddress: addressOf(loadedDocument(evidence, resources)),
      cpu: evidence.cpu,
      loadTimeoutMs,
      link: visitLink,
      settled: evidence.settled ?? null,
      ...(outcome.verdict === 'valid' && {
        likeness: likenessOf(request, evidence, resources, await pictureShare(discovery, evidence, outcome.metrics)),
      }),
      environmentId: environment.id,
      resources,
      outcome,
      ...(evidence.netlog ? { netlog: { findings: deriveNetlog(evidence.netlog, resources, request) } } : {}),
    });
    return {
      visit,
      evidence: { asked: request, evidence, progress, ...(linkCounters && { linkCounters }) },
      seen,
      environment,
      files: filesOf(loaded),
    };
  } catch (error) {
    return invalid(reasonOf(error), error instanceof Error ? error.message : String(error), {
      loadTimeoutMs,
      link: splitWatched(await watched().catch(() => null)).link,
    });
  }
}

const reasonOf = (error: unknown): InvalidReason =>
  error instanceof VisitorError ? error.reason : error instanceof NotConfirmed ? 'not-confirmed' : 'engine-error';

async function recordRun(
  { engine, watched }: { engine: Engine; watched: () => Promise<Watched | null> },
  { lease, protocol }: VisitPlan,
  record: (rest: Pick<VisitUpload, 'outcome'> & Partial<VisitUpload>) => VisitUpload,
): Promise<PerformedVisit> {
  const { round, site, spec } = lease;
  if (engine.transactions === undefined) throw new Error('This runner sends no REST calls.');
  const [readCpu, throttledBefore] = [startCpuGauge(), throttledMs()];
  const request = {
    url: site.url,
    workload: workloadOfLease(lease),
    browser: spec.browser,
    protocol,
    view: round.view,
    seed: round.number,
  };
  const { report, environment } = await engine.transactions.run({ ...request, calls: lease.calls });
  const machine = { cpu: readCpu(), throttledMs: throttledMs() - throttledBefore };
  const fault = faultOfMachine(machine, allowedForeignShare(spec.limits.foreignCpuShare));
  const { link, linkCounters } = splitWatched(await watched());
  const { summary, seconds, connections, requests } = report;
  const visit = record({
    finalUrl: site.url,
    documentAddress: connections[0]?.remote ?? null,
    cpu: machine.cpu,
    link,
    environmentId: environment.id,
    outcome: fault === null ? outcomeOfRun(report, protocol) : { verdict: 'invalid', ...fault },
    run: runOf(summary, seconds),
  });
  const document = [
    { kind: 'plan', ...request, ...(linkCounters && { linkCounters }) },
    ...connections.map((one) => ({ kind: 'connection', ...one })),
  ];
  const content = [...document.map((line) => JSON.stringify(line)), ...requests].join('\n');
  return { visit, evidence: null, seen: null, environment, files: [{ kind: 'requests', content: `${content}\n` }] };
}

/** @throws Error where a round and its campaign don't fit */
export function conditionOf({ round, spec }: Lease): Condition {
  const condition = spec.conditions.find(({ name }) => name === round.condition);
  if (condition === undefined) throw new Error(`Round ${round.id} names condition ${round.condition}, which its campaign does not have.`);
  return condition;
}

/** A failure of the measurement itself is repeated without a trace; one of the page is what the round found, and stands. */
export function worthRetrying({ outcome }: VisitUpload): boolean {
  return outcome.verdict === 'invalid' && kindOf(outcome.reason) === 'measurement';
}

/** The request of a visit, and its load, by its campaign and its discovery. */
export function requestOf(
  { discovery: how, isolation, browser, limits }: Pick<CampaignSpec, 'discovery' | 'isolation' | 'browser' | 'limits'>,
  { url, expectStatus }: Pick<Site, 'url' | 'expectStatus'>,
  {
    protocol,
    condition,
    view,
    discovery,
    forced,
    watch,
  }: Pick<VisitPlan, 'protocol' | 'discovery' | 'forced'> & { watch?: Watch | undefined; condition: Condition; view: View },
): { request: VisitRequest; load: Load } {
  const request: VisitRequest = {
    ...{ url, protocol, discovery: how, view, forced: protocol === 'h3' ? forced : [], expectStatus },
    ...{ finalUrl: discovery.finalUrl ?? url, usual: usualOf(discovery) },
  };
  const loadTimeoutMs = limits.loadTimeoutMs === 'auto' ? autoLoadTimeoutMs(condition, discovery.bytes ?? null) : limits.loadTimeoutMs;
  const load: Load = {
    ...{ ...request, isolation: isolationOf(isolation, discovery), browser },
    ...{
      limits: { ...limits, loadTimeoutMs, ...watchLimits(limits, watch) },
      effectiveConnection: effectiveConnectionOf(condition),
    },
  };
  return { request, load };
}

const watchLimits = (
  { quietMs, settleMaxMs }: Pick<Limits, 'quietMs' | 'settleMaxMs'>,
  { untilMs, pauseMs }: Watch = { untilMs: 0, pauseMs: 0 },
): WatchLimits => ({ settleMaxMs, untilMs, quietMs: Math.max(quietMs, pauseMs) });

/**
 * How long a visit is watched at least: for what discovery saw late, and for what other visits of its cell did.
 *
 * @param ofCell undefined: no other visit saw anything late
 */
export function watchFor({ pauseMs, wentOnMs }: Pick<SiteDiscovery, 'pauseMs' | 'wentOnMs'>, ofCell?: Watch): Watch | undefined {
  if (pauseMs === undefined && wentOnMs === undefined) return ofCell;
  const watch = { untilMs: wentOnMs === undefined ? 0 : untilFor(wentOnMs), pauseMs: pauseFactor * (pauseMs ?? 0) };
  return ofCell === undefined ? watch : longer(watch, ofCell);
}

/** All visits of a page alike, whatever their protocol: contexts and processes load at different speed. */
function isolationOf(isolation: Isolation, { hints = [] }: SiteDiscovery): Isolation {
  return isolation !== 'auto' ? isolation : hints.length > 0 ? 'process' : 'context';
}

function usualOf({ hosts, broken = [], answers, urls }: SiteDiscovery): Usual {
  return {
    hosts: Object.fromEntries(hosts.map(({ host, requests }) => [host, requests])),
    requests: hosts.reduce((sum, { requests }) => sum + requests, 0),
    broken,
    ...(answers && { answers }),
    ...(urls !== undefined && { urls }),
  };
}
