// The compose file's services, running for all tests of a file, and a client outside.
import { setTimeout as delay } from 'node:timers/promises';
import { allItems } from '../../packages/core/src/client/index.ts';
import type { Campaign, CampaignRequest, Runner, Visit } from '../../packages/core/src/schemas/index.ts';
import { docker, freeNetworks, Project, removeLeftovers } from './engine.ts';
import { Outside } from './outside.ts';

/** Two runners on two cores disturb each other, but these tests don't judge how fast a page is. */
const whatever = {
  sites: [{ url: 'https://shop.pronghorn.test:4433/' }],
  protocols: ['h2', 'h3'],
  limits: { foreignCpuShare: 1 },
} satisfies CampaignRequest;

export class Running {
  readonly project: Project;
  readonly outside: Outside;
  #measured: Promise<Visit[]> | undefined;

  private constructor(project: Project, outside: Outside) {
    this.project = project;
    this.outside = outside;
  }

  /** @param env settings of the compose file */
  static async prepare(env: NodeJS.ProcessEnv = {}): Promise<Project> {
    await removeLeftovers();
    return new Project({ ...(await freeNetworks()), ...env });
  }

  /** @param project is up */
  static async open(project: Project): Promise<Running> {
    const token = (await project.exec('api', 'pronghorn', 'token', 'create', '--role', 'admin', '--name', 'test')).trim();
    const outside = await Outside.open('pronghorn-test/runner:dev', `http://localhost:${project.port}`, token);
    return new Running(project, outside);
  }

  /** Creates a campaign of the demo's shop over h2 and h3. */
  async start(wanted: Partial<CampaignRequest>): Promise<Campaign> {
    return await this.outside.ask('POST /campaigns', { body: { ...whatever, ...wanted } });
  }

  /** Waits until the campaign is done. */
  async visitsOf({ id }: Pick<Campaign, 'id'>): Promise<Visit[]> {
    const ask = () => this.outside.ask('GET /campaigns/{id}', { id });
    await until('all rounds of the campaign are done', ask, ({ state }) => state === 'done');
    return await this.outside.visits(id);
  }

  /** Waits until as many runners have registered: they are healthy before. */
  async registered(count: number): Promise<Runner[]> {
    const ask = async () => (await this.runners()).filter(({ state }) => state === 'alive' || state === 'busy');
    return await until(`${count} runners have registered`, ask, (runners) => runners.length >= count);
  }

  async runners(): Promise<Runner[]> {
    return await allItems((query) => this.outside.ask('GET /runners', { query }));
  }

  /** Two rounds under each of two conditions, once for all tests. */
  async measured(): Promise<Visit[]> {
    this.#measured ??= this.start({ conditions: ['native', 'latency-50'], rounds: 2 }).then((campaign) => this.visitsOf(campaign));
    return await this.#measured;
  }

  /** Address of a service's first container in one of the project's networks. */
  async addressOf(container: string, network: string): Promise<string> {
    const format = `{{(index .NetworkSettings.Networks "${this.project.name}_${network}").IPAddress}}`;
    return (await docker(['inspect', '--format', format, container])).stdout.trim();
  }
}

/**
 * Asks until the answer is the wanted one.
 *
 * @param what is waited for
 * @throws Error after five minutes, with the last answer
 */
export async function until<T>(what: string, ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  for (const deadline = performance.now() + 300_000; ; await delay(500)) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`${what}: not within five minutes, and at last ${JSON.stringify(answer)}`);
  }
}

/** A process in the kernel's terms, as in proc_pid_status(5). */
export interface ProcessStatus {
  name: string;
  state: string;
  uid: string;
  /** Capabilities. */
  effective: bigint;
  permitted: bigint;
  /** The most that it could ever get. */
  bounding: bigint;
  noNewPrivileges: boolean;
  /** 2: its system calls are filtered. */
  seccomp: string;
  /** Number of filters. */
  filters: number;
  /** Depth of pid namespaces, as seen from the container's, which is 1. */
  depth: number;
}

/** All processes of a container, perhaps without those that end meanwhile. */
export async function processesOf(container: string): Promise<ProcessStatus[]> {
  const { stdout } = await docker([
    'exec',
    container,
    'sh',
    '-c',
    'for each in /proc/[0-9]*/status; do cat "$each" && echo; done 2> /dev/null || true',
  ]);
  return stdout
    .split('\n\n')
    .map((text) => Object.fromEntries(text.split('\n').map((line) => line.split(/:\s+/) as [string, string])))
    .filter((status) => status.State !== undefined)
    .map((status) => ({
      name: status.Name ?? '',
      state: status.State ?? '',
      uid: status.Uid?.split('\t')[0] ?? '',
      effective: BigInt(`0x${status.CapEff}`),
      permitted: BigInt(`0x${status.CapPrm}`),
      bounding: BigInt(`0x${status.CapBnd}`),
      noNewPrivileges: status.NoNewPrivs === '1',
      seccomp: status.Seccomp ?? '',
      filters: Number(status.Seccomp_filters),
      depth: status.NSpid?.split('\t').length ?? 0,
    }));
}
