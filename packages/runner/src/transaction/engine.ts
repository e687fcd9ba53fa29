// The engine that sends REST calls: a visit is a run of a workload, by Pronghorn's own client behind the link.
import { randomUUID } from 'node:crypto';
import {
  alpnOf,
  type CampaignSpec,
  type Environment,
  type Protocol,
  protocols,
  type Site,
  type SiteDiscovery,
  type View,
  type WholeWorkload,
} from '@pronghorn/core';
import { hostWithPort } from '../derive/host-with-port.ts';
import { type DiscoveryAsked, discoveryTries } from '../discovery/discover.ts';
import { type Lab, type Standpoint, usesLab } from '../engines/engine.ts';
import { toolPath } from '../link/run.ts';
import { describeEnvironment } from '../machine/environment.ts';
import { coresApart } from './cores.ts';
import { findTransaction } from './find.ts';
import { errorsOf, outcomeOfRun } from './outcome.ts';
import { placeOf, planOf, workloadOfLease } from './plan.ts';
import { type About, type Connection, type Plan, runPlan, type Told } from './program.ts';

export interface RunAsked {
  url: string;
  workload: WholeWorkload;
  protocol: Protocol;
  view: View;
  /** Decides the moments of random arrivals. */
  seed: number;
}

export interface RunPerformed {
  told: Told;
  environment: Environment;
}

export interface TransactionEngine {
  /** @throws Error when the measurement itself fails */
  run(asked: RunAsked): Promise<RunPerformed>;
  /** Asks once over each protocol. */
  discover(site: Site, spec: CampaignSpec, campaign: Pick<DiscoveryAsked, 'id' | 'replaces'>, runner: string): Promise<SiteDiscovery>;
  close(): Promise<void>;
}

export function transactionEngine(lab: Lab | undefined, { enter, link }: Standpoint): TransactionEngine {
  const closing = new AbortController();
  const isBuiltIn = (url: string) => new URL(url).hostname === lab?.calls?.hostname;
  const settingsOf = (url: string) => (isBuiltIn(url) ? lab?.calls?.settings : usesLab({ url }, lab) ? lab?.settings : undefined);
  // Another server is on another machine, or its own affair.
  const cores = lab?.calls === undefined ? null : coresApart();
  const perform = async (plan: Plan): Promise<Told> => {
    closing.signal.throwIfAborted();
    const apart = plan.askUsage && cores !== null ? [toolPath('taskset'), '-c', cores.client] : [];
    return await runPlan(plan, { enter: [...enter, ...apart], signal: closing.signal });
  };
  const planFor = ({ url, workload, protocol, view, seed }: RunAsked): Plan => ({
    ...planOf(url, workload, protocol, view, seed),
    ...placeOf(url, lab),
    // Another server has no such path.
    askUsage: isBuiltIn(url),
  });

  return {
    run: async (asked) => {
      const told = await perform(planFor(asked));
      return { told, environment: describeEnvironment(clientOf(told.about, told.connections), link, settingsOf(asked.url), 'process') };
    },

    discover: async (site, spec, { id, replaces }, runner) => {
      const workload = workloadOfLease({ spec, site });
      // One request is enough to see who answers.
      const once: WholeWorkload = {
        ...workload,
        mode: 'count',
        users: 1,
        requests: 1,
        connections: 'user',
        requestTimeoutMs: Math.min(workload.requestTimeoutMs, 10_000),
      };
      const tried = new Map<Protocol, Told>();
      for (const protocol of protocols) {
        for (let attempt = 1; attempt <= discoveryTries; attempt++) {
          const told = await perform(planFor({ url: site.url, workload: once, protocol, view: 'cold', seed: 0 }));
          tried.set(protocol, told);
          if (told.summary.succeeded > 0 || told.summary.errors['wrong-protocol']) break;
        }
      }
      return discoveryOf(site, { campaignId: id, replaces, runner }, tried);
    },

    close: async () => closing.abort(new Error('The engine was closed.')),
  };
}

function discoveryOf(
  { id: siteId, url }: Site,
  about: Pick<SiteDiscovery, 'campaignId' | 'runner'> & { replaces: string | null },
  tried: ReadonlyMap<Protocol, Told>,
): SiteDiscovery {
  const worked = protocols.filter((protocol) => (tried.get(protocol)?.summary.succeeded ?? 0) > 0);
  const host = hostWithPort(url);
  const common = { id: randomUUID(), siteId, ...about, discoveredAt: new Date().toISOString(), redirects: [], hints: [], broken: [] };
  const [first] = worked;
  if (first === undefined) {
    const told = (tried.get('h2') ?? tried.get('h1')) as Told;
    const outcome = outcomeOfRun(told, 'h2');
    const failure = outcome.verdict === 'invalid' ? { reason: outcome.reason, detail: outcome.detail } : null;
    return { ...common, finalUrl: null, hosts: [], forced: [], objectCoverage: 0, byteCoverage: 0, failure };
  }
  const h3 = tried.get('h3') as Told;
  const isProven = worked.includes('h3');
  const [why] = errorsOf(h3.summary);
  const found = tried.get(first) as Told;
  return {
    ...common,
    finalUrl: url,
    settled: true,
    bytes: found.summary.bytesReceived,
    hosts: [
      {
        host,
        requests: 1,
        transferBytes: found.summary.bytesReceived,
        protocol: alpnOf[worked.includes('h2') ? 'h2' : first],
        server: null,
        altSvc: null,
        remoteAddress: found.connections[0]?.remote ?? null,
        offersH3: isProven,
        h3: isProven ? 'proven' : 'failed',
        probeError: isProven || why === undefined ? null : (h3.summary.details[why[0]] ?? why[0]),
      },
    ],
    forced: isProven ? [host] : [],
    objectCoverage: isProven ? 1 : 0,
    byteCoverage: isProven ? 1 : 0,
    failure: null,
  };
}

/** The client in the place of a browser: with all that decides its numbers. */
function clientOf({ go, modules, limits }: About, connections: readonly Connection[]): Parameters<typeof describeEnvironment>[0] {
  const [first] = connections;
  return {
    product: `Pronghorn-Transaction/${go.replace(/^go/, 'Go ')}, quic-go ${modules['github.com/quic-go/quic-go'] ?? 'unknown'}`,
    executable: findTransaction(),
    flags: [],
    sandbox: false,
    preferences: {
      ...limits,
      ...(first === undefined ? {} : { cipher: first.cipher, gso: first.gso, receiveBuffer: first.receiveBuffer }),
    },
  };
}
