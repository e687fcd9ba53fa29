// A link of this kernel for tests of what measures links: veth pairs over a bridge, tbf for a rate, nftables for loss. None of these delays.
import { after, before } from 'node:test';
import type { Condition } from '@pronghorn/core/schemas';
import type { Subject } from '../src/link/check/check.ts';
import { Namespace } from '../src/link/net/namespace.ts';
import { openProbe, type Probe } from '../src/link/probe/probe.ts';
import { claimPriority } from '../src/machine/cgroups.ts';

export const addresses = { near: '10.115.1.2', far: '10.115.1.1' };
export const addresses6 = { near: 'fd70:7068:1::2', far: 'fd70:7068:1::1' };

/** Whose link the bench's checks are said to be. */
export const subject: Subject = { backend: 'veth', kernel: 'test', tcLines: [] };
export const native: Condition = { name: 'native', up: {}, down: {} };
export const needsRoot = process.getuid?.() === 0 ? false : 'needs root: it makes network namespaces';

type Both<Value> = { up: Value; down: Value };

export interface LinkBench {
  readonly near: Namespace;
  readonly middle: Namespace;
  readonly far: Namespace;
  /** Between the ends, over IPv4. */
  readonly probe: Probe;
  openProbe(ends: typeof addresses): Promise<Probe>;
  /** Limits the rates of what the far and the near end receive, where it leaves the bridge towards them, while the work is done. */
  shaped<Value>(kbps: Both<number>, work: () => Promise<Value>): Promise<Value>;
  /** Drops the packets that nftables' expressions choose, before they reach the far and the near end, while the work is done. */
  losing<Value>(which: Both<string>, work: () => Promise<Value>): Promise<Value>;
  close(): Promise<void>;
}

/** @returns the bench of a suite, which is there once its tests run */
export function linkBench(): () => LinkBench {
  let bench: LinkBench;
  before(async () => {
    bench = await openLinkBench();
  });
  after(() => bench?.close());
  return () => bench;
}

async function openLinkBench(): Promise<LinkBench> {
  const [near, middle, far] = await Promise.all([Namespace.create('near'), Namespace.create('middle'), Namespace.create('far')]);
  await middle.run(['ip', 'link', 'add', 'bridge', 'type', 'bridge']);
  await middle.run(['ip', 'link', 'set', 'bridge', 'up']);
  for (const [end, name] of [
    [near, 'near'],
    [far, 'far'],
  ] as const) {
    await middle.run(['ip', 'link', 'add', name, 'type', 'veth', 'peer', 'name', 'link0', 'netns', String(end.pid)]);
    await middle.run(['ip', 'link', 'set', name, 'master', 'bridge', 'up']);
    await end.run(['ethtool', '-K', 'link0', 'tso', 'off', 'gso', 'off', 'gro', 'off']);
    await end.run(['ip', 'address', 'add', `${addresses[name]}/24`, 'dev', 'link0']);
    await end.run(['ip', 'address', 'add', `${addresses6[name]}/64`, 'dev', 'link0', 'nodad']);
    await end.run(['ip', 'link', 'set', 'link0', 'up']);
    await middle.run(['ethtool', '-K', name, 'tso', 'off', 'gso', 'off', 'gro', 'off']);
  }
  for (const [end, to] of [
    [near, addresses.far],
    [far, addresses.near],
  ] as const)
    await end.run(['ip', 'route', 'replace', to, 'dev', 'link0', 'congctl', 'cubic']);
  const priority = claimPriority();
  const open = (ends: typeof addresses) => openProbe(near, far, ends, priority.enter);
  const probe = await open(addresses);
  return {
    near,
    middle,
    far,
    probe,
    openProbe: open,
    shaped: async (kbps, work) => {
      for (const [device, rate] of [
        ['far', kbps.up],
        ['near', kbps.down],
      ] as const)
        await middle.run([
          'tc',
          'qdisc',
          'replace',
          'dev',
          device,
          'root',
          'tbf',
          'rate',
          `${rate}kbit`,
          'burst',
          '4000',
          'limit',
          '32768',
        ]);
      try {
        return await work();
      } finally {
        for (const device of ['near', 'far']) await middle.run(['tc', 'qdisc', 'del', 'dev', device, 'root']);
      }
    },
    losing: async (which, work) => {
      for (const [end, chosen] of [
        [far, which.up],
        [near, which.down],
      ] as const)
        await end.run(['nft', '-f', '-'], `table ip loss { chain lose { type filter hook prerouting priority 0; ${chosen} drop; }; }`);
      try {
        return await work();
      } finally {
        for (const end of [near, far]) await end.run(['nft', 'delete', 'table', 'ip', 'loss']);
      }
    },
    close: async () => {
      await probe.close();
      await Promise.all([near, middle, far].map((namespace) => namespace.close()));
      priority.release();
    },
  };
}
