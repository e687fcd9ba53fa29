// The engine that sends REST calls: a visit is a run of a workload, by Pronghorn's own client behind the link.
import {
  chromeProblems,
  type Environment,
  type Site,
  type SiteDiscovery,
  type WholeWorkload,
  workloadProblems,
} from '@pronghorn/core/schemas';
import { alpnOf, type Protocol, protocols } from '@pronghorn/core/vocabulary';
import { hostWithPort } from '../derive/document.ts';
import { hostsOf } from '../firefox/inside.ts';
import type { VantagePoint } from '../link/agent-link.ts';
import { bracketed } from '../link/net/addresses.ts';
import { describeEnvironment } from '../machine/environment.ts';
import { findTransaction } from '../machine/find.ts';
import { toolPath } from '../machine/run.ts';
import { type ChromeChoices, runInChrome } from '../transaction/chrome/run-in-chrome.ts';
import { NotConfirmed, Ownership } from '../transaction/ownership.ts';
import { maxSeconds, type Plan, type ProgramReport, type RunOptions, type RunReport, runPlan } from '../transaction/program.ts';
import { errorsOf, outcomeOfRun } from '../transaction/run-outcome.ts';
import { askedOf, coresApart, planOf, workloadOfLease } from '../transaction/run-plan.ts';
import { type DemoOrigin, discoveryTries, failedDiscovery, labFor, type RunRequest, type TransactionEngine } from './engine.ts';

export function transactionEngine(lab: DemoOrigin | undefined, { enter, fence, link }: VantagePoint): TransactionEngine {
  const closing = new AbortController();
  const isBuiltIn = (url: string) => new URL(url).hostname === lab?.calls?.hostname;
  const settingsOf = (url: string) => (isBuiltIn(url) ? lab?.calls?.settings : labFor({ url }, lab)?.settings);
  // Another server is on another machine, or its own affair.
  const cores = lab?.calls === undefined ? null : coresApart();
  const ownership = new Ownership({ enter, fence, signal: closing.signal });
  /** Where a run goes: to the demo origin's own address, or to the one that has shown the token. */
  const permitted = async ({ url, workload, calls }: RunRequest) => {
    const place = placeOf(url, lab);
    const [problem] = calls === undefined ? [] : workloadProblems(askedOf(workload), calls.limits);
    if (problem !== undefined) throw new NotConfirmed(`The service no longer permits this run: ${problem.detail}`);
    if (place.at !== '') return place;
    return { ...place, ...(await ownership.mayLoad(url, calls)) };
  };
  const byProgram = async (plan: Plan, place: RunOptions) => {
    const report = await runPlan(plan, place);
    return { report, client: clientOf(report) };
  };
  const byChrome = async (plan: Plan, choices: Omit<ChromeChoices, 'lab'>) => {
    const [url = ''] = plan.urls;
    const { chrome, ...report } = await runInChrome(plan, { ...choices, lab: labFor({ url }, lab)?.trust });
    return { report, client: chrome };
  };
  const perform = async (request: RunRequest): Promise<{ report: RunReport; client: Client }> => {
    closing.signal.throwIfAborted();
    const { url, workload, browser, protocol, view, seed, calls } = request;
    if (browser === 'firefox') throw new Error('The engine transaction does not drive Firefox.');
    // Campaigns that ask for it are refused; a run that did something else would be worse than none.
    const [problem] = browser === 'none' ? [] : chromeProblems(askedOf(workload));
    if (problem !== undefined) throw new Error(problem.detail);
    const plan: Plan = {
      // A server of our own, behind a link of our own: a study of it may take hours.
      ...planOf(url, workload, protocol, view, seed, isBuiltIn(url) ? { seconds: maxSeconds } : calls?.limits),
      ...(await permitted(request)),
      // Another server has no such path.
      askUsage: isBuiltIn(url),
    };
    const apart = plan.askUsage && cores !== null ? [toolPath('taskset'), '-c', cores.client] : [];
    const place = { enter: [...enter, ...apart], fence, signal: closing.signal };
    const performed = browser === 'none' ? await byProgram(plan, place) : await byChrome(plan, { browser, ...place });
    if (performed.report.summary.succeeded === 0) ownership.forget(url);
    return performed;
  };

  return {
    run: async (request) => {
      const { report, client } = await perform(request);
      return { report, environment: describeEnvironment(client, link, settingsOf(request.url), 'process') };
    },

    discover: async (site, { spec, calls }, { id, replaces }, runner) => {
      const about = { campaignId: id, replaces, runner };
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
      const tried = new Map<Protocol, RunReport>();
      try {
        const { browser } = spec;
        await permitted({ url: site.url, workload, browser, protocol: 'h2', view: 'cold', seed: 0, calls });
        for (const protocol of protocols) {
          for (let attempt = 1; attempt <= discoveryTries; attempt++) {
            const { report } = await perform({ url: site.url, workload: once, browser, protocol, view: 'cold', seed: 0, calls });
            tried.set(protocol, report);
            if (report.summary.succeeded > 0 || report.summary.errors['wrong-protocol']) break;
          }
        }
      } catch (error) {
        if (!(error instanceof NotConfirmed)) throw error;
        return unmeasured(site, about, { reason: 'not-confirmed', detail: error.message });
      }
      return discoveryOf(site, about, tried);
    },

    close: async () => closing.abort(new Error('The engine was closed.')),
  };
}

/** Address and trusted key of a demo origin's host; both are empty for any other name. */
function placeOf(url: string, lab: DemoOrigin | undefined): Pick<Plan, 'at' | 'authority'> {
  const { hostname, port } = new URL(url);
  const { trust } = labFor({ url }, lab) ?? {};
  const address = hostsOf(trust).find(([name]) => name === hostname)?.[1];
  if (address == null) return { at: '', authority: '' };
  return { at: `${bracketed(address)}:${port || 443}`, authority: trust?.ca ?? trust?.selfSigned ?? '' };
}

type Discovering = Pick<SiteDiscovery, 'campaignId' | 'runner'> & { replaces: string | null };

const unmeasured = ({ id: siteId }: Site, about: Discovering, failure: SiteDiscovery['failure']): SiteDiscovery => ({
  ...failedDiscovery({ ...about, siteId }, failure),
  ...{ hints: [], broken: [] },
});

function discoveryOf(site: Site, about: Discovering, tried: ReadonlyMap<Protocol, RunReport>): SiteDiscovery {
  const worked = protocols.filter((protocol) => (tried.get(protocol)?.summary.succeeded ?? 0) > 0);
  const { url } = site;
  const host = hostWithPort(url);
  const [first] = worked;
  if (first === undefined) {
    const report = (tried.get('h2') ?? tried.get('h1')) as RunReport;
    const outcome = outcomeOfRun(report, 'h2');
    return unmeasured(site, about, outcome.verdict === 'invalid' ? { reason: outcome.reason, detail: outcome.detail } : null);
  }
  const h3 = tried.get('h3') as RunReport;
  const isProven = worked.includes('h3');
  const [why] = errorsOf(h3.summary);
  const report = tried.get(first) as RunReport;
  return {
    ...unmeasured(site, about, null),
    finalUrl: url,
    settled: true,
    bytes: report.summary.bytesReceived,
    hosts: [
      {
        host,
        requests: 1,
        transferBytes: report.summary.bytesReceived,
        protocol: alpnOf[worked.includes('h2') ? 'h2' : first],
        server: null,
        altSvc: null,
        remoteAddress: report.connections[0]?.remote ?? null,
        offersH3: isProven,
        h3: isProven ? 'proven' : 'failed',
        probeError: isProven || why === undefined ? null : (h3.summary.details[why[0]] ?? why[0]),
      },
    ],
    forced: isProven ? [host] : [],
    objectCoverage: isProven ? 1 : 0,
    byteCoverage: isProven ? 1 : 0,
  };
}

type Client = Environment['browser'];

/** The client in the place of a browser: with all that decides its numbers. */
function clientOf({ about: { go, modules, limits }, connections: [first] }: ProgramReport): Client {
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
