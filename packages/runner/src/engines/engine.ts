// What every engine is: it loads a page as asked and returns the evidence.
import type {
  Browser,
  CampaignSpec,
  Discovery,
  Environment,
  Isolation,
  Limits,
  Protocol,
  Site,
  SiteDiscovery,
  View,
} from '@pronghorn/core';
import type { LabTrust } from '../chrome/flags.ts';
import type { Evidence } from '../gather/evidence.ts';

/** The demo origin as a runner knows it; what it isn't asked to trust, Chrome checks as always. */
export interface Lab {
  trust: LabTrust;
  /** Whether a host name is one of the origin's. */
  serves(hostname: string): boolean;
  /** Server and settings, stored with what it served. */
  settings: Record<string, unknown>;
}

/** Where an engine's browsers run. */
export interface Standpoint {
  /** Put before a browser's program: brings it behind the link, and before other work on the machine. */
  enter: readonly string[];
  link: Environment['link'];
}

export interface Load {
  url: string;
  protocol: Protocol;
  discovery: Discovery;
  /** host:port that must speak HTTP/3 from the first request, when discovery is `forced` and the protocol `h3`. */
  forced: readonly string[];
  view: View;
  isolation: Isolation;
  browser: Browser;
  limits: Limits;
}

export interface Loaded {
  evidence: Evidence;
  environment: Environment;
}

export interface Engine {
  /**
   * Loads a page once. Ends within the load's limits and a few seconds more, whatever the page does.
   *
   * @throws Error when the measurement itself fails: no Chrome, or a Chrome that no longer answers
   */
  load(load: Load): Promise<Loaded>;
  /** In place of `discoverSite`, which loads again and again: of an engine that would be slow at that. */
  discover?(site: Site, campaign: { id: string; spec: CampaignSpec }, runner: string): Promise<SiteDiscovery>;
  /** Ends all that the engine started, a running load too, and starts nothing any more. */
  close(): Promise<void>;
}
