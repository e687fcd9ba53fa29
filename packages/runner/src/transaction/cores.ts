// Client and server of REST calls on cores of their own: what one takes from the other would be told as a difference between protocols.
import { readFileSync } from 'node:fs';

/** Fewer than two each, and one would be too slow for the other. */
const fewest = 4;

/** As `taskset -c` takes them. */
export interface Cores {
  client: string;
  server: string;
}

/**
 * The cores that this process may use, in two halves; null where there are too few.
 *
 * @param allowed such as 0-3,8: `Cpus_allowed_list` of /proc/self/status
 */
export function coresApart(allowed = allowedCores()): Cores | null {
  const cores = allowed.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, n) => first + n);
  });
  if (cores.length < fewest) return null;
  const half = Math.floor(cores.length / 2);
  return { client: cores.slice(0, half).join(','), server: cores.slice(half).join(',') };
}

function allowedCores(): string {
  const [, list] = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  if (list === undefined) throw new Error('/proc/self/status does not tell which cores this process may use.');
  return list;
}
