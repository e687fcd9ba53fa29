// A small Internet: the machine (the namespace that the test runs in), a router, and behind it the demo origin with the sites of the web
// at addresses that look public, with a server of names. What needs names, families, several addresses or a narrow uplink stands here.
import { spawn } from 'node:child_process';
import { hostAddresses, type Origin, startOrigin } from '@pronghorn/origin';
import { Namespace } from '../src/link/net/namespace.ts';
import { endsWithUs, run, toolPath } from '../src/machine/run.ts';
import { nameserver } from './egress-world.ts';

const prefix = { v4: '44.55.66.', v6: '2a44:55:66::' } as const;
/** A name with four addresses, all of one server, in another order with each question. */
export const rotating = {
  name: 'rotating.pronghorn.test',
  addresses: [101, 102, 103, 104].map((n) => `${prefix.v4}${n}`),
  url: ({ port }: Origin) => `https://rotating.pronghorn.test:${port}/`,
};

/** A site whose two families lead to different servers, of the same pages: over IPv6 its name is the address of the second. */
export const split = { site: 'shop', overV6: 'sharded-static' } as const;

/** The machine's route there. */
export interface Route {
  /** MTU of the uplink: less than 1,500 behind a cloud, a tunnel or PPPoE. */
  mtu: number;
  /** True if the router reports packets that are too big. Much of the Internet doesn't pass that on. */
  icmp: boolean;
  /** IPv6 that works, over which each connection begins a second later (its first packet is lost), or which leads nowhere though it has a route. */
  v6: 'works' | 'slow' | 'nowhere';
}

const usual: Route = { mtu: 1_500, icmp: true, v6: 'works' };

export interface SmallInternet {
  origin: Origin;
  /** Sets the route from now on. Default: 1,500 bytes, ICMP, IPv6 that works. */
  lead(way: Partial<Route>): Promise<void>;
  close(): Promise<void>;
}

/**
 * Only in a namespace of the test's own (`onMachine`), whose devices it takes.
 *
 * @param directory state of the origin
 */
export async function openInternet(directory: string): Promise<SmallInternet> {
  const stops: (() => unknown)[] = [];
  const close = async () => {
    for (const stop of stops.reverse().splice(0)) await stop();
  };
  try {
    return { ...(await build(directory, stops)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param stops what ends each part, as it comes to be there */
async function build(directory: string, stops: (() => unknown)[]): Promise<Omit<SmallInternet, 'close'>> {
  const [router, servers] = await Promise.all([Namespace.create('internet'), Namespace.create('servers')]);
  stops.push(() => Promise.all([router.close(), servers.close()]));
  await run(['ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'machine0', 'netns', `${router.pid}`]);
  await router.run(['ip', 'link', 'add', 'servers0', 'type', 'veth', 'peer', 'name', 'net0', 'netns', `${servers.pid}`]);
  const place = { enter: servers.enter, addressPrefix: prefix.v4, addressPrefix6: prefix.v6 };
  const up = (device: string, addresses: readonly string[]) => [
    ...addresses.map(
      (address) => `address add ${address}/${address.includes(':') ? '64' : '24'} dev ${device}${address.includes(':') ? ' nodad' : ''}`,
    ),
    `link set ${device} up`,
  ];
  const way = (gateways: readonly string[]) => gateways.map((gateway) => `route add default via ${gateway}`);
  const batch = (lines: readonly string[]) => `${lines.join('\n')}\n`;
  await router.run(
    ['ip', '-batch', '-'],
    batch([...up('machine0', ['11.22.33.1', '2a11:22:33::1']), ...up('servers0', [`${prefix.v4}1`, `${prefix.v6}1`])]),
  );
  await servers.run(
    ['ip', '-batch', '-'],
    batch([...up('net0', [...hostAddresses(place, { web: true }), ...rotating.addresses]), ...way([`${prefix.v4}1`, `${prefix.v6}1`])]),
  );
  await run(['ip', '-batch', '-'], batch([...up('eth0', ['11.22.33.2', '2a11:22:33::2']), ...way(['11.22.33.1', '2a11:22:33::1'])]));
  await router.run(['sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding']);
  const origin = await startOrigin({ directory, web: true, place });
  stops.push(() => origin.stop());
  await servers.run(
    ['nft', '-f', '-'],
    `table ip names {
  chain arrived {
    type nat hook prerouting priority dstnat;
    ip daddr { ${rotating.addresses.join(', ')} } dnat to ${addressOf(origin, 'article')}
  }
}
`,
  );
  stops.push(await answerNames(origin));
  const lead = async (different: Partial<Route>) => {
    const way = { ...usual, ...different };
    await Promise.all([
      run(['ip', 'link', 'set', 'eth0', 'mtu', `${way.mtu}`]),
      router.run(['ip', 'link', 'set', 'machine0', 'mtu', `${way.mtu}`]),
    ]);
    await router.run(['nft', '-f', '-'], rules(way));
  };
  return { origin, lead };
}

const rules = ({ icmp, v6 }: Route) => `table inet internet
delete table inet internet
table inet internet {
  chain said {
    type filter hook output priority filter;
    ${icmp ? '' : 'icmp type destination-unreachable drop\n    icmpv6 type packet-too-big drop'}
  }
  set begun6 { type ipv6_addr . inet_proto . inet_service; flags dynamic; size 65535; }
  chain passed {
    type filter hook forward priority filter;
    ${ipv6Rules[v6]}
  }
}
`;

const source = 'ip6 saddr . meta l4proto . th sport';
const ipv6Rules: Record<Route['v6'], string> = {
  works: '',
  slow: `iifname "machine0" meta l4proto { tcp, udp } ${source} != @begun6 add @begun6 { ${source} } drop`,
  nowhere: 'meta nfproto ipv6 drop',
};

const addressOf = ({ trust }: Origin, label: string): string =>
  trust.hostRules.match(new RegExp(`MAP ${label}\\.pronghorn\\.test (\\S+?)(?:,|$)`))?.[1] ?? '';

/** Says `alpn=h3` of a name (RFC 9460): priority 1, the name itself, the one parameter. */
const offersH3 = '000100000100030268' + '33';

/** The machine's resolver: knows the demo's names, in turn where a name has several addresses. */
async function answerNames(origin: Origin): Promise<() => void> {
  const { port, trust } = origin;
  const hosts = trust.hostRules.split(',').flatMap((rule) => {
    const [, name = '', address = ''] = rule.split(' ');
    return address.startsWith('~') ? [] : [{ name, address }];
  });
  const listening = await nameserver();
  const [setpriv = '', ...tie] = endsWithUs(toolPath('setpriv'));
  const child = spawn(
    setpriv,
    [
      ...tie,
      toolPath('dnsmasq'),
      ...['--keep-in-foreground', '--conf-file=/dev/null', '--pid-file=', '--no-hosts', '--no-resolv', '--user=root'],
      ...['--bind-interfaces', `--listen-address=${listening}`, '--local-ttl=20'],
      ...hosts.map(({ name, address }) => {
        const overV6 = name.startsWith(`${split.site}.`) ? addressOf(origin, split.overV6) : address;
        return `--host-record=${name},${address},${overV6.replace(prefix.v4, prefix.v6)}`;
      }),
      ...rotating.addresses.map((address) => `--host-record=${rotating.name},${address}`),
      // For a port other than 443 the record's name has the port (RFC 9460 §9.1).
      `--dns-rr=_${port}._https.https-record.pronghorn.test,65,${offersH3}`,
    ],
    { stdio: 'ignore' },
  );
  return () => child.kill('SIGKILL');
}
