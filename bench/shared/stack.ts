// The compose file's services for a benchmark: built, under a name and addresses of their own, used from outside, and removed.
import { setTimeout as delay } from 'node:timers/promises';
import { freeNetworks, missingEngine, Project, removeLeftovers } from '../../docker/e2e/engine.ts';
import { Outside } from '../../docker/e2e/outside.ts';
import type { CampaignRequest, Visit } from '../../packages/core/src/schemas/index.ts';

export const shop = 'https://shop.pronghorn.test:4433/';
/** What its images are named by. */
export const images = 'pronghorn-bench';

export class Stack implements AsyncDisposable {
  readonly project: Project;
  #outside: Outside | undefined;

  private constructor(project: Project) {
    this.project = project;
  }

  /**
   * Builds and starts the services; every request is an administrator's.
   *
   * @param settings of the compose file
   *
   * @throws Error where no engine answers, or a service does not get healthy
   */
  static async up(settings: NodeJS.ProcessEnv = {}): Promise<Stack> {
    const missing = await missingEngine();
    if (missing !== undefined) throw new Error(missing);
    await removeLeftovers();
    const stack = new Stack(new Project({ PRONGHORN_IMAGES: images, ...(await freeNetworks()), ...settings }));
    try {
      await stack.project.up();
      await stack.#signIn();
      return stack;
    } catch (error) {
      await stack[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #signIn(): Promise<void> {
    const token = (await this.project.exec('api', 'pronghorn', 'token', 'create', '--role', 'admin', '--name', 'bench')).trim();
    this.#outside = await Outside.open(`${images}/api:dev`, `http://localhost:${this.project.port}`, token);
    await this.#outside.ask('GET /campaigns', {});
  }

  get outside(): Outside {
    if (this.#outside === undefined) throw new Error('The service is not up yet.');
    return this.#outside;
  }

  /** @returns the visits of a campaign that is done; undefined: it took longer, and was cancelled */
  async campaign(wanted: CampaignRequest, limitMs: number): Promise<Visit[] | undefined> {
    const { id } = await this.outside.ask('POST /campaigns', { body: wanted });
    if ((await this.outside.waitFor('done', id, limitMs)) === null) {
      await this.outside.ask('POST /campaigns/{id}/cancel', { id });
      return undefined;
    }
    return await this.outside.visits(id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#outside?.close();
    this.#outside = undefined;
    await this.project.down();
  }
}

/** Calls `ask` each half second until it returns true. @returns false after the time limit */
export async function within(limitMs: number, ask: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + limitMs; performance.now() < end; await delay(500)) {
    if (await ask()) return true;
  }
  return false;
}
