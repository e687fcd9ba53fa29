// Pages of the demo origin behind a link, loaded over HTTP/2 and HTTP/3 in turn: what the benchmarks of this folder share.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostAddresses, type Origin, type ServerName, startOrigin } from '../../nginx/src/index.ts';
import {
  type Condition,
  conditionNamed,
  defaultLimits,
  type Isolation,
  type Limits,
  type Metrics,
  type Resource,
  randomSource,
  type Settled,
  shuffle,
  type VisitLink,
} from '../../packages/core/src/index.ts';
import { deriveOutcome } from '../../packages/runner/src/derive/outcome.ts';
import { type Load, type Loaded, openLink, originNetwork, puppeteerEngine } from '../../packages/runner/src/index.ts';

const bothProtocols = ['h2', 'h3'] as const;

export type Measured = Metrics & {
  link: VisitLink | null;
  resources: readonly Resource[];
  settled: Settled | undefined;
  /** From the start of the load to its evidence. */
  tookMs: number;
  loaded: Loaded;
};

/** How a page is loaded, where that is not as usual. */
export interface LoadWishes {
  protocols?: readonly ('h2' | 'h3')[];
  isolation?: Isolation;
  /** Besides the page's own host. */
  forced?: readonly string[];
  limits?: Partial<Limits>;
  netlog?: Load['netlog'];
}

export interface Lab extends AsyncDisposable {
  origin: Origin;
  /** Puts a condition on the link and checks it. */
  under(condition: Condition): Promise<void>;
  /** Cold visits in randomised blocks, h2 and h3 in each; invalid ones are told and left out. */
  visit(url: string, rounds: number, wishes?: LoadWishes): Promise<Record<'h2' | 'h3', Measured[]>>;
}

/**
 * @param before fills the origin's state folder before it starts
 * @param web with the sites of the web
 */
export async function openLab(
  conditions: readonly Condition[],
  server: ServerName = 'nginx',
  before: (directory: string) => Promise<void> = async () => {},
  web = false,
): Promise<Lab> {
  const port = 4433;
  const directory = mkdtempSync(join(tmpdir(), 'bench-link-'));
  const addresses = hostAddresses({ enter: [], ...originNetwork }, { web });
  const link = await openLink({ choice: 'auto', conditions, outside: false, origin: { addresses, port } });
  await before(directory);
  const origin = await startOrigin({ directory, port, server, web, place: { ...originNetwork, enter: link.originEnter } });
  const engine = puppeteerEngine({ trust: origin.trust, serves: () => true, settings: origin.settings }, link.standpoint);
  const random = randomSource(1);
  return {
    origin,
    under: async (condition) => void (await link.prepare(condition, async () => {})),
    visit: async (url, rounds, { protocols = bothProtocols, isolation = 'context', forced = [], limits = {}, netlog } = {}) => {
      const { host } = new URL(url);
      const measured: Record<'h2' | 'h3', Measured[]> = { h2: [], h3: [] };
      for (let round = 0; round < rounds; round++) {
        for (const protocol of shuffle(protocols, random)) {
          const asked = { url, protocol, discovery: 'forced', view: 'cold', forced: protocol === 'h3' ? [host, ...forced] : [] } as const;
          const watched = link.watch();
          const start = performance.now();
          const loaded = await engine.load({
            ...{ ...asked, isolation, browser: 'chrome', limits: { ...defaultLimits, ...limits } },
            ...(netlog === undefined ? {} : { netlog }),
          });
          const { evidence } = loaded;
          const tookMs = performance.now() - start;
          const seen = await watched();
          const { outcome, resources } = await deriveOutcome(
            { ...asked, expectStatus: 200, finalUrl: asked.url, usual: null },
            evidence,
            1,
          );
          if (outcome.verdict === 'invalid') console.error(`${protocol}: ${outcome.reason}, ${outcome.detail}`);
          else measured[protocol].push({ ...outcome.metrics, link: seen, resources, settled: evidence.settled, tookMs, loaded });
        }
      }
      return measured;
    },
    [Symbol.asyncDispose]: async () => {
      await engine.close();
      await origin.stop();
      await link.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** @throws Error when there is no such preset */
export function presetOf(name: string): Condition {
  const condition = conditionNamed(name);
  if (condition === undefined) throw new Error(`${name} is no preset: ./pronghorn conditions lists them.`);
  return condition;
}
