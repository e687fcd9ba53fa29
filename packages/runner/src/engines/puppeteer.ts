// The default engine: one Chrome for each set of flags, a fresh browser context for each cold visit.
import type { Environment } from '@pronghorn/core/schemas';
import { tabKey, visitorKey } from '../chrome/flags.ts';
import { type Chrome, launchChrome } from '../chrome/launch.ts';
import { mustHaveCome } from '../derive/outcome.ts';
import { askHttpsRecords } from '../dns/https-records.ts';
import type { Evidence } from '../gather/evidence.ts';
import { openTab, type ReadyTab, readyTab } from '../gather/gather-load.ts';
import { type Netlog, recordNetlog, slimNetlog } from '../gather/netlog.ts';
import { closeConnections, openContext } from '../gather/page-session.ts';
import { isFinished } from '../gather/page-timings.ts';
import { maxStepsMs, takeSteps } from '../gather/take-steps.ts';
import { applyState } from '../gather/visitor-state.ts';
import type { VantagePoint } from '../link/agent-link.ts';
import { describeEnvironment } from '../machine/environment.ts';
import { ends } from '../machine/phases.ts';
import { pagesBefore, VisitorError } from '../visitor/load-visitor.ts';
import { type DemoOrigin, type Engine, type Load, type Loaded, labFor, Unanswered, within } from './engine.ts';

/** The first loads of a process are slower than all later ones. */
const warmUpLoads = 2;
const warmUpTimeoutMs = 10_000;
/** Text and a picture, from no network: a production page is loaded only to be measured. */
export const warmUpPage = `data:text/html,<h1>Pronghorn</h1><p>${'Warms up. '.repeat(200)}</p><img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>">`;
/** A Chrome that has loaded this many pages is replaced, so that nothing that it keeps can grow into the numbers. */
const loadsPerChrome = 500;
/** Three protocols under conditions of two kinds of connection. */
const maxChromes = 6;

interface Pooled {
  chrome: Chrome;
  loads: number;
  /** A fresh context with a blank tab, opened and come to rest while the last visit is derived and stored. */
  ready: { key: string; fresh: Promise<Fresh> } | undefined;
  /** Ids of the connections that its loads have used. */
  connections: Set<number>;
}

interface Passing {
  chrome: Chrome;
  tab: ReadyTab;
}

interface Fresh {
  context: { id: string; dispose(): Promise<void> };
  tab: ReadyTab;
}

/**
 * @param lab the demo origin, when there is one; its trust goes only to Chromes that load its pages
 * @param vantagePoint where its Chromes run
 */
export function puppeteerEngine(
  lab: DemoOrigin | undefined,
  vantagePoint: VantagePoint,
  { ahead = true }: { ahead?: boolean } = {},
): Engine {
  const pool = new Map<string, Pooled>();
  /** With `isolation: process`, the Chromes of loads that run, and of those that come. */
  const passing = new Set<Chrome>();
  /** Chromes for coming visits: started and warmed up while the last visit is derived and stored. */
  const waiting = new Map<string, Promise<Passing>>();
  let closed = false;

  const drop = async (key: string): Promise<void> => {
    const old = pool.get(key);
    pool.delete(key);
    await old?.chrome.close();
  };

  const pooledChrome = async (load: Load, key: string): Promise<Pooled> => {
    const had = pool.get(key);
    if (had?.chrome.connected() && had.loads < loadsPerChrome) {
      // The last used is the last of the map.
      pool.delete(key);
      pool.set(key, had);
      return had;
    }
    await drop(key);
    for (const other of pool.keys()) if (isSuperseded(other, key)) await drop(other);
    for (const oldest of [...pool.keys()].slice(0, Math.max(0, pool.size - maxChromes + 1))) await drop(oldest);
    const started: Pooled = { chrome: await launch(load, lab, vantagePoint), loads: 0, ready: undefined, connections: new Set() };
    pool.set(key, started);
    for (let i = 0; i < warmUpLoads && !closed; i++) await warmUp(started.chrome, load);
    if (closed) {
      // It closed while starting: nothing else would end this one.
      await drop(key);
      throw stopped();
    }
    return started;
  };

  const end = async (chrome: Chrome): Promise<void> => {
    await chrome.close();
    passing.delete(chrome);
  };

  /** A Chrome for one visit that has shown a page already, in a context that is gone: not its first paint, its first page of the profile. */
  const start = async (load: Load): Promise<Passing> => {
    const chrome = await launch(load, lab, vantagePoint);
    passing.add(chrome);
    ends('Chrome started');
    try {
      if (closed) throw stopped();
      await warmUp(chrome, load);
      return { chrome, tab: await readyTab(chrome, undefined, load.visitor) };
    } catch (error) {
      await end(chrome);
      throw error;
    }
  };

  const takeWaiting = async (key: string, load: Load): Promise<Passing> => {
    const next = waiting.get(key);
    waiting.delete(key);
    // Those of another force list, or more than a round has use for.
    const unused = [...waiting].filter(([other]) => isSuperseded(other, key));
    for (const [other, one] of [...unused, ...[...waiting].slice(0, Math.max(0, waiting.size - maxChromes))]) {
      waiting.delete(other);
      await one.then(({ chrome }) => end(chrome)).catch(() => {});
    }
    const there = await next?.catch(() => undefined);
    if (there?.chrome.connected()) return there;
    if (there !== undefined) await end(there.chrome);
    return await start(load);
  };

  const nothingStarts = () => Promise.allSettled([...[...pool.values()].map(({ ready }) => ready?.fresh), ...waiting.values()]);

  return {
    load: async (load) => {
      if (closed) throw stopped();
      if (load.isolation === 'container') throw new Error('A visit in its own container needs a runner with a visit command.');
      const key = keyOf(load, lab);
      // While a page loads, nothing else may start or end on this machine, and no window may move.
      await nothingStarts();
      if (load.isolation === 'process') {
        const { chrome, tab } = await takeWaiting(key, load);
        try {
          return await withEnvironment(chrome, load, { lab, link: vantagePoint.link }, () =>
            firstOrRepeat(chrome, undefined, tab, load, new Set()),
          );
        } finally {
          const ended = end(chrome);
          if (ahead && !closed && !waiting.has(key)) {
            const next = after(start(load), ended);
            next.catch(() => {});
            waiting.set(key, next);
          } else await ended;
        }
      }
      const used = await pooledChrome(load, key);
      const { chrome } = used;
      try {
        const next = await takeReady(used, load);
        const loaded = await withEnvironment(chrome, load, { lab, link: vantagePoint.link }, () =>
          inContext(chrome, next, load, used.connections),
        );
        used.loads += 1;
        if (!chrome.connected()) await drop(key);
        else if (used.ready === undefined) {
          used.ready = { key: tabKey(load.visitor), fresh: fresh(chrome, load) };
          used.ready.fresh.catch(() => {});
        }
        return loaded;
      } catch (error) {
        // A Chrome that failed once is not asked again. A page that did not come is no failure of Chrome.
        if (!(error instanceof VisitorError)) await drop(key);
        throw error;
      }
    },
    atRest: nothingStarts,
    // The laboratory's names are in no DNS.
    httpsRecords: (names) => askHttpsRecords(lab === undefined ? names : names.filter((name) => !lab.serves(name)), vantagePoint),
    takeSteps: async (load) => {
      if (closed) throw stopped();
      const { visitor } = load;
      if (visitor === undefined) return { cookies: [], storage: [] };
      const chrome = await launch(load, lab, vantagePoint);
      passing.add(chrome);
      try {
        if (closed) throw stopped();
        return await within(maxStepsMs(visitor.visitor.steps ?? []) + 30_000, chrome, takeSteps(chrome, visitor));
      } catch (error) {
        // The page failed, and would again; a Chrome that went away by itself, or with us, says nothing of the page.
        const isOfPage = !closed && (chrome.connected() || error instanceof Unanswered);
        if (error instanceof VisitorError || !isOfPage) throw error;
        throw new VisitorError('step-failed', `The steps failed: ${error instanceof Error ? error.message : error}`);
      } finally {
        await end(chrome);
      }
    },
    close: async () => {
      closed = true;
      await Promise.all([...[...pool.keys()].map(drop), ...[...passing].map(end)]);
      // A Chrome that was starting ends itself; one that had just started is ended here.
      await Promise.allSettled(waiting.values());
      await Promise.all([...passing].map(end));
    },
  };
}

const stopped = () => new Error('The engine was closed.');

function keyOf(load: Load, lab: DemoOrigin | undefined): string {
  const forced = load.protocol === 'h3' ? [...load.forced].sort() : [];
  const { protocol, discovery, browser, effectiveConnection = '4g' } = load;
  const setup = [protocol, discovery, browser, labFor(load, lab) ? 'lab' : 'net', visitorKey(load.visitor)];
  return [setup.join(' '), forced.join(' '), effectiveConnection].join('|');
}

/** True if only the force list differs: the other one is old, and idle Chromes cost memory and wake-ups. */
function isSuperseded(other: string, key: string): boolean {
  const [[setup, forced], [its, itsForced]] = [key.split('|'), other.split('|')];
  return setup === its && forced !== itsForced;
}

/** Shows a page that comes from no network, in a context that is gone afterwards. */
async function warmUp(chrome: Chrome, { limits, visitor }: Load): Promise<void> {
  const context = await openContext(chrome);
  // Nothing is measured now, so its window may draw.
  const tab = await openTab(chrome, context.id, visitor);
  await tab.load(warmUpPage, { ...limits, loadTimeoutMs: warmUpTimeoutMs, quietMs: 0, settleMaxMs: 0 });
  ends('warmed up');
  await context.dispose();
}

/** A tab that is made ready for the page; one for another site of the same visitor is given up. */
async function takeReady(used: Pooled, load: Load): Promise<Fresh> {
  const { ready, chrome } = used;
  // Taken before anything is awaited: a tab loads one page.
  used.ready = undefined;
  const there = await ready?.fresh.catch(() => undefined);
  if (there !== undefined && ready?.key === tabKey(load.visitor)) return there;
  if (there !== undefined) await dispose(chrome, there.context);
  return await fresh(chrome, load);
}

async function launch(load: Load, lab: DemoOrigin | undefined, vantagePoint: VantagePoint): Promise<Chrome> {
  const { protocol, discovery, forced, browser, effectiveConnection = '4g' } = load;
  if (browser === 'firefox' || browser === 'none') throw new Error(`The engine puppeteer drives Chrome, not ${browser}.`);
  return await launchChrome(
    {
      ...{ protocol, discovery, forced, browser, effectiveConnection, pageHints: load.isolation === 'process' },
      lab: labFor(load, lab)?.trust,
      visitor: load.visitor?.visitor,
      ownHosts: load.visitor?.ownHosts,
    },
    vantagePoint,
  );
}

async function withEnvironment(
  chrome: Chrome,
  load: Load,
  { lab, link }: { lab: DemoOrigin | undefined; link: Environment['link'] },
  run: () => Promise<Omit<Loaded, 'environment'>>,
): Promise<Loaded> {
  const environment = describeEnvironment(
    chrome,
    link,
    labFor(load, lab)?.settings,
    load.isolation === 'context' ? 'context' : 'process',
    load.visitor?.cpuSlowdown,
  );
  const { loadTimeoutMs, settleMaxMs } = load.limits;
  const loads = 1 + pagesBefore(load).length;
  const loaded = await within((loadTimeoutMs + settleMaxMs + 20_000) * loads, chrome, run());
  return { ...loaded, environment };
}

/** A fresh context is cold in all we know of: cache, connections, tickets, DNS jobs, Alt-Svc memory. */
async function fresh(chrome: Chrome, { visitor }: Load): Promise<Fresh> {
  const context = await openContext(chrome);
  ends('context opened');
  return { context, tab: await readyTab(chrome, context.id, visitor) };
}

async function inContext(
  chrome: Chrome,
  { context, tab }: Fresh,
  load: Load,
  connections: Set<number>,
): Promise<Omit<Loaded, 'environment'>> {
  try {
    return await firstOrRepeat(chrome, context.id, tab, load, connections);
  } finally {
    await dispose(chrome, context);
  }
}

/**
 * The first view; for a warm visit the repeat view, when the first one finished: in a new tab, on new connections, with
 * cache, tickets, DNS and Alt-Svc of the first, or of the pages that its visitor opens before.
 *
 * @param connections ids of those that earlier loads of the Chrome used; this one's are added
 */
async function firstOrRepeat(
  chrome: Chrome,
  contextId: string | undefined,
  tab: ReadyTab,
  load: Load,
  connections: Set<number>,
): Promise<Omit<Loaded, 'environment'>> {
  const { url, limits, visitor } = load;
  await applyState(chrome, contextId, visitor);
  const before = load.view === 'warm' ? pagesBefore(load) : [];
  const withEarlier = (evidence: Evidence): Evidence => {
    const its = connectionsOf(evidence);
    const earlierConnections = its.filter((id) => connections.has(id));
    for (const id of its) connections.add(id);
    return { ...evidence, earlierConnections };
  };
  for (const page of before) {
    const first = await tab.load(page, { ...limits, untilMs: 0 });
    if (page !== url) mustHaveCome(page, load.discovery, first);
    else if (!isFinished(first.end)) return { evidence: withEarlier(first) };
    const next = await readyTab(chrome, contextId, visitor);
    await tab.close();
    tab = next;
    for (const id of connectionsOf(first)) connections.add(id);
  }
  if (before.length > 0) await closeConnections(chrome, contextId);
  const { netlog, ...loaded } = await withNetlog(chrome, load.netlog, () => tab.load(url, limits));
  const evidence = { ...withEarlier(loaded.evidence), ...(netlog === undefined ? {} : { netlog }) };
  return { ...loaded, evidence };
}

/** @returns with the netlog of the load if requested; null: Chrome gave none */
async function withNetlog(
  chrome: Chrome,
  wanted: Load['netlog'],
  load: () => Promise<Evidence>,
): Promise<{ evidence: Evidence; netlog?: Netlog | null } & Pick<Loaded, 'rawNetlog' | 'trace'>> {
  if (wanted === undefined) return { evidence: await load() };
  const recording = await recordNetlog(chrome, wanted === 'traced');
  const evidence = await load();
  // A Chrome that is gone has taken its log along.
  const logged = await recording.end().catch(() => null);
  if (logged === null) return { evidence, netlog: null };
  const { netlog, ...trace } = logged;
  return { evidence, netlog: slimNetlog(netlog), ...(wanted === 'slim' ? {} : { rawNetlog: netlog }), ...trace };
}

const connectionsOf = ({ network }: Evidence): number[] => [
  ...new Set(network.flatMap((event) => (event.method === 'Network.responseReceived' ? [event.params.response.connectionId] : []))),
];

/** Waits for something that is made, and for something else to be over. */
const after = async <T>(made: Promise<T>, over: Promise<void>): Promise<T> => (await Promise.all([made, over]))[0];

/** A context that can't be disposed of belongs to a Chrome that hangs, or is gone. */
async function dispose(chrome: Chrome, context: { dispose(): Promise<void> }): Promise<void> {
  try {
    await context.dispose();
  } catch {
    await chrome.close();
  }
  ends('context closed');
}
