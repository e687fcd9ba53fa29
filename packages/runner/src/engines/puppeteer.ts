// The default engine: one Chrome for each set of flags, a fresh browser context for each cold visit.
import type { Chrome } from '../chrome/launch.ts';
import { launchChrome } from '../chrome/launch.ts';
import type { Evidence } from '../gather/evidence.ts';
import { gatherLoad } from '../gather/gather-load.ts';
import { openContext } from '../gather/page-session.ts';
import { describeEnvironment } from '../machine/environment.ts';
import type { Engine, Lab, Load, Loaded } from './engine.ts';

/** The first loads of a process are slower than all later ones and are thrown away. */
const warmUpLoads = 2;
/** A Chrome that has loaded this many pages is replaced, so that nothing that it keeps can grow into the numbers. */
const loadsPerChrome = 500;

interface Kept {
  chrome: Chrome;
  loads: number;
}

/** @param lab the demo origin, when there is one; its trust goes only to Chromes that load its pages */
export function puppeteerEngine(lab: Lab | undefined): Engine {
  const kept = new Map<string, Kept>();

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
    const fresh: Kept = { chrome: await launch(load, lab), loads: 0 };
    kept.set(key, fresh);
    for (let i = 0; i < warmUpLoads; i++) await inContext(fresh.chrome, load, false);
    return fresh;
  };

  return {
    load: async (load) => {
      if (load.isolation === 'process') {
        const chrome = await launch(load, lab);
        try {
          return await withEnvironment(chrome, load, lab, () => firstOrRepeat(chrome, undefined, load, load.view === 'warm'));
        } finally {
          await chrome.close();
        }
      }
      const key = keyOf(load, lab);
      const { chrome } = await keptChrome(load, key);
      try {
        const loaded = await withEnvironment(chrome, load, lab, () => inContext(chrome, load, load.view === 'warm'));
        const used = kept.get(key);
        if (used !== undefined) used.loads += 1;
        if (!chrome.connected()) await drop(key);
        return loaded;
      } catch (error) {
        // A Chrome that failed once is not asked again.
        await drop(key);
        throw error;
      }
    },
    close: async () => {
      await Promise.all([...kept.keys()].map(drop));
    },
  };
}

function usesLab(load: Load, lab: Lab | undefined): boolean {
  return lab?.serves(new URL(load.url).hostname) ?? false;
}

function keyOf(load: Load, lab: Lab | undefined): string {
  const forced = load.protocol === 'h3' ? [...load.forced].sort() : [];
  return [load.protocol, load.discovery, load.browser, usesLab(load, lab) ? 'lab' : 'net', ...forced].join(' ');
}

function launch(load: Load, lab: Lab | undefined): Promise<Chrome> {
  const { protocol, discovery, forced, browser } = load;
  return launchChrome({ protocol, discovery, forced, browser, lab: usesLab(load, lab) ? lab?.trust : undefined });
}

async function withEnvironment(chrome: Chrome, load: Load, lab: Lab | undefined, run: () => Promise<Evidence>): Promise<Loaded> {
  const environment = describeEnvironment(chrome, usesLab(load, lab) ? lab?.settings : undefined);
  const { loadTimeoutMs, settleMaxMs } = load.limits;
  const loads = load.view === 'warm' ? 2 : 1;
  const evidence = await within((loadTimeoutMs + settleMaxMs + 20_000) * loads, chrome, run());
  return { evidence, environment };
}

/** A fresh context is cold in all we know of: cache, connections, tickets, DNS jobs, Alt-Svc memory. */
async function inContext(chrome: Chrome, load: Load, warm: boolean): Promise<Evidence> {
  const context = await openContext(chrome);
  try {
    return await firstOrRepeat(chrome, context.id, load, warm);
  } finally {
    await dispose(chrome, context);
  }
}

/** The first view, or the repeat view in a new tab when the first one finished. */
async function firstOrRepeat(chrome: Chrome, contextId: string | undefined, { url, limits }: Load, warm: boolean): Promise<Evidence> {
  const first = await gatherLoad(chrome, contextId, url, limits);
  const { kind } = first.evidence.end;
  if (!warm || (kind !== 'quiet' && kind !== 'settle-cut')) return first.evidence;
  await first.close();
  return (await gatherLoad(chrome, contextId, url, limits)).evidence;
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
