// A runner's link: opened with this machine's means, proven before every round, and closed with the runner.
import { needsShaping } from '@pronghorn/core/network';
import type { Condition, Environment, LinkBackend, LinkCheck } from '@pronghorn/core/schemas';
import { defaultCongestionControl } from '@pronghorn/core/vocabulary';
import { claimPriority, type Priority, sweepPriorities } from '../machine/cgroups.ts';
import { contentOf } from '../machine/run.ts';
import type { AgentLink, VantagePoint } from './agent-link.ts';
import { chooseBackend, type LinkChoice, LinkUnavailable, shaperOf } from './backends.ts';
import { checkFull, checkRtt } from './check/check.ts';
import { type Egress, openEgress } from './egress/egress.ts';
import { outsideV6, uplinkMtu } from './egress/machine-network.ts';
import type { HostAddresses } from './egress/resolver.ts';
import { sweepUplinks } from './egress/uplink.ts';
import { type Fence, type Fencing, openFence } from './fence/fence.ts';
import { linkDevice, routerEnd, visitEnd } from './net/addresses.ts';
import { receiveBuffers, receiveDrops } from './net/receive-buffers.ts';
import { Preparation } from './prepare.ts';
import { openProbe } from './probe/probe.ts';
import { openPath, type Path } from './shapers/path.ts';
import { offloadsOff, receiveOffloadOn } from './shapers/shaper.ts';
import { tcLines } from './shapers/tc.ts';

export interface Link extends AgentLink {
  readonly backend: LinkBackend;
  readonly vantagePoint: VantagePoint;
  /** Command prefix for the demo origin's program: starts it on the far side of the link, with priority over other work. */
  readonly originEnter: readonly string[];
  /** Measures the link under a condition: loss, delays and rates, or only round trips. */
  measure(condition: Condition, what?: 'all' | 'rtt'): Promise<LinkCheck>;
  close(): Promise<void>;
}

export interface LinkOptions {
  choice: LinkChoice;
  conditions: readonly Condition[];
  /** The demo origin that is to stand behind it, and the ports that visits reach there. */
  origin?: { addresses: readonly string[]; ports: readonly number[] };
  outside: boolean;
  /** Networks that visits may reach although they are not public, such as 10.1.0.0/16. */
  allowNet?: readonly string[];
  /** Only for the link direct; others have a router. Default unfenced: one's own campaigns mostly measure one's own machine. */
  fencing?: Fencing;
  /** Congestion control of TCP at both ends, such as cubic or bbr. */
  congestionControl?: string;
  /** Addresses of names that hold for all visits to the world; null: nothing is known of that name. */
  hosts?: HostAddresses;
}

export { defaultCongestionControl };

/**
 * Opens the link of this process. It first removes what killed runners left on the machine.
 *
 * @throws LinkUnavailable when no link of this machine can do what is asked, with the reasons
 */
export async function openLink(options: LinkOptions): Promise<Link> {
  const {
    choice,
    conditions,
    origin,
    outside,
    allowNet = [],
    fencing = 'unfenced',
    congestionControl = defaultCongestionControl,
    hosts,
  } = options;
  const backend = await chooseBackend(choice, conditions, fencing);
  const openShaper = shaperOf(backend);
  sweepPriorities();
  const priority = claimPriority();
  if (openShaper === undefined) return await directLink(priority, fencing === 'fenced' ? openFence(allowNet) : undefined);
  mustKnow(congestionControl);
  await sweepUplinks();
  const v6 = outside && (await outsideV6()) === true;
  let path: Path | undefined;
  let egress: Egress | undefined;
  const close = async () => {
    await egress?.close();
    await path?.close();
    priority.release();
  };
  try {
    path = await openPath({ openShaper, originAddresses: origin?.addresses, congestionControl });
    egress = await openEgress(path, { allowNet, originPorts: origin?.ports ?? [], outside, v6, hosts });
    return await pathLink(path, egress, { priority, congestionControl }, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** A condition on a path, and what proves it. */
async function pathLink(
  path: Path,
  egress: Egress,
  { priority, congestionControl }: { priority: Priority; congestionControl: string },
  close: () => Promise<void>,
): Promise<Link> {
  const { visit, router, origin } = path;
  const probe = await openProbe(visit, router, { near: visitEnd.v4, far: routerEnd.v4 }, priority.enter);
  const lines = (condition: Condition) => (path.shaper.devices === null ? [] : tcLines(condition, path.shaper.devices));
  const subject = (condition: Condition) => ({
    backend: path.shaper.backend,
    kernel: path.shaper.kernel,
    tcLines: lines(condition),
  });
  const link: Environment['link'] = {
    backend: path.shaper.backend,
    kernel: path.shaper.kernel,
    congestionControl,
    priority: priority.kind,
    offloads: 'off',
    receiveBuffers: await receiveBuffers(visit),
  };
  const apply = async (condition: Condition) => {
    if (path.shaper.devices === null && needsShaping(condition))
      throw new LinkUnavailable(`The link ${path.shaper.backend} can’t apply condition ${condition.name}.`);
    // A merged packet is a single one for a queue, and for loss.
    await offloadsOff(visit, linkDevice);
    link.offloads = 'off';
    await path.shaper.apply(lines(condition));
    if (!needsShaping(condition) && (await receiveOffloadOn(visit, linkDevice))) link.offloads = 'receive';
  };
  const preparation = new Preparation({
    apply,
    checkFully: (condition) => checkFull(probe, condition, subject(condition)),
    checkRtt: (condition) => checkRtt(probe, condition, subject(condition)),
    rebuild: async () => {
      await path.renewShaper();
      await egress.restoreRoutes();
    },
  });
  /** To find out whether IPv6 works: once is enough for each. */
  const tried = new Set<string>();
  return {
    backend: path.shaper.backend,
    vantagePoint: {
      enter: [...priority.enter, ...visit.enter],
      // The state when a browser asks: offloads depend on the condition, and whether IPv6 works is found out between rounds.
      get link() {
        return { ...link, ...(egress.uplinkMtu === null ? {} : { uplink: { mtu: egress.uplinkMtu, ipv6: egress.ipv6 } }) };
      },
    },
    originEnter: origin === undefined ? [] : [...priority.enter, ...origin.enter],
    beginCampaign: async (urls) => {
      const fresh = egress.ipv6 === 'unproven' ? urls.filter((url) => !tried.has(url)).slice(0, 100) : [];
      for (const url of fresh) tried.add(url);
      return fresh.length === 0 ? [] : await egress.beginRound(fresh);
    },
    beginRound: (urls) => egress.beginRound(urls),
    prepare: (condition, report) => preparation.prepare(condition, report),
    clear: () => preparation.apply(unshaped),
    watch: () => {
      const before = receiveDrops(visit);
      // A visit doesn't fail because they can't be read.
      const count = () => path.shaper.show().catch(() => '');
      const counted = count();
      return async () => {
        const dropped = receiveDrops(visit) - before;
        const { destinations } = await egress.takeRefusals();
        const refused = destinations.slice(0, 100).map(({ address, transport, port }) => `${address} (${transport} ${port})`);
        const counters = { before: await counted, after: await count() };
        const isWhole = counters.before !== '' && counters.after !== '';
        return { refused, receiveDrops: dropped, ...(isWhole ? { counters } : {}) };
      };
    },
    measure: async (condition, what = 'all') => {
      await preparation.apply(condition);
      return await { all: checkFull, rtt: checkRtt }[what](probe, condition, subject(condition));
    },
    close: async () => {
      await probe.close();
      await close();
    },
  };
}

/** The machine's own network, unchanged and unproven. */
async function directLink(priority: Priority, fence: Fence | undefined): Promise<Link> {
  const link: Environment['link'] = {
    backend: 'direct',
    kernel: null,
    congestionControl: ofMachine('tcp_congestion_control'),
    priority: priority.kind,
    offloads: 'machine',
    uplink: await ownUplink(),
    receiveBuffers: await receiveBuffers(),
  };
  return {
    backend: 'direct',
    vantagePoint: { enter: priority.enter, fence, link },
    originEnter: priority.enter,
    beginRound: async () => {
      fence?.renew();
      return [];
    },
    prepare: async () => null,
    clear: async () => {},
    watch: () => {
      if (fence === undefined) return async () => null;
      const before = receiveDrops(process);
      // Refusals between visits belong to no visit.
      fence.takeRefusals();
      return async () => ({ refused: fence.takeRefusals().slice(0, 100), receiveDrops: receiveDrops(process) - before });
    },
    measure: async () => {
      throw new LinkUnavailable('The link direct is the machine’s own network, so it has nothing to check.');
    },
    close: async () => {
      fence?.close();
      priority.release();
    },
  };
}

/** Chrome tries whatever the machine has: nothing is proven. */
async function ownUplink(): Promise<NonNullable<Environment['link']['uplink']>> {
  const mtu = await uplinkMtu().catch(() => ({ v4: null, v6: null }));
  return { mtu, ipv6: mtu.v6 === null ? 'none' : 'unproven' };
}

const unshaped: Condition = { name: 'native', up: {}, down: {} };

function mustKnow(congestionControl: string): void {
  const known = (ofMachine('tcp_available_congestion_control') ?? '').split(' ');
  if (known.includes(congestionControl)) return;
  throw new LinkUnavailable(
    `This kernel does not have the congestion control ${congestionControl}; it has ${known.join(', ')}. Name one of them, or try: modprobe tcp_${congestionControl}`,
  );
}

const ofMachine = (parameter: string) => contentOf(`/proc/sys/net/ipv4/${parameter}`);
