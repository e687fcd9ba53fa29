// A link's way to the outside: a veth pair from the router's namespace to the one this process runs in (the machine's or a
// container's), where its packets take the machine's own address.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Network } from '@pronghorn/core/network';
import { run } from '../../machine/run.ts';
import type { Namespace } from '../net/namespace.ts';
import { allowForwarding, forwardV4, hasDefaultRoute, routedNetworks, type UplinkMtu, uplinkMtu } from './machine-network.ts';
import { uplinkDevice } from './policy.ts';
import { freeSubnet, machineRules, ownerOf, type Subnet, tableName, trial } from './uplink-rules.ts';

export interface Uplink {
  subnet: Subnet;
  hasV6: boolean;
  /** MTU of the machine's route to the internet, which the pair has too. */
  mtu: UplinkMtu;
  close(): Promise<void>;
}

export interface UplinkOptions {
  /** Networks that the operator opened; an address of this machine counts only when it is named by itself. */
  allow: readonly Network[];
  /** True if the internet is reached over IPv6 too, as `outsideV6` says. */
  outsideV6: boolean;
}

/**
 * Gives a router a way to the outside.
 *
 * @throws Error that says what to do when the machine can't or doesn't forward
 */
export async function openUplink(router: Namespace, { allow, outsideV6 }: UplinkOptions): Promise<Uplink> {
  forwardV4();
  const mtu = await uplinkMtu();
  const subnet = await addPair(router, deviceMtu(mtu));
  const table = tableName(subnet.device);
  const close = async () => {
    await run(['nft', 'delete', 'table', 'inet', table]).catch(() => {});
    await run(['ip', 'link', 'delete', subnet.device]).catch(() => {});
  };
  try {
    // The rules before the addresses: at no moment is there a way around them.
    await run(['nft', '-f', '-'], machineRules(table, subnet, allow));
    const hasV6 = await addAddresses(router, subnet);
    if (hasV6 && outsideV6) allowForwarding(subnet.device);
    if (hasV6 && outsideV6) await router.run(['ip', '-6', 'route', 'replace', 'default', 'via', subnet.v6.machine, 'dev', uplinkDevice]);
    if (await hasDefaultRoute()) await tryFirewall(router, table);
    return { subnet, hasV6, mtu, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Removes what uplinks of ended runners left in this namespace. Call it before the first uplink is opened.
 *
 * @returns the names of tables that were removed
 */
export async function sweepUplinks(): Promise<string[]> {
  const listing: { nftables: { table?: { family: string; name: string } }[] } = JSON.parse(await run(['nft', '-j', 'list', 'tables']));
  const swept: string[] = [];
  for (const { table } of listing.nftables) {
    const owner = table?.family === 'inet' ? ownerOf(table.name) : undefined;
    if (table === undefined || owner === undefined) continue;
    // A pair disappears with the router's namespace, which ends with its runner: no pair, no owner.
    const alive =
      owner.alive ??
      (await run(['ip', 'link', 'show', 'dev', owner.device]).then(
        () => true,
        () => false,
      ));
    if (alive) continue;
    await run(['ip', 'link', 'delete', owner.device]).catch(() => {});
    await run(['nft', 'delete', 'table', 'inet', table.name]).catch(() => {});
    swept.push(table.name);
  }
  return swept;
}

/**
 * MTU of the pair: that of the wider of the two families, since the machine's rules know each route. No more than the link itself,
 * which stays an Ethernet of 1,500 bytes where a cloud has 9,001, and no less than IPv6 needs (RFC 8200).
 */
const deviceMtu = ({ v4, v6 }: UplinkMtu) => Math.max(1_280, Math.min(1_500, Math.max(v4 ?? 0, v6 ?? 0) || 1_500));

/** The device's name is the lock: the kernel refuses a second one, and it disappears with the router's namespace. */
async function addPair(router: Namespace, mtu: number): Promise<Subnet> {
  for (let attempt = 0; ; attempt += 1) {
    const subnet = freeSubnet(await routedNetworks(), randomInt(8_192));
    try {
      const carries = ['mtu', `${mtu}`];
      const peer = ['peer', 'name', uplinkDevice, ...carries, 'netns', `${router.pid}`];
      await run(['ip', 'link', 'add', subnet.device, ...carries, 'type', 'veth', ...peer]);
      return subnet;
    } catch (error) {
      if (attempt === 20 || !/exists/.test((error as Error).message)) throw error;
    }
  }
}

async function addAddresses(router: Namespace, { device, v4, v6 }: Subnet): Promise<boolean> {
  await run(['ip', 'address', 'add', `${v4.machine}/30`, 'dev', device]);
  await router.run(['ip', 'address', 'add', `${v4.router}/30`, 'dev', uplinkDevice]);
  const hasV6 = await run(['ip', 'address', 'add', `${v6.machine}/64`, 'dev', device, 'nodad']).then(
    () => true,
    () => false,
  );
  if (hasV6) await router.run(['ip', 'address', 'add', `${v6.router}/64`, 'dev', uplinkDevice, 'nodad']);
  await run(['ip', 'link', 'set', device, 'up']);
  await router.run(['ip', 'link', 'set', uplinkDevice, 'up']);
  await router.run(['ip', 'route', 'replace', 'default', 'via', v4.machine, 'dev', uplinkDevice]);
  return hasV6;
}

/** How long a packet may take to show up in the machine's forwarding. */
const noticedMs = 2_000;

/**
 * Tests if the machine's firewall lets a visit's packets through: sends one, which our own rules take out before it could leave. On a busy machine
 * the first packet of a new pair can be late or lost (its carrier, its neighbour), so it is sent again for a while.
 */
async function tryFirewall(router: Namespace, table: string): Promise<void> {
  const send = `const socket = require('dgram').createSocket('udp4'); socket.send('pronghorn', ${trial.port}, '${trial.address}', () => socket.close());`;
  const counted = async () => {
    await router.run([process.execPath, '-e', send]);
    const listing: { nftables: { counter?: { name: string; packets: number } }[] } = JSON.parse(
      await run(['nft', '-j', 'list', 'counters', 'table', 'inet', table]),
    );
    const packets = (name: string) => listing.nftables.find(({ counter }) => counter?.name === name)?.counter?.packets ?? 0;
    return { entered: packets('entered'), passed: packets('passed') };
  };
  const until = performance.now() + noticedMs;
  let { entered, passed } = await counted();
  while (entered === 0 && performance.now() < until) {
    await delay(100);
    ({ entered, passed } = await counted());
  }
  if (passed > 0) return;
  if (entered === 0)
    throw new Error(
      `A packet of the router did not reach the machine's forwarding over ${table}: one of the machine's rules drops it earlier.`,
    );
  throw new Error(
    `The machine's firewall drops packets that it forwards for visits (a forward chain with policy drop, as Docker, ufw and firewalld set it). Allow it: ` +
      `with Docker “iptables -I DOCKER-USER -i pronghorn+ -j ACCEPT; iptables -I DOCKER-USER -o pronghorn+ -j ACCEPT”, with ufw “ufw route allow in on pronghorn+”, ` +
      `else in its forward chain “iifname "pronghorn*" accept; oifname "pronghorn*" accept”; for IPv6 likewise with ip6tables.`,
  );
}
