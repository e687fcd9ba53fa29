// A page loaded once more over each protocol, with what Chrome's network stack logs of it. Recording slows a load, so these visits are extra ones: they
// are of no campaign, and no number of theirs counts.
import { randomUUID } from 'node:crypto';
import type { CampaignSpec, Condition, NetlogFindings, Outcome, Site } from '@pronghorn/core/schemas';
import type { Discovery, Protocol, View } from '@pronghorn/core/vocabulary';
import { deriveNetlog } from '../derive/netlog/findings.ts';
import { netlogFileOf } from '../derive/netlog/netlog-file.ts';
import { deriveOutcome } from '../derive/outcome.ts';
import { discoverSite } from '../discovery/discover.ts';
import { unavailable } from '../discovery/unavailable.ts';
import type { Engine } from '../engines/engine.ts';
import type { AgentLink } from '../link/agent-link.ts';
import { allowedForeignShare } from '../machine/cpu-gauge.ts';
import { requestOf, watchFor } from './visit.ts';

export interface NetlogRequest extends Pick<CampaignSpec, 'isolation' | 'browser' | 'limits'> {
  url: string;
  condition: Condition;
  protocols: readonly Protocol[];
  discovery: Discovery;
  view: View;
}

export interface NetlogVisit {
  protocol: Protocol;
  outcome: Outcome;
  /** Null: Chrome gave no log, or lost some of it. */
  findings: NetlogFindings | null;
  /** The whole log, as Chrome would write it into a file. */
  file: string | null;
}

/**
 * Discovers the page on the path as it is, then loads it once over each protocol under the condition.
 *
 * @param onVisit is given each visit before the next one starts; of a protocol that the page does not speak nothing is loaded
 * @throws Error when the page can't be loaded, the link does not do what the condition says, or the engine fails
 */
export async function netlogVisits(
  { engine, link }: { engine: Engine; link: AgentLink },
  request: NetlogRequest,
  onVisit: (visit: NetlogVisit) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { url, condition, protocols } = request;
  await link.beginCampaign?.([url]);
  await link.clear();
  const site: Site = { id: randomUUID(), url, name: url, expectStatus: 200 };
  const spec = { ...request, engine: 'puppeteer' as const, protocols: [...protocols] };
  const discovery = await discoverSite(engine, site, { id: randomUUID(), spec, verdicts: {}, replaces: null }, 'netlog');
  if (discovery.failure !== null) throw new Error(`${url} can't be loaded: ${discovery.failure.detail}`);
  await link.prepare(condition, async () => {});
  await link.beginRound?.([url, ...discovery.redirects, ...discovery.hosts.map(({ host }) => `https://${host}/`)]);
  for (const protocol of protocols) {
    if (signal.aborted) return;
    const known = unavailable(protocol, discovery, request.discovery);
    if (known !== null) await onVisit({ protocol, outcome: { verdict: 'invalid', ...known } as Outcome, findings: null, file: null });
    else
      await onVisit(
        await visit(engine, request, site, {
          ...{ protocol, condition, view: request.view, discovery },
          forced: discovery.forced,
          watch: watchFor(discovery),
        }),
      );
  }
}

async function visit(engine: Engine, wanted: NetlogRequest, site: Site, plan: Parameters<typeof requestOf>[2]): Promise<NetlogVisit> {
  const { request, load } = requestOf(wanted, site, plan);
  const loaded = await engine.load({ ...load, netlog: 'raw' });
  const { evidence } = loaded;
  const { outcome, resources } = await deriveOutcome(request, evidence, allowedForeignShare(wanted.limits.foreignCpuShare));
  return {
    protocol: plan.protocol,
    outcome,
    findings: evidence.netlog == null ? null : deriveNetlog(evidence.netlog, resources, request),
    file: netlogFileOf(loaded),
  };
}
