// The Docker engine of the tests, and a compose project on it that disturbs no other.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { processIdentity } from '../../packages/runner/src/machine/processes.ts';
import { inputsLabel, labelOfImages, root } from './inputs.ts';

const execute = promisify(execFile);

/** The reason why nothing can be tested here; undefined where an engine and compose answer. */
export async function missingEngine(): Promise<string | undefined> {
  try {
    await execute('docker', ['version', '--format', '{{.Server.Version}}']);
    await execute('docker', ['compose', 'version']);
    return undefined;
  } catch (error) {
    return `no Docker engine with compose answers here: ${firstLine((error as Error & { stderr?: string }).stderr || (error as Error).message)}`;
  }
}

/** @throws Error with the last output of a command that fails */
export async function docker(
  args: readonly string[],
  { input, env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ stdout: string; stderr: string }> {
  const running = execute('docker', [...args], { cwd: root, env: { ...process.env, ...env }, maxBuffer: 2 ** 28 });
  running.child.stdin?.end(input ?? '');
  try {
    return await running;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`docker ${args.slice(0, 6).join(' ')} …: ${`${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n')}`);
  }
}

/**
 * Runs a script of inside/ in a container that has Node.
 *
 * @param enter command prefix that enters a namespace
 * @returns the JSON that the script printed
 */
export async function runInside<T>(container: string, script: string, given: object, enter: readonly string[] = []): Promise<T> {
  // Not as an argument, since every user of the machine can read those, and it may hold a token.
  const input = `process.argv[2] = ${JSON.stringify(JSON.stringify(given))};${readFileSync(new URL(`inside/${script}`, import.meta.url), 'utf8')}`;
  const node = ['node', '--disable-warning=ExperimentalWarning', '--input-type=module-typescript', '-'];
  return JSON.parse((await docker(['exec', '--interactive', container, ...enter, ...node], { input })).stdout);
}

/**
 * Prefix of everything that this process puts on the engine, so that leftovers can be attributed. The pid is valid in this machine's pid namespace only,
 * and others may use the same engine.
 */
export const prefix = `pronghorn-test-${createHash('sha256')
  .update(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8') + readlinkSync('/proc/self/ns/pid'))
  .digest('hex')
  .slice(0, 8)}-`;
export const ownName = `${prefix}${processIdentity(process.pid)}`;
export const label = 'com.docker.compose.project';

/** Runs the compose file without the user's settings or a file .env. */
export const noSettings: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    Object.keys(process.env)
      .filter((name) => /^(PRONGHORN|COMPOSE)_/.test(name))
      .map((name) => [name, undefined]),
  ),
  COMPOSE_DISABLE_ENV_FILE: '1',
};

/** A project of the compose file: names, networks and ports of its own. One for each process. */
export class Project {
  readonly name = ownName;
  readonly port: number;
  readonly gatewayPort: number;
  /** First part of the demo origin's addresses. */
  readonly labPrefix: string;
  readonly #env: NodeJS.ProcessEnv;

  /** @param env settings of the compose file */
  constructor(env: NodeJS.ProcessEnv = {}) {
    this.port = 20_000 + 2 * (process.pid % 5_000);
    this.gatewayPort = this.port + 1;
    this.labPrefix = env.PRONGHORN_LAB_PREFIX ?? '172.31.115';
    this.#env = {
      ...noSettings,
      COMPOSE_PROJECT_NAME: this.name,
      PRONGHORN_IMAGES: 'pronghorn-test',
      PRONGHORN_PORT: `${this.port}`,
      PRONGHORN_GATEWAY_PORT: `${this.gatewayPort}`,
      ...env,
    };
  }

  async compose(...args: string[]): Promise<{ stdout: string; stderr: string }> {
    return await docker(['compose', ...args], { env: this.#env });
  }

  /**
   * Runs lines of the documentation as if pasted into a shell.
   *
   * @throws Error where one fails
   */
  async shell(lines: string, folder: string): Promise<void> {
    const env = { ...process.env, ...this.#env, COMPOSE_FILE: join(root, 'docker-compose.yml') };
    await execute('sh', ['-e', '-c', lines], { cwd: folder, env });
  }

  /** Builds all images, also those that this project doesn't start: what one test file built is the next one's. */
  async build(): Promise<void> {
    const labels = { build: { labels: { [inputsLabel]: labelOfImages() ?? '' } } };
    const services = Object.fromEntries(['api', 'runner', 'origin', 'gateway', 'gate'].map((name) => [name, labels]));
    const files = ['--file', 'docker-compose.yml', '--file', '-', '--profile', 'gateway', '--profile', 'gate'];
    // Compose writes the project's name into them, by which each project would have images of its own.
    const env = { ...this.#env, COMPOSE_PROJECT_NAME: 'pronghorn' };
    await docker(['compose', ...files, 'build', '--quiet'], { env, input: JSON.stringify({ services }) });
  }

  /** Builds, starts and waits until all are healthy. */
  async up(...args: string[]): Promise<void> {
    await this.build();
    try {
      await this.compose('up', '--detach', '--wait', '--wait-timeout', '300', ...args);
    } catch (error) {
      const { stdout } = await this.compose('logs', '--no-color', '--tail', '15');
      throw new Error(`${(error as Error).message}\n${stdout}`);
    }
  }

  /** Ids of a service's containers. */
  async containers(service: string): Promise<string[]> {
    return (await this.compose('ps', '--quiet', service)).stdout.split('\n').filter(Boolean);
  }

  async exec(service: string, ...argv: string[]): Promise<string> {
    return (await this.compose('exec', '-T', service, ...argv)).stdout;
  }

  /** Removes containers, networks and volumes. */
  async down(): Promise<void> {
    await remove(this.name);
  }
}

/** Removes what killed tests of this machine left on the engine. */
export async function removeLeftovers(): Promise<void> {
  const format = ['--filter', `label=${label}`, '--format', `{{.Label "${label}"}}`];
  const lists = await Promise.all([
    docker(['ps', '--all', ...format]),
    docker(['network', 'ls', ...format]),
    docker(['volume', 'ls', ...format]),
  ]);
  const names = new Set(lists.flatMap(({ stdout }) => stdout.split('\n')).filter((name) => name.startsWith(prefix)));
  for (const name of names) {
    const owner = name.slice(prefix.length);
    if (/^\d+-\d+$/.test(owner) && processIdentity(Number.parseInt(owner, 10)) !== owner) await remove(name);
  }
}

async function remove(name: string): Promise<void> {
  const whose = ['--quiet', '--filter', `label=${label}=${name}`];
  for (const [list, take] of [
    [
      ['ps', '--all'],
      ['rm', '--force', '--volumes'],
    ],
    [
      ['network', 'ls'],
      ['network', 'rm', '--force'],
    ],
    [
      ['volume', 'ls'],
      ['volume', 'rm', '--force'],
    ],
  ] as const) {
    const ids = (await docker([...list, ...whose])).stdout.split('\n').filter(Boolean);
    if (ids.length > 0) await docker([...take, ...ids]);
  }
}

/** Settings for the two networks with fixed addresses, which no other network of the engine uses. */
export async function freeNetworks(): Promise<{ PRONGHORN_LAB_PREFIX: string; PRONGHORN_FRONT_PREFIX: string }> {
  const ids = (await docker(['network', 'ls', '--quiet'])).stdout.split('\n').filter(Boolean);
  const format = ['--format', '{{range .IPAM.Config}}{{println .Subnet}}{{end}}'];
  // A network that was removed meanwhile has no addresses.
  const lists = await Promise.all(ids.map((id) => docker(['network', 'inspect', ...format, id]).catch(() => ({ stdout: '' }))));
  const subnets = lists.flatMap(({ stdout }) => stdout.split('\n')).filter((subnet) => /^[\d.]+\/\d+$/.test(subnet));
  const taken = new BlockList();
  for (const subnet of subnets) taken.addSubnet(subnet.split('/')[0] as string, Number(subnet.split('/')[1]));
  const [lab, front] = Array.from({ length: 120 }, (_, place) => `172.31.${125 + place}.`).filter(
    (start) => !taken.check(`${start}0`) && !subnets.some((subnet) => subnet.startsWith(start)),
  );
  if (lab === undefined || front === undefined)
    throw new Error('The engine has no two free networks 172.31.125.0/24 to 172.31.244.0/24: docker network prune.');
  return { PRONGHORN_LAB_PREFIX: lab.slice(0, -1), PRONGHORN_FRONT_PREFIX: front.slice(0, -1) };
}

const firstLine = (text: string) => text.trim().split('\n')[0] ?? '';
