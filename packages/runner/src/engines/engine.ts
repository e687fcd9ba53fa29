// The interface of every engine: it loads a page as requested and returns the evidence.
import { randomUUID } from 'node:crypto';
import type { ServiceBinding } from '@pronghorn/core/adoption';
import type {
  CallsPermission,
  CampaignSpec,
  DiscoveredHost,
  EngineOptions,
  Environment,
  Lease,
  Limits,
  Site,
  SiteDiscovery,
  WholeWorkload,
} from '@pronghorn/core/schemas';
import type { Browser, Discovery, Engine as EngineName, Isolation, Protocol, View } from '@pronghorn/core/vocabulary';
import type { EffectiveConnection, OriginTrust } from '../chrome/flags.ts';
import type { Evidence } from '../gather/evidence.ts';
import type { TraceEvent } from '../gather/netlog.ts';
import type { WatchLimits } from '../gather/settling.ts';
import { inTime } from '../machine/in-time.ts';
import type { RunReport } from '../transaction/program.ts';
import type { LoadVisitor, VisitorState } from '../visitor/load-visitor.ts';

/** The demo origin as a runner knows it; what it isn't asked to trust, Chrome checks as always. */
export interface DemoOrigin {
  trust: OriginTrust;
  /** True for the origin's host names. */
  serves(hostname: string): boolean;
  /** Server and settings, stored with what it served. */
  settings: Record<string, unknown>;
  /** Its host of REST calls, with the server behind it; undefined: it has none. */
  calls?: { hostname: string; settings: Record<string, unknown> } | undefined;
}

export interface Load {
  url: string;
  protocol: Protocol;
  discovery: Discovery;
  /** host:port that must speak HTTP/3 from the first request, when discovery is `forced` and the protocol `h3`. */
  forced: readonly string[];
  view: View;
  isolation: Isolation;
  engine?: EngineName;
  browser: Browser;
  engineOptions?: EngineOptions;
  /** Network type that the page sees; default 4g. */
  effectiveConnection?: EffectiveConnection;
  limits: Limits & WatchLimits;
  /** Undefined: a visitor without settings. */
  visitor?: LoadVisitor;
  /**
   * Keeps what Chrome's network stack logged: what findings are derived from, in the evidence; `raw`: all of it beside that; `traced`: and a trace.
   * Recording slows the load, so that such a visit is none that counts.
   */
  netlog?: 'slim' | 'raw' | 'traced';
}

/** The demo origin, if it serves the page; no other page gets its trust. */
export const labFor = ({ url }: Pick<Load, 'url'>, lab: DemoOrigin | undefined): DemoOrigin | undefined =>
  lab?.serves(new URL(url).hostname) ? lab : undefined;

export interface Loaded {
  evidence: Evidence;
  environment: Environment;
  /** Present if `raw` or `traced` was requested and nothing was lost. It has URLs whole and headers but for cookies and logins: not for storing. */
  rawNetlog?: readonly TraceEvent[];
  /** Present if `traced` was requested: what the threads of Chrome did, in its trace event format. It has URLs whole. */
  trace?: string;
  /** Firefox's log of its QUIC connections, where a netlog was requested: qlog as JSON text sequences. */
  qlog?: string;
  /** The film of the load as MP4, of engines that make one. */
  video?: Buffer;
}

/** Allows for a lost handshake or a busy second, which are no property of a site. */
export const discoveryTries = 3;

/** Verdicts on hosts before they are probed: one for each host, whichever site of a campaign uses it. */
export type HostVerdicts = Record<string, Pick<DiscoveredHost, 'h3' | 'probeError'>>;

export interface DiscoveryRequest {
  id: string;
  spec: Pick<CampaignSpec, 'protocols' | 'isolation' | 'engine' | 'browser' | 'limits'>;
  /** By host:port; those are not probed again. */
  verdicts: HostVerdicts;
  /** Id of the discovery that this one renews; null: it is the site's first. */
  replaces: string | null;
  /** Told of a page that hangs, while it is tried again. */
  warned?(message: string): void;
}

/** The discovery of a site on which nothing can be measured. */
export const failedDiscovery = (
  about: Pick<SiteDiscovery, 'campaignId' | 'siteId' | 'runner' | 'replaces'>,
  failure: SiteDiscovery['failure'],
): SiteDiscovery => ({
  ...{ id: randomUUID(), ...about, discoveredAt: new Date().toISOString(), finalUrl: null, redirects: [], hosts: [], forced: [] },
  ...{ objectCoverage: 0, byteCoverage: 0, failure },
});

export interface Engine {
  /**
   * Loads a page once. Ends within the load's limits and a few seconds more, whatever the page does.
   *
   * @throws Error when the measurement itself fails: no Chrome, or a Chrome that no longer answers
   */
  load(load: Load): Promise<Loaded>;
  /** Replaces `discoverSite`, which loads repeatedly, for an engine that would be slow at that. */
  discover?(site: Site, campaign: DiscoveryRequest, runner: string, visitor?: LoadVisitor): Promise<SiteDiscovery>;
  transactions?: TransactionEngine;
  /** HTTPS records of names, as its browsers would get them; missing: no nameserver answered. */
  httpsRecords?(names: readonly string[]): Promise<ReadonlyMap<string, readonly ServiceBinding[]>>;
  /** Takes the visitor's steps in a Chrome of their own. @throws VisitorError that names the step */
  takeSteps?(load: Load): Promise<VisitorState>;
  /** Waits until it starts, ends and moves nothing: another engine's load meanwhile is alone. */
  atRest?(): Promise<unknown>;
  /** Ends all that the engine started, a running load too, and starts nothing any more. */
  close(): Promise<void>;
}

export interface RunRequest {
  url: string;
  workload: WholeWorkload;
  /** none: Pronghorn's own client; a Chrome: fetch() in it. */
  browser: Browser;
  protocol: Protocol;
  view: View;
  /** Decides the moments of random arrivals. */
  seed: number;
  /** Calls that the service permits; undefined: none. */
  calls: CallsPermission | undefined;
}

export interface TransactionEngine {
  /** @throws NotConfirmed where no run may be made; Error when the measurement itself fails */
  run(request: RunRequest): Promise<{ report: RunReport; environment: Environment }>;
  /** Asks once over each protocol, where runs may be made. */
  discover(
    site: Site,
    lease: Pick<Lease, 'spec' | 'calls'>,
    campaign: Pick<DiscoveryRequest, 'id' | 'replaces'>,
    runner: string,
  ): Promise<SiteDiscovery>;
  close(): Promise<void>;
}

export class Unanswered extends Error {}

/** Ends a browser that no longer answers. @throws Unanswered */
export const within = <T>(ms: number, browser: { product: string; close(): Promise<void> }, work: Promise<T>): Promise<T> =>
  inTime(ms, work, () => {
    void browser.close();
    return new Unanswered(`${browser.product.split('/')[0]} did not answer for ${ms} ms and was ended.`);
  });
