// The Docker engine that the tests run on, and a project of the compose file on it that disturbs no other.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const execute = promisify(execFile);

/** Why nothing can be tested here; undefined where an engine and compose answer. */
export async function missingEngine(): Promise<string | undefined> {
  try {
    await execute('docker', ['version', '--format', '{{.Server.Version}}']);
    await execute('docker', ['compose', 'version']);
    return undefined;
  } catch (error) {
    return `no Docker engine with compose answers here: ${firstLine((error as Error & { stderr?: string }).stderr || (error as Error).message)}`;
  }
}

/** @throws Error with the last words of a command that fails */
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

/** A project of the compose file: names, networks and ports of its own. */
export class Project {
  readonly name = `pronghorn-test-${process.pid}`;
  readonly port: number;
  readonly gatewayPort: number;
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv = {}) {
    this.port = 20_000 + (process.pid % 10_000);
    this.gatewayPort = this.port + 1;
    this.#env = {
      COMPOSE_PROJECT_NAME: this.name,
      PRONGHORN_IMAGES: 'pronghorn-test',
      PRONGHORN_PORT: `${this.port}`,
      PRONGHORN_GATEWAY_PORT: `${this.gatewayPort}`,
      PRONGHORN_LAB_PREFIX: '172.31.125',
      PRONGHORN_FRONT_PREFIX: '172.31.126',
      ...env,
    };
  }

  async compose(...args: string[]): Promise<{ stdout: string; stderr: string }> {
    return await docker(['compose', ...args], { env: this.#env });
  }

  /** Ids of a service's containers. */
  async containers(service: string): Promise<string[]> {
    return (await this.compose('ps', '--quiet', service)).stdout.split('\n').filter(Boolean);
  }

  async exec(service: string, ...argv: string[]): Promise<string> {
    return (await this.compose('exec', '-T', service, ...argv)).stdout;
  }

  /** All of it goes: containers, networks, volumes. */
  async down(): Promise<void> {
    await this.compose('--profile', 'gateway', 'down', '--volumes', '--timeout', '5');
  }
}

const firstLine = (text: string) => text.trim().split('\n')[0] ?? '';
