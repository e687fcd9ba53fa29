// One run of REST calls by fetch() in Chrome: the same plan as the Go program's, and the same report.
import { median } from '@pronghorn/core/math';
import { alpnOf, type Protocol } from '@pronghorn/core/vocabulary';
import type { CDPSession } from 'puppeteer-core';
import type { OriginTrust } from '../../chrome/flags.ts';
import { type Chrome, launchChrome } from '../../chrome/launch.ts';
import { hostWithPort } from '../../derive/document.ts';
import { openContext, openPage, showOwnPage } from '../../gather/page-session.ts';
import type { ChromeBuild } from '../../machine/find.ts';
import { anonymousMemory, processTree, ticksPerSecond } from '../../machine/processes.ts';
import type { LaunchContext } from '../../machine/unprivileged.ts';
import { type Connection, limitMsOf, type Plan, type RunReport } from '../program.ts';
import { type PagePlan, type PageRequest, startWorker, type Worker } from './page.ts';
import { Connections, netErrorIn, requestErrorOf, SecondsOfRun, startTally, type Tally } from './requests.ts';

export interface ChromeChoices extends LaunchContext {
  browser: ChromeBuild;
  lab: OriginTrust | undefined;
  signal: AbortSignal;
}

interface ChromeReport extends RunReport {
  chrome: Pick<Chrome, 'product' | 'executable' | 'flags' | 'sandbox' | 'preferences'>;
}

/** Tabs that are opened at the same time. */
const side = 4;
/** Time that evaluations and clocks of many pages need before the first request is due. */
const leadMs = 50;
/** Time that a page may take to answer us, beside what it waits for itself. */
const graceMs = 20_000;
const usagePath = '/usage';

/**
 * Performs a plan in its own Chrome. The summary has the outcomes of its requests.
 *
 * @throws Error when Chrome can't be started, or can't run the plan
 */
export async function runInChrome(plan: Plan, { browser, lab, enter, fence, signal }: ChromeChoices): Promise<ChromeReport> {
  const protocol = plan.protocol as Protocol;
  const [url = ''] = plan.urls;
  const host = hostWithPort(url);
  const only = { host, at: plan.at };
  const chrome = await launchChrome({ protocol, discovery: 'forced', forced: [host], browser, lab, only }, { enter, fence });
  const end = () => void chrome.close();
  signal.addEventListener('abort', end);
  const tally = startTally(plan);
  try {
    signal.throwIfAborted();
    const { clock, ...report } = await perform(chrome, plan, protocol, tally);
    const { product, executable, flags, sandbox, preferences } = chrome;
    return { ...report, chrome: { product, executable, flags, sandbox, preferences: { ...preferences, ...clock } } };
  } finally {
    signal.removeEventListener('abort', end);
    tally.abandon();
    await chrome.close();
  }
}

type Peer = Pick<Connection, 'cipher' | 'remote'>;

async function perform(
  chrome: Chrome,
  plan: Plan,
  protocol: Protocol,
  tally: Tally,
): Promise<RunReport & { clock: Record<string, unknown> }> {
  const limitMs = limitMsOf(plan);
  const shares = sharesOf(plan, protocol);
  // The first requests of a process are slower than all later ones: another context's are thrown away. It also shows which server Chrome reaches.
  const rehearsal = await openTab(chrome, { ...(shares[0] as PagePlan), warming: 1 });
  const rehearsed = await warm(rehearsal, plan);
  const tabs = await openTabs(chrome, shares);
  const counts = tabs.map(() => new Connections(protocol));
  const connections: Connection[] = [];
  if (plan.state === 'warm')
    for (const [n, { requests, peer }] of (await Promise.all(tabs.map((tab) => warm(tab, plan)))).entries())
      for (const request of requests)
        if (counts[n]?.add(request)) connections.push({ handshakeMs: request.connectEnd - request.connectStart, ...(peer ?? unknownPeer) });
  const connectionsBefore = connections.length;
  for (const count of counts) count.begin();

  const seconds = new SecondsOfRun();
  const listening = tabs.map((tab, n) => listen(tab, counts[n] as Connections, tally, seconds));
  await Promise.all(listening);
  const [serverBefore, clock] = await Promise.all([
    askUsage(rehearsal, plan, true),
    rehearsal.call<ReturnType<Worker['clock']>>('pronghorn.clock()', graceMs),
  ]);
  const costs = startCosts(chrome.pid);
  const beginAt = Date.now() + leadMs + tabs.length;
  await Promise.all(tabs.map((tab) => tab.call(`pronghorn.work(${beginAt})`, limitMs)));
  const client = costs();
  const serverAfter = await askUsage(rehearsal, plan, false);
  const { summary, requests } = await tally.end();

  for (const { opened } of counts)
    for (const { start, end } of opened) connections.push({ handshakeMs: end - start, ...(rehearsed.peer ?? unknownPeer) });
  const server = serverBefore && serverAfter && { ...serverAfter, cpuSeconds: serverAfter.cpuSeconds - serverBefore.cpuSeconds };
  return {
    clock: { crossOriginIsolated: clock.isolated, clockStepMs: clock.stepMs },
    seconds: seconds.whole(),
    connections,
    requests,
    summary: {
      ...summary,
      connectionsBefore,
      connections: connections.length - connectionsBefore,
      sentAgain: null,
      handshake: connections.length === 0 ? null : median(connections.map(({ handshakeMs }) => handshakeMs)),
      client,
      server,
    },
  };
}

const unknownPeer: Peer = { cipher: 'unknown', remote: 'unknown' };

const maxOfHTTP1 = 6;

/** Work of each page. There is a page for each connection, or one whose connections Chrome opens as it likes. */
export function sharesOf(plan: Plan, protocol: Protocol): PagePlan[] {
  const count = { user: plan.users, shared: plan.shared, pool: 1 }[plan.connections];
  const users = Array.from({ length: plan.users }, (_, user) => user);
  const { urls, method, body, mode, requests, seconds, requestsPerSecond, poisson, seed, timeoutMs } = plan;
  return Array.from({ length: count }, (_, n) => ({
    ...{ urls, method, body, mode, requests, seconds, requestsPerSecond, poisson, seed, timeoutMs },
    firstUrl: n,
    alpn: alpnOf[protocol],
    users: users.filter((user) => user % count === n),
    warming: protocol === 'h1' && plan.connections === 'pool' ? Math.min(plan.users, maxOfHTTP1) : 1,
    oneAtATime: protocol === 'h1' && plan.connections === 'shared',
  }));
}

async function openTabs(chrome: Chrome, shares: readonly PagePlan[]): Promise<Tab[]> {
  const tabs: Tab[] = [];
  for (let n = 0; n < shares.length; n += side)
    tabs.push(...(await Promise.all(shares.slice(n, n + side).map((share) => openTab(chrome, share)))));
  return tabs;
}

/** Sends requests that do not count; meanwhile DevTools reports the server's address, which would slow those that count. */
async function warm(tab: Tab, { timeoutMs }: Plan): Promise<{ requests: PageRequest[]; peer: Peer | undefined }> {
  let peer: Peer | undefined;
  await tab.session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
  const onResponse = ({
    response,
  }: {
    response: { remoteIPAddress?: string; remotePort?: number; securityDetails?: { cipher: string } };
  }) => {
    const { remoteIPAddress: address = 'unknown', remotePort, securityDetails } = response;
    const ip = address.includes(':') && !address.startsWith('[') ? `[${address}]` : address;
    peer = { cipher: securityDetails?.cipher ?? 'unknown', remote: `${ip}:${remotePort}` };
  };
  tab.session.on('Network.responseReceived', onResponse);
  const requests = await tab.call<PageRequest[]>('pronghorn.warm()', timeoutMs + graceMs);
  tab.session.off('Network.responseReceived', onResponse);
  await tab.session.send('Network.disable');
  return { requests, peer };
}

/** Passes on a page's requests, with DevTools' reasons for those that failed. */
async function listen({ session }: Tab, connections: Connections, tally: Tally, seconds: SecondsOfRun): Promise<void> {
  const failures = new Map<number, string>();
  session.on('Log.entryAdded', ({ entry: { text, url = '' } }) => {
    const error = netErrorIn(text);
    if (error !== undefined) failures.set(Number(url.slice(url.lastIndexOf('#') + 1)), error);
  });
  session.on('Runtime.bindingCalled', ({ payload }) => {
    const requests = JSON.parse(payload) as PageRequest[];
    tally.add(
      requests.map(({ number, connectStart, connectEnd, ...request }) => {
        const opened = connections.add({ connectStart, connectEnd });
        seconds.add(request);
        const failure = failures.get(number);
        failures.delete(number);
        const named = request.error === 'other' && failure !== undefined ? { error: requestErrorOf(failure), detail: failure } : {};
        return { ...request, connection: 0, opened, ...named };
      }),
    );
  });
  await Promise.all([session.send('Log.enable'), session.send('Runtime.addBinding', { name: 'tellRequests' })]);
}

async function askUsage(tab: Tab, { askUsage }: Plan, reset: boolean): Promise<RunReport['summary']['server']> {
  if (!askUsage) return null;
  return await tab.call<RunReport['summary']['server']>(
    `pronghorn.ask('${usagePath}${reset ? '?reset=1' : ''}').catch(() => null)`,
    graceMs,
  );
}

const samplingMs = 250;

/**
 * Starts to count. CPU time is of all its processes, in steps of 10 ms for each; memory is the most that they had together at one of the moments
 * that were looked at, without the pages of files that they share.
 *
 * @param pid of Chrome, or of what brought it behind the link
 * @returns a function that ends it and returns the costs
 */
function startCosts(pid: number): () => RunReport['summary']['client'] {
  let peakMemory = 0;
  const read = (): number => {
    const processes = processTree(pid);
    peakMemory = Math.max(
      peakMemory,
      processes.reduce((sum, one) => sum + anonymousMemory(one.pid), 0),
    );
    return processes.reduce((sum, { ownTicks, endedTicks }) => sum + ownTicks + endedTicks, 0) / ticksPerSecond;
  };
  const before = read();
  const timer = setInterval(read, samplingMs);
  return () => {
    clearInterval(timer);
    return { cpuSeconds: read() - before, peakMemory };
  };
}

// A blank page of the server's own origin, for which the server is not asked: requests of it are of the same origin, with all their times.
interface Tab {
  session: CDPSession;
  /** Calls a function of `globalThis.pronghorn`. @throws Error with the page's message */
  call<T>(expression: string, timeoutMs: number): Promise<T>;
  close(): Promise<void>;
}

const html = '<!doctype html><html lang="en"><title>Pronghorn</title><link rel="icon" href="data:,">';

/** The last two isolate the page: its clock then has steps of 5 µs in place of 100. */
const headers = {
  'Content-Type': 'text/html',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const openMs = 30_000;

/** Opens one in its own browser context, which has its own connections. */
async function openTab(chrome: Chrome, plan: PagePlan): Promise<Tab> {
  const context = await openContext(chrome);
  const { session } = await openPage(chrome, context.id, async () => {});
  const failure = await showOwnPage(session, new URL('/', plan.urls[0]).href, { headers, html, timeoutMs: openMs });
  if (failure !== undefined) throw new Error(`Chrome opened no page for REST calls: ${failure}.`);
  // From here on the page reaches the network directly.
  await session.send('Fetch.disable');
  const call = async <T>(expression: string, timeoutMs: number): Promise<T> => {
    const { result, exceptionDetails } = await session.send(
      'Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true },
      { timeout: timeoutMs },
    );
    if (exceptionDetails !== undefined)
      throw new Error(`The page of REST calls failed: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value as T;
  };
  await call(`(${startWorker})(${JSON.stringify(plan)})`, openMs);
  return { session, call, close: () => context.dispose() };
}
