// Reads what an uplink needs to know of the machine's own network, and changes the settings that it needs there.
import { writeFileSync } from 'node:fs';
import { type Network, parseNetwork } from '@pronghorn/core/network';
import { contentOf, run } from '../../machine/run.ts';

interface Route {
  type?: string;
  dst: string;
  dev?: string;
  protocol?: string;
  metrics?: { mtu?: number }[];
}

/** Bytes of the largest packet that the machine sends to the internet over each family; null where it has no route there. */
export interface UplinkMtu {
  v4: number | null;
  v6: number | null;
}

/** All networks that the machine has a route to, in whichever table, without the default routes. Its own addresses are among them. */
export async function routedNetworks(): Promise<Network[]> {
  const routes = await routesOf('table', 'all');
  return routes.filter(({ dst }) => dst !== 'default').map(({ dst }) => parseNetwork(dst));
}

export async function hasDefaultRoute(): Promise<boolean> {
  return (await routesOf('default')).length > 0;
}

/**
 * MTU of the machine's own route to the internet, else of the route's device. Cloud networks, overlays,
 * tunnels and PPPoE have less than 1,500 bytes. It asks the kernel for a route, as policy rules of a VPN may choose another than the default
 * one; no packet is sent.
 */
export async function uplinkMtu(): Promise<UplinkMtu> {
  const [v4, v6] = await Promise.all([mtuTowards('-4', '203.0.113.1'), mtuTowards('-6', '2001:db8::1')]);
  return { v4, v6 };
}

async function mtuTowards(family: '-4' | '-6', address: string): Promise<number | null> {
  const output = await run(['ip', '-j', family, 'route', 'get', address]).catch(() => '');
  const [route] = JSON.parse(output || '[]') as Route[];
  if (route?.dev === undefined || route.dev === 'lo') return null;
  const onRoute = route.metrics?.find(({ mtu }) => mtu !== undefined)?.mtu;
  if (onRoute !== undefined) return onRoute;
  const [device] = JSON.parse(await run(['ip', '-j', 'link', 'show', 'dev', route.dev])) as { mtu: number }[];
  return device?.mtu ?? null;
}

async function routesOf(...selector: string[]): Promise<Route[]> {
  return JSON.parse((await run(['ip', '-j', '-4', 'route', 'show', ...selector])) || '[]');
}

/**
 * Lets the machine forward IPv4. Stays on: whether something else relies on it by the time the uplink closes can't be known.
 *
 * @throws Error that says what to do where this process may not
 */
export function forwardV4(): void {
  if (contentOf(v4Forwarding) === '1') return;
  try {
    writeFileSync(v4Forwarding, '1');
  } catch (error) {
    throw new Error(
      `Visits to real sites need IPv4 forwarding, which is off here and can't be turned on (${(error as Error).message}). ` +
        `On the machine run “sysctl -w net.ipv4.ip_forward=1”; start a container with --sysctl net.ipv4.ip_forward=1 (docker-compose: sysctls).`,
    );
  }
}

/**
 * Checks if visits can reach the internet over IPv6. Lets the machine forward it where it has a default route.
 *
 * @returns true, or the reason why not: then their namespace gets no IPv6 default route, so Chrome doesn't try
 */
export async function outsideV6(): Promise<true | string> {
  const listed = await run(['ip', '-j', '-6', 'route', 'show', 'default']).catch(() => '');
  const defaults = (JSON.parse(listed || '[]') as Route[]).filter(
    ({ dev, type }) => dev !== undefined && dev !== 'lo' && type !== 'unreachable',
  );
  if (defaults.length === 0) return 'The machine has no default route for IPv6.';
  if (contentOf(v6('all', 'forwarding')) === '1') return true;
  // A kernel that forwards no longer listens to router advertisements: the machine would lose its own IPv6 some minutes later.
  const advertised = defaults.find(({ dev, protocol }) => protocol === 'ra' && contentOf(v6(dev ?? '', 'accept_ra')) === '1');
  const switches = advertised === undefined ? [v6('all', 'forwarding')] : [...new Set(defaults.map(({ dev }) => forced(dev ?? '')))];
  if (switches.some((path) => contentOf(path) === null))
    return (
      `The machine's IPv6 default route comes from router advertisements, which it would stop accepting if it forwarded IPv6. ` +
      `To have IPv6 in visits: sysctl -w net.ipv6.conf.${advertised?.dev}.accept_ra=2 net.ipv6.conf.all.forwarding=1`
    );
  try {
    for (const path of switches) writeFileSync(path, '1');
    return true;
  } catch (error) {
    return `IPv6 forwarding is off and can't be turned on (${(error as Error).message}): sysctl -w net.ipv6.conf.all.forwarding=1`;
  }
}

/** Lets what comes from an uplink's device be forwarded where the machine as a whole does not forward IPv6. */
export function allowForwarding(device: string): void {
  const path = forced(device);
  if (contentOf(path) === '0' && contentOf(v6('all', 'forwarding')) !== '1') writeFileSync(path, '1');
}

/** Since Linux 6.17 single devices can forward, which leaves router advertisements alone. */
const forced = (device: string) => v6(device, 'force_forwarding');
const v4Forwarding = '/proc/sys/net/ipv4/ip_forward';
const v6 = (device: string, name: string) => `/proc/sys/net/ipv6/conf/${device}/${name}`;
