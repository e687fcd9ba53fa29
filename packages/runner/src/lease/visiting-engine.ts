// An engine for a visitor's loads: resolves references and takes steps once for a round, and lets no secret out with the results.
import type { Lease, Site } from '@pronghorn/core/schemas';
import { atLeastMsOf } from '@pronghorn/core/verdict';
import { http3Barrier, visitorOf } from '@pronghorn/core/visitor';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { discoverSite } from '../discovery/discover.ts';
import { type Engine, failedDiscovery, type Load } from '../engines/engine.ts';
import { slowdownOf } from '../machine/environment.ts';
import { type LoadVisitor, VisitorError } from '../visitor/load-visitor.ts';
import { type Redact, redactor } from '../visitor/redact.ts';
import { resolveVisitor, type SecretSource } from '../visitor/resolve.ts';

interface Ready {
  visitor: LoadVisitor;
  redact: Redact;
}

/**
 * @param sites all of the lease's campaign
 * @returns null where the campaign has no visitor of its own. `begin` makes ready what the lease's visits begin with, while nothing is measured; it never
 *   throws, since each load throws what failed.
 */
export function visitingEngine(
  engine: Engine,
  lease: Lease,
  sites: readonly Site[],
  secretOf: SecretSource,
): (Engine & { begin(): Promise<void> }) | null {
  const { spec } = lease;
  if (spec.visitor === undefined && sites.every(({ visitor }) => visitor === undefined)) return null;
  const bySite = new Map<string, Promise<Ready>>();
  const readyFor = (site: Site): Promise<Ready> => {
    const known = bySite.get(site.id) ?? makeReady(engine, lease, site, secretOf);
    known.catch(() => {}); // each load throws it
    bySite.set(site.id, known);
    return known;
  };
  const loadAs = async (site: Site, load: Load) => {
    const { visitor, redact } = await readyFor(site);
    try {
      const { evidence, environment } = await engine.load({ ...load, visitor });
      return { evidence: redact(evidence), environment };
    } catch (error) {
      throw redacted(error, redact);
    }
  };
  return {
    begin: async () => {
      await readyFor(lease.site).catch(() => {});
    },
    load: (load) => loadAs(lease.site, load),
    discover: async (site, campaign, runner) => {
      // A probe can't succeed then.
      const isBarred = http3Barrier(visitorOf(spec, site)) !== undefined;
      const protocols = isBarred ? spec.protocols.filter((protocol) => protocol !== 'h3') : spec.protocols;
      const request = { ...campaign, spec: { ...campaign.spec, protocols } };
      const mine: Engine = {
        load: (load) => loadAs(site, load),
        ...(engine.httpsRecords && { httpsRecords: engine.httpsRecords }),
        close: engine.close,
      };
      try {
        const { visitor, redact } = await readyFor(site);
        if (engine.discover === undefined) return await discoverSite(mine, site, request, runner);
        const discovery = engine.discover(site, request, runner, visitor);
        return redact(await discovery.catch((error) => Promise.reject(redacted(error, redact))));
      } catch (error) {
        // Some of what a visitor is shows in the first Chrome that is to be its own.
        if (!(error instanceof VisitorError)) throw error;
        const { reason, message } = error;
        return failedDiscovery(
          { campaignId: campaign.id, siteId: site.id, runner, replaces: campaign.replaces },
          { reason, detail: message },
        );
      }
    },
    close: engine.close,
  };
}

/** Why this visitor can't measure a protocol; null: it can. */
export function unavailableTo(
  protocol: Protocol,
  { spec, site }: Pick<Lease, 'spec' | 'site'>,
): { reason: 'protocol-unavailable'; detail: string } | null {
  const barrier = protocol === 'h3' ? http3Barrier(visitorOf(spec, site)) : undefined;
  return barrier === undefined ? null : { reason: 'protocol-unavailable', detail: barrier };
}

async function makeReady(engine: Engine, { spec }: Lease, site: Site, secretOf: SecretSource): Promise<Ready> {
  const wanted = visitorOf(spec, site);
  const { visitor, secrets } = await resolveVisitor(wanted, site.url, secretOf, slowdownOf(wanted));
  if (wanted.steps === undefined || wanted.steps.length === 0) return { visitor, redact: redactor(secrets) };
  if (engine.takeSteps === undefined)
    throw new VisitorError('step-failed', `Steps do not run with isolation ${spec.isolation}; expected context or process.`);
  const { discovery, isolation, browser } = spec;
  const limits = { ...spec.limits, loadTimeoutMs: atLeastMsOf(spec) };
  const load: Load = { url: site.url, protocol: 'h2', discovery, forced: [], view: 'cold', isolation, browser, limits, visitor };
  try {
    const state = await engine.takeSteps(load);
    // A session's cookie logs its holder in: it is as secret as the password it was got with.
    const given = state.cookies.map(({ value }) => value).filter((value) => value.length >= 16 && !isOfAddress(value, site.url));
    return { visitor: { ...visitor, state }, redact: redactor([...secrets, ...given]) };
  } catch (error) {
    throw redacted(error, redactor(secrets));
  }
}

function redacted(error: unknown, redact: Redact): Error {
  const message = redact(error instanceof Error ? error.message : String(error));
  return error instanceof VisitorError ? new VisitorError(error.reason, message) : new Error(message);
}

/** Such as a cookie that remembers the last page or its host: without that, no URL would be one. */
const isOfAddress = (value: string, pageUrl: string): boolean =>
  pageUrl.includes(decodedOr(value)) || (value.includes('.') && URL.parse(`https://${value}`)?.hostname === value);

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
