// The default engine: one Chrome for each set of flags, a fresh browser context for each cold visit.
import type { Environment } from '@pronghorn/core';
import type { Chrome } from '../chrome/launch.ts';
import { launchChrome } from '../chrome/launch.ts';
import { closeConnections } from '../gather/close-connections.ts';
import type { Evidence } from '../gather/evidence.ts';
import { type ReadyTab, readyTab } from '../gather/gather-load.ts';
import { openContext } from '../gather/page-session.ts';
import { describeEnvironment } from '../machine/environment.ts';
import type { Engine, Lab, Load, Loaded, Standpoint } from './engine.ts';

/** The first loads of a process are slower than all later ones and are thrown away. */
const warmUpLoads = 2;
/** A page that takes longer has warmed the process up by then. */
const warmUpTimeoutMs = 10_000;
/** A Chrome that has loaded this many pages is replaced, so that nothing that it keeps can grow into the numbers. */
const loadsPerChrome = 500;

interface Kept {
  chrome: Chrome;
  loads: number;
  /** A fresh context with a blank tab, opened and come to rest while the last visit is derived and stored. */
  ready: Promise<Fresh> | undefined;
}

interface Fresh {
  context: { id: string; dispose(): Promise<void> };
  tab: ReadyTab;
}

/**
 * @param lab the demo origin, when there is one; its trust goes only to Chromes that load its pages
 * @param standpoint where its Chromes run
 */
export function puppeteerEngine(lab: Lab | undefined, standpoint: Standpoint): Engine {
  const kept = new Map<string, Kept>();
  /** With `isolation: process`, the Chrome of the load that runs. */
  const passing = new Set<Chrome>();
  let closed = false;

  const drop = async (key: string): Promise<void> => {
    const old = kept.get(key);
    kept.delete(key);
    await old?.chrome.close();
  };

  const keptChrome = async (load: Load, key: string): Promise<Kept> => {
    const had = kept.get(key);
    if (had?.chrome.connected() && had.loads < loadsPerChrome) return had;
    await drop(key);
    // Another force list replaces the Chrome of the old one: idle Chromes cost memory and wake-ups.
    for (const other of kept.keys()) if (other.startsWith(`${load.protocol} `)) await drop(other);
    const started: Kept = { chrome: await launch(load, lab, standpoint), loads: 0, ready: undefined };
    kept.set(key, started);
    const loadTimeoutMs = Math.min(load.limits.loadTimeoutMs, warmUpTimeoutMs);
    const warmUp = { ...load, limits: { ...load.limits, loadTimeoutMs } };
    for (let i = 0; i < warmUpLoads && !closed; i++) await inContext(started.chrome, await fresh(started.chrome), warmUp, false);
    if (closed) {
      // While it was starting: nobody else would end this one.
      await drop(key);
      throw stopped();
    }
    return started;
  };

  return {
    load: async (load) => {
      if (closed) throw stopped();
      if (load.isolation === 'container') throw new Error('Each visit in a container of its own takes a runner that has a visit command.');
      if (load.isolation === 'process') {
        const chrome = await launch(load, lab, standpoint);
        passing.add(chrome);
        try {
          if (closed) throw stopped();
          return await withEnvironment(chrome, load, { lab, link: standpoint.link }, async () =>
            firstOrRepeat(chrome, undefined, await readyTab(chrome, undefined), load, load.view === 'warm'),
          );
        } finally {
          passing.delete(chrome);
          await chrome.close();
        }
      }
      const key = keyOf(load, lab);
      const used = await keptChrome(load, key);
      const { chrome } = used;
      try {
        // Nothing else may be starting on this machine while a page loads, and no window move.
        await Promise.allSettled([...kept.values()].map(({ ready }) => ready));
        const ready = used.ready;
        // Taken before anything is awaited: a tab loads one page.
        used.ready = undefined;
        const next = (await ready?.catch(() => undefined)) ?? (await fresh(chrome));
        const loaded = await withEnvironment(chrome, load, { lab, link: standpoint.link }, () =>
          inContext(chrome, next, load, load.view === 'warm'),
        );
        used.loads += 1;
        if (!chrome.connected()) await drop(key);
        else if (used.ready === undefined) {
          used.ready = fresh(chrome);
          used.ready.catch(() => {});
        }
        return loaded;
      } catch (error) {
        // A Chrome that failed once is not asked again.
        await drop(key);
        throw error;
      }
    },
    close: async () => {
      closed = true;
      await Promise.all([...[...kept.keys()].map(drop), ...[...passing].map((chrome) => chrome.close())]);
    },
  };
}

const stopped = () => new Error('The engine was closed.');

function usesLab(load: Load, lab: Lab | undefined): boolean {
  return lab?.serves(new URL(load.url).hostname) ?? false;
}

function keyOf(load: Load, lab: Lab | undefined): string {
  const forced = load.protocol === 'h3' ? [...load.forced].sort() : [];
  return [load.protocol, load.discovery, load.browser, usesLab(load, lab) ? 'lab' : 'net', ...forced].join(' ');
}

function launch(load: Load, lab: Lab | undefined, { enter }: Standpoint): Promise<Chrome> {
  const { protocol, discovery, forced, browser } = load;
  return launchChrome({ protocol, discovery, forced, browser, lab: usesLab(load, lab) ? lab?.trust : undefined }, enter);
}

async function withEnvironment(
  chrome: Chrome,
  load: Load,
  { lab, link }: { lab: Lab | undefined; link: Environment['link'] },
  run: () => Promise<Evidence>,
): Promise<Loaded> {
  const environment = describeEnvironment(chrome, link, usesLab(load, lab) ? lab?.settings : undefined);
  const { loadTimeoutMs, settleMaxMs } = load.limits;
  const loads = load.view === 'warm' ? 2 : 1;
  const evidence = await within((loadTimeoutMs + settleMaxMs + 20_000) * loads, chrome, run());
  return { evidence, environment };
}

/** A fresh context is cold in all we know of: cache, connections, tickets, DNS jobs, Alt-Svc memory. */
async function fresh(chrome: Chrome): Promise<Fresh> {
  const context = await openContext(chrome);
  return { context, tab: await readyTab(chrome, context.id) };
}

async function inContext(chrome: Chrome, { context, tab }: Fresh, load: Load, warm: boolean): Promise<Evidence> {
  try {
    return await firstOrRepeat(chrome, context.id, tab, load, warm);
  } finally {
    await dispose(chrome, context);
  }
}

/**
 * The first view; for a warm visit the repeat view, when the first one finished: in a new tab, on new connections, with
 * cache, tickets, DNS and Alt-Svc of the first.
 */
async function firstOrRepeat(
  chrome: Chrome,
  contextId: string | undefined,
  tab: ReadyTab,
  { url, limits }: Load,
  warm: boolean,
): Promise<Evidence> {
  const first = await tab.load(url, limits);
  if (!warm || (first.end.kind !== 'quiet' && first.end.kind !== 'settle-cut')) return first;
  const repeat = await readyTab(chrome, contextId);
  await tab.close();
  await closeConnections(chrome, contextId);
  return await repeat.load(url, limits);
}

/** A context that can't be disposed of belongs to a Chrome that hangs, or is gone. */
async function dispose(chrome: Chrome, context: { dispose(): Promise<void> }): Promise<void> {
  try {
    await context.dispose();
  } catch {
    await chrome.close();
  }
}

/** Ends a Chrome that no longer answers. */
async function within<T>(ms: number, chrome: Chrome, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      void chrome.close();
      reject(new Error(`Chrome did not answer for ${ms} ms and was ended.`));
    }, ms);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
