// A runner that is a process of this machine, not a container, beside the compose file's services.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { allItems } from '../../packages/core/src/client/index.ts';
import { type Stack, within } from './stack.ts';

const execute = promisify(execFile);

/** Docker forwards nothing to its networks but its own: what docs/link.md says to do, until the end. */
export async function openForwarding(stack: Stack, closing: AsyncDisposableStack): Promise<void> {
  const { stdout } = await execute('ip', ['route', 'get', `${stack.project.labPrefix}.111`]);
  if (!/ dev br-/.test(stdout)) throw new Error('The engine’s networks are not of this network namespace: start this where dockerd runs.');
  for (const direction of ['-i', '-o']) {
    const rule = ['DOCKER-USER', direction, 'pronghorn+', '-j', 'ACCEPT'];
    await execute('iptables', ['-I', ...rule]);
    closing.defer(async () => void (await execute('iptables', ['-D', ...rule])));
  }
}

/**
 * A runner as `./pronghorn runner` on a machine of its own, with the location native.
 *
 * @param more of its options
 */
export async function startNativeRunner(stack: Stack, closing: AsyncDisposableStack, more: readonly string[] = []): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-native-'));
  closing.defer(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'token'),
    await stack.project.exec('api', 'pronghorn', 'token', 'create', '--role', 'runner', '--name', 'native'),
    { mode: 0o600 },
  );
  writeFileSync(join(folder, 'lab.json'), await stack.project.exec('runner', 'cat', '/lab/lab.json'));
  const main = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));
  const options = [
    '--api',
    `http://localhost:${stack.project.port}`,
    '--token-file',
    join(folder, 'token'),
    '--lab',
    join(folder, 'lab.json'),
  ];
  const argv = [main, 'runner', ...options, '--location', 'native', '--name', 'native', ...more];
  const child: ChildProcess = spawn(process.execPath, argv, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PRONGHORN_DATA: folder },
  });
  let output = '';
  for (const pipe of [child.stdout, child.stderr]) pipe?.on('data', (text) => (output = `${output}${text}`.slice(-2_000)));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  closing.defer(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const registered = await within(60_000, async () => {
    if (child.exitCode !== null) throw new Error(`The native runner ended: ${output}`);
    const runners = await allItems((query) => stack.outside.ask('GET /runners', { query }));
    return runners.some(({ name, state }) => name === 'native' && state === 'alive');
  });
  if (!registered) throw new Error(`The native runner did not register within 60 s: ${output}`);
}
