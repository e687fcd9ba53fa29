// The fence of a link that has no namespace: a browser started behind it reaches only public addresses, as behind a link's router.
// The kernel asks fence.pl before a socket connects or names an address; docs/decisions/0033-fence.md explains the design and its limits.
import { spawnSync } from 'node:child_process';
import { getServers } from 'node:dns';
import { chownSync, closeSync, copyFileSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  addressDigits,
  addressFamily,
  addressWithoutPort,
  isSingleAddress,
  metadata4,
  metadata6,
  type Network,
  networkBounds,
  networksOverlap,
  parseNetwork,
  rangeBounds,
  special4,
  special6,
} from '@pronghorn/core/network';
import { toolPath } from '../../machine/run.ts';
import { removeFolder, temporaryFolder } from '../../machine/run-folder.ts';
import { command, unprivilegedUid } from '../../machine/unprivileged.ts';
import { parseAllowedNetwork } from '../egress/policy.ts';

export interface Fence {
  /** Command prefix directly before a program, after those that enter a namespace or change the user. */
  readonly around: readonly string[];
  /** Takes the machine's current addresses and nameservers. */
  renew(): void;
  /** Returns what was refused since the last call, each once, such as `10.0.0.1 (tcp 80)`. */
  takeRefusals(): string[];
  close(): void;
}

/** Unfenced: for campaigns on one's own machine. */
export type Fencing = 'fenced' | 'unfenced';

/** @param allowNet networks that may be reached although they are not public */
export function openFence(allowNet: readonly string[]): Fence {
  const allow = allowNet.map(parseAllowedNetwork);
  const other = process.getuid?.() === 0 ? unprivilegedUid : undefined;
  const folder = temporaryFolder('fence', other);
  const [program, policy, log] = ['fence.pl', 'policy', 'refused'].map((name) => join(folder, name)) as [string, string, string];
  // Root's browsers are another user, who may not come to where this file is.
  copyFileSync(fileURLToPath(new URL('fence.pl', import.meta.url)), program);
  writeFileSync(log, '');
  if (other !== undefined) chownSync(log, other, other);
  const renew = () => writeFileSync(policy, policyText({ allow, own: ownAddresses(), nameservers: nameservers() }));
  renew();
  const file = openSync(log, 'r');
  let read = 0;
  return {
    around: [toolPath('perl'), program, policy, log],
    renew,
    takeRefusals: () => {
      const fresh = Buffer.alloc(fstatSync(file).size - read);
      readSync(file, fresh, 0, fresh.length, read);
      read += fresh.length;
      const lines = fresh
        .toString()
        .split('\n')
        .filter((line) => line !== '');
      return [...new Set(lines)].map((line) => line.replace(/^(\S+) (.*)$/, '$1 ($2)'));
    },
    close: () => {
      closeSync(file);
      removeFolder(folder);
    },
  };
}

/**
 * Tests if this machine has what a fence needs, with a program that connects to an address of documentation.
 *
 * @returns true, or the reason why not
 */
export function canFence(): true | string {
  let fence: Fence;
  try {
    fence = openFence([]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  try {
    const connects = `use Socket; socket(my $s, PF_INET, SOCK_STREAM, 0); connect($s, pack_sockaddr_in(9, inet_aton('192.0.2.1'))); print $! + 0;`;
    const { executablePath, args } = command(toolPath('perl'), ['-e', connects], process.getuid?.() === 0, [], fence.around);
    const { stdout, stderr, error } = spawnSync(executablePath, args, { encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' });
    const refused = fence.takeRefusals();
    // EACCES, and known to be from its own call, which could be inspected.
    if (stdout === '13' && refused[0]?.startsWith('192.0.2.1 ')) return true;
    return `the kernel or the container does not allow fencing a program (${(error?.message ?? stderr.trim()) || `it ended with ${stdout || 'nothing'}`})`;
  } finally {
    fence.close();
  }
}

interface Policy {
  /** Opened by the operator, though not public. */
  allow: readonly Network[];
  /** Addresses of the machine: closed even where they are public, or a whole network is open. */
  own: readonly string[];
  nameservers: readonly string[];
}

/** In the format of fence.pl: the first matching line decides, in the order of a router's rules. */
export function policyText({ allow, own, nameservers }: Policy): string {
  const isNamed = (address: string) => allow.some((one) => isSingleAddress(one) && networksOverlap(one, parseNetwork(address)));
  const line = (verb: 'allow' | 'refuse', [first, last]: readonly [string, string]) =>
    `${verb} ${addressDigits(first)} ${addressDigits(last)}\n`;
  return [
    ...nameservers.map((address) => `nameserver ${addressDigits(address)}\n`),
    ...loopback.map((range) => line('refuse', rangeBounds(range))),
    ...own.filter((address) => !isNamed(address)).map((address) => line('refuse', [address, address])),
    ...allow.map((network) => line('allow', networkBounds(network))),
    ...[metadata4, special4, metadata6, special6].flatMap((ranges) => ranges.map(([range]) => line('refuse', rangeBounds(range)))),
    line('allow', networkBounds(parseNetwork('0.0.0.0/0'))),
    line('allow', networkBounds(parseNetwork('2000::/3'))),
  ].join('');
}

/** Linux takes what has no address for the machine itself. */
const loopback = ['127.0.0.0/8', '::1', '0.0.0.0/8', '::'];

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address.replace(/%.*$/, '')));

const nameservers = (): string[] =>
  getServers()
    .map((server) => (addressFamily(server) === null ? addressWithoutPort(server) : server).replace(/%.*$/, ''))
    .filter((server) => addressFamily(server) !== null);
