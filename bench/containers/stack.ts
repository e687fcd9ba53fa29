// The compose file's services for a benchmark: built, under a name and addresses of their own, asked from outside, and removed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { docker, freeNetworks, missingEngine, Project, removeLeftovers } from '../../docker/e2e/engine.ts';
import { Outside } from '../../docker/e2e/outside.ts';
import type { Campaign, CampaignLogLine, Visit } from '../../packages/core/src/schemas/index.ts';

export const shop = 'https://shop.pronghorn.test:4433/';
/** What Chrome runs as in a runner that is root. */
export const chromeUid = 47_813;

/** What its images are named by. */
export const images = 'pronghorn-bench';

export class Stack implements AsyncDisposable {
  readonly project: Project;
  readonly #folder = mkdtempSync(join(tmpdir(), 'bench-containers-'));
  #files: string[] = [];
  #outside: Outside | undefined;
  #token: string | undefined;

  private constructor(project: Project) {
    this.project = project;
  }

  /**
   * Builds and starts the services, and asks the service as an administrator from then on.
   *
   * @param settings of the compose file
   *
   * @throws Error where no engine answers, or a service does not get healthy
   */
  static async up(settings: NodeJS.ProcessEnv = {}): Promise<Stack> {
    const stack = await Stack.down(settings);
    try {
      await stack.project.up();
      await stack.signIn();
      return stack;
    } catch (error) {
      await stack[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** The same with nothing built or started yet. */
  static async down(settings: NodeJS.ProcessEnv = {}): Promise<Stack> {
    const missing = await missingEngine();
    if (missing !== undefined) throw new Error(missing);
    await removeLeftovers();
    return new Stack(new Project({ PRONGHORN_IMAGES: images, ...(await freeNetworks()), ...settings }));
  }

  /** @throws Error while the service does not answer yet */
  async signIn(): Promise<void> {
    // Asked for again where the service does not answer yet: there can be one of that name.
    this.#token ??= (await this.project.exec('api', 'pronghorn', 'token', 'create', '--role', 'admin', '--name', 'bench')).trim();
    this.#outside ??= await Outside.open(`${images}/api:dev`, `http://localhost:${this.project.port}`);
    this.#outside.token = this.#token;
    await this.#outside.ask('GET', '/campaigns');
  }

  get outside(): Outside {
    if (this.#outside === undefined) throw new Error('The service is not up yet.');
    return this.#outside;
  }

  /** Puts a compose file over the project's from now on; without one, the project's alone. */
  change(yaml?: string): void {
    const file = join(this.#folder, 'change.yml');
    if (yaml !== undefined) writeFileSync(file, yaml);
    this.#files = yaml === undefined ? [] : ['--file', 'docker-compose.yml', '--file', file];
  }

  async compose(...args: string[]): Promise<{ stdout: string; stderr: string }> {
    return await this.project.compose(...this.#files, ...args);
  }

  /** A service's only container. */
  async container(service: string): Promise<string> {
    const [id] = await this.project.containers(service);
    if (id === undefined) throw new Error(`The service ${service} has no container.`);
    return id;
  }

  /**
   * Runs TypeScript in a container, with the modules that its image has.
   *
   * @param source its relative imports are written as in this folder
   */
  async run(container: string, source: string, options: readonly string[] = [], enter: readonly string[] = []): Promise<string> {
    const argv = ['exec', '--interactive', '--workdir', '/opt/pronghorn/packages/runner', ...options, container, ...enter];
    return (await docker([...argv, 'node', '--input-type=module-typescript', '-'], { input: source })).stdout;
  }

  /** @returns what there is of it when it is done; where that takes longer, it is cancelled, and not done */
  async campaign(wanted: object, limitMs = 600_000): Promise<{ visits: Visit[]; log: CampaignLogLine[]; done: boolean }> {
    const { id } = await this.outside.ask<Campaign>('POST', '/campaigns', wanted);
    const done = (await this.outside.waitFor('done', id, limitMs)) !== null;
    if (!done) await this.outside.ask('POST', `/campaigns/${id}/cancel`);
    return {
      visits: await this.outside.all<Visit>(`/campaigns/${id}/visits`),
      log: await this.outside.all<CampaignLogLine>(`/campaigns/${id}/log`),
      done,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#outside?.close();
    this.#outside = undefined;
    await this.project.down();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Asks each half second until the answer is yes. @returns whether it came in time */
export async function within(limitMs: number, ask: () => Promise<boolean>): Promise<boolean> {
  for (const end = performance.now() + limitMs; performance.now() < end; await delay(500)) {
    if (await ask()) return true;
  }
  return false;
}
