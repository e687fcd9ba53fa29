// The engine and link of a lease's visits, and the listeners to them.

import { ApiDenied, ApiRefusal } from '@pronghorn/core/client';
import type { Lease, LinkCheck, Site, SiteDiscovery, VisitUpload } from '@pronghorn/core/schemas';
import type { Engine } from '../engines/engine.ts';
import type { AgentLink } from '../link/agent-link.ts';

export interface LeaseTools {
  engine: Engine;
  link: AgentLink;
}

export interface AgentEvents {
  checked?(check: LinkCheck, lease: Lease): void;
  discovered?(discovery: SiteDiscovery, site: Site): void;
  visited?(visit: VisitUpload, lease: Lease): void;
  /** A problem that the runner survives, and the operator should know. */
  warned?(message: string): void;
}

/** True if an error says that the lease is gone: lost, ended, or unknown to the api. */
export const isLost = (error: unknown): boolean =>
  error instanceof ApiRefusal && !error.foreign && (error.status === 404 || /:lease-(lost|ended)$/.test(error.type));

/** True if the api rejects what was sent, rather than the runner or its lease. */
export const isRejected = (error: unknown): error is ApiRefusal =>
  error instanceof ApiRefusal && !(error instanceof ApiDenied) && !isLost(error);
