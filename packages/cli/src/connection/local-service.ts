// The api in this process, on the data folder's database: commands ask it over HTTP, and measure beside it.
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { startApi } from '@pronghorn/api';
import { type Answer, ApiRefusal, allItems, Client, type Given, itemsOf, type Route } from '@pronghorn/core/client';
import type {
  Campaign,
  CampaignRequest,
  CampaignResults,
  Condition,
  EngineOptions,
  Environment,
  ListedCampaign,
  Resource,
  SiteDiscovery,
  Visit,
} from '@pronghorn/core/schemas';
import type { Engine } from '@pronghorn/core/vocabulary';
import {
  type AgentEvents,
  allEngines,
  type DemoOrigin,
  findBrowsertime,
  findFirefox,
  findTransaction,
  type Link,
  processIdentity,
  runAgent,
} from '@pronghorn/runner';
import { builtDashboard } from '@pronghorn/web';
import { UsageError } from '../program/errors.ts';
import { type DataFolder, dataFolder } from '../program/files.ts';
import { serviceUrl } from './remote-service.ts';
import { type AskingOptions, type Token, tokenOf } from './token.ts';

/** A result of a large campaign takes its time. */
const timeoutMs = 600_000;

export class LocalService implements AsyncDisposable {
  readonly url: string;
  /** Each request must carry it: other users of this machine reach the same loopback. */
  readonly token: string;
  readonly #data: DataFolder;
  readonly #client: Client;
  readonly #close: () => Promise<void>;

  private constructor(url: string, token: string, data: DataFolder, close: () => Promise<void>) {
    this.url = url;
    this.token = token;
    this.#data = data;
    this.#client = new Client({ service: url, token, timeoutMs });
    this.#close = close;
  }

  /** @param dashboard true where somebody will look at it: it may have to be built first */
  static async open(data: DataFolder, { dashboard = false } = {}): Promise<LocalService> {
    const files = dashboard ? { webRoot: await builtDashboard(console.error) } : {};
    const token = randomBytes(32).toString('hex');
    const api = await startApi({
      access: { kind: 'open', ownToken: token },
      database: data.database,
      evidenceDirectory: data.evidence,
      ...files,
      port: 0,
      queue: { localReferences: true },
      // A command asks one thing after the other, and a thread takes a second of CPU time to start, beside visits.
      ...(dashboard ? {} : { results: { threads: 1 } }),
    });
    return new LocalService(api.url, token, data, api.close);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  async createCampaign(request: CampaignRequest): Promise<Campaign> {
    return await this.ask('POST /campaigns', { body: request });
  }

  async campaign(id: string): Promise<Campaign> {
    return await this.ask('GET /campaigns/{id}', { id });
  }

  async campaigns(): Promise<ListedCampaign[]> {
    return await allItems((query) => this.ask('GET /campaigns', { query }));
  }

  async results(id: string): Promise<CampaignResults> {
    return await this.ask('GET /campaigns/{id}/results', { id });
  }

  async discoveries(id: string): Promise<SiteDiscovery[]> {
    return await allItems((query) => this.ask('GET /campaigns/{id}/discoveries', { id, query }));
  }

  /** The environment of a visit of the campaign; undefined when none has run. */
  async anyEnvironment(campaignId: string): Promise<Environment | undefined> {
    for await (const { environmentId } of this.visits(campaignId)) {
      if (environmentId !== null) return await this.ask('GET /environments/{id}', { id: environmentId });
    }
    return undefined;
  }

  async conditions(): Promise<Condition[]> {
    return await allItems((query) => this.ask('GET /conditions', { query }));
  }

  /**
   * Called before anything is measured here.
   *
   * @throws UsageError while a runner of a service on this data folder works: it takes rounds of every campaign, and two that measure at once on one
   * machine distort each other
   */
  async mustBeAlone(): Promise<void> {
    for await (const { name, state, seenAt } of itemsOf((query) => this.ask('GET /runners', { query }))) {
      if (state !== 'alive' && state !== 'busy') continue;
      const seconds = Math.max(0, Math.round((Date.now() - Date.parse(seenAt)) / 1_000));
      throw new UsageError(
        `Runner ${name} works for a service on the data folder ${this.#data.path} (last heartbeat ${seconds} s ago), so it would take rounds of this campaign. ` +
          'Use that service instead, end it, or name another folder with --data.',
      );
    }
  }

  /** All visits of a campaign. */
  visits(id: string): AsyncGenerator<Visit> {
    return itemsOf((query) => this.ask('GET /campaigns/{id}/visits', { id, query }));
  }

  async resources(visitId: string): Promise<Resource[]> {
    return await this.ask('GET /visits/{id}/resources', { id: visitId });
  }

  /**
   * Performs the campaign's rounds here and now, until it is done or the signal stops it. Several campaigns take turns, a round of each in random order:
   * whatever the machine and the network do in the meantime affects all of them alike.
   *
   * @throws UsageError when the campaign is not for this process; Error when nothing can be measured on this machine, as without a Chrome
   */
  async measure(
    campaignIds: readonly string[],
    options: { lab?: DemoOrigin; link: Link; keepEvidence: boolean; events: AgentEvents; signal: AbortSignal },
  ): Promise<void> {
    for (const id of campaignIds) {
      const { isolation, engine: named, engineOptions } = (await this.campaign(id)).spec;
      if (isolation === 'container') {
        throw new UsageError(
          `Campaign ${id} gives each visit a container, which needs a runner with --visit-command: start \`./pronghorn serve${this.#data.flag}\`, ` +
            'and beside it such a runner.',
        );
      }
      mustHaveEngine(named, engineOptions);
    }
    const engine = allEngines(options.lab, options.link.vantagePoint);
    // Ctrl-C must not wait for a page that takes a minute.
    const stop = () => void engine.close();
    options.signal.addEventListener('abort', stop);
    const work = { apiUrl: this.url, token: this.token, name: hostname(), reclaim: true, engine, ...options };
    try {
      const [only, ...others] = campaignIds;
      if (only !== undefined && others.length === 0) await runAgent({ ...work, campaignId: only });
      else
        for (let finished = 1; finished > 0; ) {
          finished = 0;
          const turn = campaignIds.map((campaignId) => ({ campaignId, place: Math.random() })).sort((a, b) => a.place - b.place);
          for (const { campaignId } of turn) finished += await runAgent({ ...work, campaignId, maxRounds: 1 });
        }
    } finally {
      options.signal.removeEventListener('abort', stop);
      await engine.close();
    }
  }

  /**
   * Marks a campaign as measured by this process while `work` runs, so that a second process does not take its rounds.
   *
   * @throws UsageError when another process measures it
   */
  async claiming<T>(campaignId: string, work: () => Promise<T>): Promise<T> {
    const file = join(this.#data.path, `measuring-${campaignId}`);
    const mark = processIdentity(process.pid) ?? String(process.pid);
    for (;;) {
      try {
        // Fails where the file exists: of two that start at once, one is first.
        writeFileSync(file, mark, { flag: 'wx' });
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        const holder = readFileSync(file, 'utf8');
        const pid = Number.parseInt(holder, 10);
        if (processIdentity(pid) === holder) {
          throw new UsageError(`Process ${pid} is already measuring campaign ${campaignId}. Wait for it, or stop it with: kill ${pid}`);
        }
        rmSync(file, { force: true });
      }
    }
    try {
      return await work();
    } finally {
      rmSync(file, { force: true });
    }
  }

  /** @throws UsageError with the api's own message where it refuses */
  async ask<R extends Route>(route: R, given: Given<R>): Promise<Answer<R>['body']> {
    try {
      return (await this.#client.ask(route, given)).body;
    } catch (error) {
      throw error instanceof ApiRefusal ? new UsageError(error.problem?.detail ?? error.message) : error;
    }
  }
}

/**
 * Called before anything is started for an engine, so that it fails once and not in each visit.
 *
 * @throws Error that names what the engine lacks on this machine, and what installs it
 */
export function mustHaveEngine(engine: Engine, options: EngineOptions | undefined): void {
  if (engine === 'browsertime') findBrowsertime(options?.video !== false);
  if (engine === 'firefox') findFirefox();
  if (engine === 'transaction') findTransaction();
}

/** Works at the service that --api names, else at the api of this machine's data folder. */
export async function withService<T>(
  options: AskingOptions & { api?: string; data?: string },
  work: (service: { url: string; token: Token }) => Promise<T>,
): Promise<T> {
  if (options.api !== undefined) return await work({ url: serviceUrl(options.api), token: tokenOf(options) });
  await using service = await LocalService.open(dataFolder(options.data));
  return await work(service);
}
