// Where the origin stands: on this machine's loopback, or in a network namespace behind a link.
import { callsHost, type Host, hosts } from './hosts.ts';
import { proxyHost, webHosts } from './web-hosts.ts';

export interface Place {
  /** Put before a program and its arguments to start it there, such as nsenter --net=… --; empty for this machine. */
  enter: readonly string[];
  /** Prefix of the hosts' IPv4 addresses, such as 10.115.2.; the host's number follows. */
  addressPrefix: string;
  /** The same for IPv6, such as fd70:7068:2::; without it the hosts have only IPv4. */
  addressPrefix6?: string;
}

export const thisMachine: Place = { enter: [], addressPrefix: '127.0.0.' };

/** True if the origin has a network of its own there. `enter` doesn't tell: it may only set a priority. */
export const isOwnNetwork = ({ enter, addressPrefix }: Place): boolean => enter.length > 0 && !addressPrefix.startsWith('127.');

/** The addresses of a host: IPv4 first, then IPv6 where the place has it. */
export function addressesOf({ number }: Host, { addressPrefix, addressPrefix6 }: Place): string[] {
  return [`${addressPrefix}${number}`, ...(addressPrefix6 === undefined ? [] : [`${addressPrefix6}${number}`])];
}

/**
 * Every address that the origin listens on, with `web` those of the web as well. They must be there before it starts, the IPv6 ones as `nodad`: an address that the
 * kernel still checks for duplicates can't be listened on.
 */
export function hostAddresses(place: Place, { web = false, calls = false }: { web?: boolean; calls?: boolean } = {}): string[] {
  const some = [...hostsOf({ web }), ...(web ? [proxyHost] : []), ...(calls ? [callsHost] : [])];
  // Lists each once: some hosts of the web share theirs.
  return [...new Set(some.flatMap((host) => addressesOf(host, place)))];
}

/** The hosts of an origin with the web's or without. */
export const hostsOf = ({ web }: { web: boolean }): readonly Host[] => (web ? [...hosts, ...webHosts] : hosts);

/** An address and port as URLs and configurations write them: IPv6 in brackets. */
export function withPort(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
