// Pages of the demo origin behind a link, loaded over HTTP/2 and HTTP/3 in turn.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostAddresses, type Origin, type ServerWish, startOrigin } from '../../nginx/src/index.ts';
import { randomSource, shuffle } from '../../packages/core/src/math/index.ts';
import { conditionNamed } from '../../packages/core/src/network/index.ts';
import {
  type Comparison,
  type Condition,
  defaultLimits,
  type Limits,
  type PageMetrics,
  type Resource,
  type Settled,
  type VisitLink,
} from '../../packages/core/src/schemas/index.ts';
import { compareCells } from '../../packages/core/src/verdict/cell-comparisons.ts';
import type { ComparedCell } from '../../packages/core/src/verdict/cell-samples.ts';
import { CountedVisits } from '../../packages/core/src/verdict/counted-visits.ts';
import { deriveOutcome } from '../../packages/runner/src/derive/outcome.ts';
import { type Load, type Loaded, openLink, originNetwork, puppeteerEngine } from '../../packages/runner/src/index.ts';

const bothProtocols = ['h2', 'h3'] as const;

export type Measured = PageMetrics & {
  link: VisitLink | null;
  resources: readonly Resource[];
  settled: Settled | undefined;
  /** From the start of the load to its evidence. */
  tookMs: number;
  loaded: Loaded;
};

/** Changes to how a page is usually loaded. */
export interface LoadWishes {
  protocols?: readonly ('h2' | 'h3')[];
  /** Besides the page's own host. */
  forced?: readonly string[];
  limits?: Partial<Limits>;
  netlog?: Load['netlog'];
  /** Largest share of the CPU that other processes may take; default 1. */
  foreignCpuShare?: number;
}

export interface Lab extends AsyncDisposable {
  /** In the order of the servers that were asked for: the same hosts, each at a port of its own. */
  origins: readonly Origin[];
  /** The first. */
  origin: Origin;
  /** Puts a condition on the link and checks it. @returns the mean round trip that it has, ms; null: not measured */
  under(condition: Condition): Promise<number | null>;
  /** Cold visits in randomised blocks, h2 and h3 in each; invalid ones are printed and left out. */
  visit(url: string, rounds: number, wishes?: LoadWishes): Promise<Record<'h2' | 'h3', Measured[]>>;
}

/**
 * @param before fills the origin's state folder before it starts
 * @param web with the sites of the web
 */
export async function openLab(
  conditions: readonly Condition[],
  servers: readonly ServerWish[] = [{ name: 'nginx' }],
  before: (directory: string) => Promise<void> = async () => {},
  web = false,
): Promise<Lab> {
  const ports = servers.map((_, i) => 4433 + i);
  const directory = mkdtempSync(join(tmpdir(), 'bench-link-'));
  const addresses = hostAddresses({ enter: [], ...originNetwork }, { web });
  const link = await openLink({ choice: 'auto', conditions, outside: false, origin: { addresses, ports: web ? [4433, 4434] : ports } });
  await before(directory);
  const origins: Origin[] = [];
  for (const [i, { name: server, version }] of servers.entries()) {
    const place = { ...originNetwork, enter: link.originEnter };
    origins.push(await startOrigin({ directory, port: ports[i] as number, server, version, web, place }));
  }
  const [origin] = origins as [Origin];
  const engine = puppeteerEngine({ trust: origin.trust, serves: () => true, settings: origin.settings }, link.vantagePoint);
  const random = randomSource(1);
  return {
    origins,
    origin,
    under: async (condition) => (await link.prepare(condition, async () => {}))?.rtt?.meanMs ?? null,
    visit: async (url, rounds, { protocols = bothProtocols, forced = [], limits = {}, netlog, foreignCpuShare = 1 } = {}) => {
      const { host } = new URL(url);
      const measured: Record<'h2' | 'h3', Measured[]> = { h2: [], h3: [] };
      for (let round = 0; round < rounds; round++) {
        for (const protocol of shuffle(protocols, random)) {
          const spoken = protocol === 'h3' ? [...new Set([host, ...forced])] : [];
          const asked = { url, protocol, discovery: 'forced', view: 'cold', forced: spoken } as const;
          const watched = link.watch();
          const start = performance.now();
          const loaded = await engine.load({
            ...{ ...asked, isolation: 'context', browser: 'chrome', limits: { ...defaultLimits, ...limits } },
            ...(netlog === undefined ? {} : { netlog }),
          });
          const { evidence } = loaded;
          const tookMs = performance.now() - start;
          const seen = await watched();
          const { outcome, resources } = await deriveOutcome(
            { ...asked, expectStatus: 200, finalUrl: asked.url, usual: null },
            evidence,
            foreignCpuShare,
          );
          if (outcome.verdict === 'invalid') console.error(`${protocol}: ${outcome.reason}, ${outcome.detail}`);
          else measured[protocol].push({ ...outcome.metrics, link: seen, resources, settled: evidence.settled, tookMs, loaded });
        }
      }
      return measured;
    },
    [Symbol.asyncDispose]: async () => {
      await engine.close();
      await Promise.all(origins.map((one) => one.stop()));
      await link.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A valid visit of a cell. */
export interface CellVisit {
  round: number;
  protocol: 'h2' | 'h3';
  metrics: PageMetrics;
  receiveDrops: number | null;
}

/** Verdicts of h3 against h2 as a campaign of these cells gives them, with what they stand on, for each metric. */
export function compareVisits(cells: readonly (readonly CellVisit[])[]): Comparison[][] {
  const groups = cells.map((visits): ComparedCell => {
    const slots = bothProtocols.map((protocol) => {
      const counted = new CountedVisits();
      for (const visit of visits.filter((one) => one.protocol === protocol)) counted.add({ ...visit, roundNumber: visit.round });
      return { protocol, counted, invalid: new Map() };
    });
    return { slots, finished: new Set(visits.map(({ round }) => round)), linkDoubt: null };
  });
  return [
    ...compareCells(groups, {
      engine: 'puppeteer',
      primaryMetric: 'speedIndex',
      margin: 0.05,
      adjustment: 'hommel',
      seed: 1,
      looks: null,
      complete: true,
    }),
  ];
}

/** @throws Error when there is no such preset */
export function presetOf(name: string): Condition {
  const condition = conditionNamed(name);
  if (condition === undefined) throw new Error(`${name} is no preset: ./pronghorn conditions lists them.`);
  return condition;
}

export function ms(value: number): string {
  return Math.round(value).toLocaleString('en');
}

export function signed(value: number | null | undefined, digits: number): string {
  if (value == null) return '–';
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
}

export function pWords(p: number | undefined): string {
  if (p === undefined) return '–';
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}
