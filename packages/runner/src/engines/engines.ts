// The engines of a runner as one: each load is performed by the engine that it names.
import type { Engine as EngineName } from '@pronghorn/core/vocabulary';
import type { VantagePoint } from '../link/agent-link.ts';
import { browsertimeEngine } from './browsertime.ts';
import type { DemoOrigin, Engine } from './engine.ts';
import { firefoxEngine } from './firefox.ts';
import { puppeteerEngine } from './puppeteer.ts';
import { transactionEngine } from './transaction.ts';

/**
 * An engine is made when a load first names it, so that unused ones never start.
 *
 * @param lab the demo origin, when there is one; its trust goes only to browsers that load its pages
 * @param vantagePoint where the browsers run
 */
export function allEngines(lab: DemoOrigin | undefined, vantagePoint: VantagePoint, options: { ahead?: boolean } = {}): Engine {
  // It is what asks for HTTPS records and takes steps, whatever engine loads the page.
  const puppeteer = puppeteerEngine(lab, vantagePoint, options);
  const made = new Map<EngineName, Engine>([['puppeteer', puppeteer]]);
  const makers: Readonly<Partial<Record<EngineName, () => Engine>>> = {
    browsertime: () => browsertimeEngine(lab, vantagePoint),
    firefox: () => firefoxEngine(lab, vantagePoint),
  };
  const engineOf = (name: EngineName): Engine => {
    const there = made.get(name) ?? makers[name]?.();
    if (there === undefined) throw new Error(`This runner has no engine ${name}.`);
    made.set(name, there);
    return there;
  };
  const transactions = transactionEngine(lab, vantagePoint);
  return {
    ...puppeteer,
    transactions: {
      ...transactions,
      run: async (request) => {
        for (const other of made.values()) await other.atRest?.();
        return await transactions.run(request);
      },
    },
    load: async (load) => {
      const engine = engineOf(load.engine ?? 'puppeteer');
      for (const other of made.values()) if (other !== engine) await other.atRest?.();
      return await engine.load(load);
    },
    close: async () => void (await Promise.all([...made.values(), transactions].map((engine) => engine.close()))),
  };
}
