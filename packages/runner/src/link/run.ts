// Small programs of the system that a link is made with: ip, tc, nft, …
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

const folders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/sbin', '/usr/local/bin'];

/** Where a program is, PATH first, then where administrators' programs are, which PATH of a user lacks. */
export function toolPath(program: string): string {
  if (program.includes('/')) return program;
  const found = [...(process.env.PATH ?? '').split(':').filter((folder) => folder.startsWith('/')), ...folders].find((folder) =>
    existsSync(`${folder}/${program}`),
  );
  if (found === undefined)
    throw new Error(
      `The program ${program} is missing${packages[program] === undefined ? '' : `: install the package ${packages[program]}`}.`,
    );
  return `${found}/${program}`;
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
