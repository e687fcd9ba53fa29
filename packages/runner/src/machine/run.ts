// Runs programs of the system, such as ip, tc and nft, and ties them to this process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';

const folders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/sbin', '/usr/local/bin'];

/** Finds a program, first in PATH, then in the folders of administrators' programs, which PATH of a user lacks. */
export function toolPath(program: string): string {
  if (program.includes('/')) return program;
  const location = [...(process.env.PATH ?? '').split(':').filter((folder) => folder.startsWith('/')), ...folders].find((folder) =>
    existsSync(`${folder}/${program}`),
  );
  if (location === undefined)
    throw new Error(
      `The program ${program} is missing${packages[program] === undefined ? '' : `: install the package ${packages[program]}`}.`,
    );
  return `${location}/${program}`;
}

const packages: Record<string, string> = {
  ip: 'iproute2',
  tc: 'iproute2',
  nft: 'nftables',
  ethtool: 'ethtool',
  dnsmasq: 'dnsmasq-base',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  setpriv: 'util-linux',
  taskset: 'util-linux',
  chrt: 'util-linux',
  perl: 'perl-base',
};

/**
 * Runs a program to its end.
 *
 * @param input for its standard input
 * @returns what it printed
 * @throws Error with its last words when it can't be started or fails
 */
export function run(argv: readonly string[], input?: string): Promise<string> {
  const [program = '', ...args] = argv;
  return new Promise((resolve, reject) => {
    const child = spawn(toolPath(program), args, { stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
    let out = '';
    let err = '';
    child.stdout?.on('data', (chunk) => (out += chunk));
    child.stderr?.on('data', (chunk) => (err += chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(out);
      else reject(new Error(`${argv.join(' ')}: ${err.trim() || out.trim() || `ended with ${signal ?? code}`}`));
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/**
 * Ties a program to this process: whatever ends this one, a SIGKILL too, ends it. What is returned is put before a program and its arguments. Everything before it must become the next by exec, since the kernel ends what this
 * process itself started. A change of user forgets the tie (prctl(2)): it belongs into `setpriv`'s own options.
 *
 * The shell asks for the parent, because one that died in the moment before the tie was made sends no signal any more: another
 * process stands in its place then.
 *
 * @param setpriv path of the program
 * @param options of it, such as another user
 */
export function endsWithUs(setpriv: string, options: readonly string[] = []): string[] {
  return [setpriv, ...options, '--pdeathsig', 'KILL', '--', 'sh', '-c', '[ "$PPID" = "$0" ] && exec "$@"', String(process.pid)];
}

/** Options of `setpriv` for a program that is another user: it has no right, and nothing that it starts gets one. */
export const rightless = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'] as const;

/** Content of a file such as a parameter of the kernel, trimmed; null where it can't be read. */
export function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/** Ends a program that this process started, and waits until it is gone. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.ref();
  child.kill('SIGKILL');
  await exited;
}
