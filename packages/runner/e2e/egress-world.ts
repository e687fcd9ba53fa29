// A small world for the policy's tests: a machine (the namespace that the test runs in) between an internet and a private network,
// both of which answer at every address, and record their visitors.
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual } from 'node:util';
import { Namespace } from '../src/link/net/namespace.ts';
import { offloadsOff } from '../src/link/shapers/shaper.ts';
import { run } from '../src/machine/run.ts';
import { answerDns } from './egress-dns.ts';

/** Looks public, and belongs to this test: no packet leaves its namespaces. */
export const machine = { v4: '11.22.33.2', v6: '2a11:22:33::2', lan: '192.168.7.2' } as const;
export const publicHosts = { v4: ['44.55.66.77', '44.55.66.78'], v6: ['2a44:55:66::77'] } as const;

/** TCP ports of all listeners. */
export const ports = [80, 8080] as const;
/** UDP ports of all listeners. */
export const udpPorts = [4433, 3478] as const;

/** Port of listeners that answer with the requested number of bytes, over TCP with 200,000. */
export const bytesPort = 7_000;

export interface Visitor {
  where: 'machine' | 'internet' | 'lan' | 'router' | 'origin';
  transport: 'tcp' | 'udp';
  address: string;
  port: number;
  path?: string;
}

/** How the internet's last hop treats IPv6: a slow one loses the first SYN of each connection, which comes again after a second. */
export type Ipv6Route = 'works' | 'leads-nowhere' | 'slow';

export interface World {
  /** Counts of the nameserver's questions, by `name type`. */
  queries: ReadonlyMap<string, number>;
  /** Everything that listeners accepted, and every packet that came to the internet or the LAN. */
  visitors: Visitor[];
  forget(): Promise<void>;
  /** Reads which packets arrived at the two networks, whether something listened or not, into the records. */
  collect(): Promise<void>;
  listenIn(where: Visitor['where'], namespace: Namespace): Promise<void>;
  /** From now on the internet's last hop silently loses packets to the machine that are longer than this. */
  dropLonger(bytes: number): Promise<void>;
  treatIpv6(way: Ipv6Route): Promise<void>;
  /** Sets the page that the internet's servers answer at / from now on. */
  serve(page: string): void;
  close(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const internet = await Namespace.create('internet');
  const lan = await Namespace.create('lan');
  await join2(internet, 'eth0', { v4: [machine.v4, '11.22.33.1', 24], v6: [machine.v6, '2a11:22:33::1', 64] });
  await join2(lan, 'eth1', { v4: [machine.lan, '192.168.7.1', 24], v6: ['fd99:7::2', 'fd99:7::1', 64] });
  await run(['ip', 'route', 'add', 'default', 'via', '11.22.33.1']);
  await run(['ip', '-6', 'route', 'add', 'default', 'via', '2a11:22:33::1']);
  for (const network of ['10.1.0.0/16', '192.168.0.0/16']) await run(['ip', 'route', 'add', network, 'via', '192.168.7.1']);

  const children: ChildProcess[] = [];
  const stops: (() => void)[] = [];
  const world: World = {
    visitors: [],
    queries: new Map(),
    serve: (page) => {
      for (const child of children) child.stdin?.write(`${JSON.stringify(page)}\n`);
    },
    dropLonger: async (bytes) => {
      // Single packets, as a network carries them: what the device is handed is longer, and only cut when it has left netfilter.
      await offloadsOff(internet, 'outer');
      const chain = `chain in { type filter hook ingress device "eth0" priority 0; meta length > ${bytes} drop\n }`;
      await run(['nft', '-f', '-'], `table netdev hop\ndelete table netdev hop\ntable netdev hop { ${chain}\n }\n`);
    },
    treatIpv6: async (way) => {
      const rules = {
        works: '',
        'leads-nowhere': 'meta nfproto ipv6 meta l4proto { tcp, udp } drop',
        slow: 'meta nfproto ipv6 tcp flags & (syn | ack) == syn ip6 saddr . tcp sport != @again add @again { ip6 saddr . tcp sport } drop',
      };
      const again = 'set again { type ipv6_addr . inet_service; flags dynamic; size 65535; }';
      const chain = `chain in { type filter hook prerouting priority 0; policy accept;\n ${rules[way]}\n }`;
      await internet.run(['nft', '-f', '-'], `table inet way\ndelete table inet way\ntable inet way {\n ${again}\n ${chain}\n }\n`);
    },
    forget: async () => {
      world.visitors.length = 0;
      for (const network of [internet, lan]) await network.run(['nft', '-f', '-'], 'flush set inet seen v4\nflush set inet seen v6\n');
    },
    collect: async () => {
      for (const [where, network] of [
        ['internet', internet],
        ['lan', lan],
      ] as const)
        for (const one of seen(where, await network.run(['nft', '-j', 'list', 'table', 'inet', 'seen'])))
          if (!world.visitors.some((known) => isDeepStrictEqual(known, one))) world.visitors.push(one);
    },
    listenIn: async (where, namespace) => {
      const [program = '', ...args] = namespace.enter;
      const child = spawn(program, [...args, process.execPath, join(import.meta.dirname, 'egress-listener.ts')], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      children.push(child);
      const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
      await new Promise<void>((resolve) =>
        lines.on('line', (line) => {
          if (line === 'ready') return resolve();
          world.visitors.push({ where, ...JSON.parse(line) });
        }),
      );
    },
    close: async () => {
      for (const child of children) child.kill('SIGKILL');
      for (const stop of stops) stop();
      await internet.close();
      await lan.close();
    },
  };
  await world.listenIn('internet', internet);
  await world.listenIn('lan', lan);
  await listenHere(world.visitors, stops);
  const dns = await answerDns(await nameserver());
  stops.push(() => dns.close());
  world.queries = dns.queries;
  return world;
}

/** A pair between this namespace and a network that owns every address and records each requested one. */
async function join2(
  network: Namespace,
  device: string,
  { v4, v6 }: { v4: [string, string, number]; v6: [string, string, number] },
): Promise<void> {
  await run(['ip', 'link', 'add', device, 'type', 'veth', 'peer', 'name', 'outer', 'netns', `${network.pid}`]);
  for (const [here, there, bits] of [v4, v6]) {
    const quietly = here.includes(':') ? ['nodad'] : [];
    await run(['ip', 'address', 'add', `${here}/${bits}`, 'dev', device, ...quietly]);
    await network.run(['ip', 'address', 'add', `${there}/${bits}`, 'dev', 'outer', ...quietly]);
  }
  await run(['ip', 'link', 'set', device, 'up']);
  await network.run(['ip', 'link', 'set', 'outer', 'up']);
  // For listeners that answer from one of these addresses: IPv6 allows binding only to addresses of devices.
  await network.sysctl('net.ipv6.ip_nonlocal_bind', '1');
  for (const family of ['-4', '-6']) await network.run(['ip', family, 'route', 'add', 'local', 'default', 'dev', 'lo', 'table', 'main']);
  await network.run(
    ['nft', '-f', '-'],
    `table inet seen {
  set v4 { type ipv4_addr . inet_proto . inet_service; flags dynamic; size 65535; }
  set v6 { type ipv6_addr . inet_proto . inet_service; flags dynamic; size 65535; }
  chain arrived {
    type filter hook prerouting priority raw;
    iifname "outer" meta nfproto ipv4 meta l4proto { tcp, udp } add @v4 { ip daddr . meta l4proto . th dport }
    iifname "outer" meta nfproto ipv6 meta l4proto { tcp, udp } add @v6 { ip6 daddr . meta l4proto . th dport }
  }
}
`,
  );
}

interface Concat {
  concat: [string, 'tcp' | 'udp', number];
}

function seen(where: Visitor['where'], listing: string): Visitor[] {
  const objects: { set?: { elem?: (Concat | { elem: { val: Concat } })[] } }[] = JSON.parse(listing).nftables;
  return objects
    .flatMap(({ set }) => set?.elem ?? [])
    .map((element) => ('elem' in element ? element.elem.val : element).concat)
    .map(([address, transport, port]) => ({ where, transport, address, port }));
}

/** The machine's own services, on all of its addresses. */
async function listenHere(visitors: Visitor[], stops: (() => void)[]): Promise<void> {
  for (const port of ports) {
    const server = createHttpServer((_, response) => response.writeHead(200, { 'access-control-allow-origin': '*' }).end('machine'));
    server.on('connection', ({ localAddress = '' }) => visitors.push({ where: 'machine', transport: 'tcp', address: localAddress, port }));
    await new Promise<void>((resolve) => server.listen(port, '::', resolve));
    stops.push(() => server.close().closeAllConnections());
  }
  for (const port of udpPorts) {
    const socket = createSocket('udp6', () => visitors.push({ where: 'machine', transport: 'udp', address: '::', port }));
    await new Promise<void>((resolve) => socket.bind(port, '::', resolve));
    stops.push(() => socket.close());
  }
}

/** The machine's nameserver is whatever its resolv.conf says: the test gives the machine that address. */
export async function nameserver(): Promise<string> {
  const named = [...readFileSync('/etc/resolv.conf', 'utf8').matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address);
  const address = named.find(isIPv4) ?? '127.0.0.1';
  if (!address.startsWith('127.')) await run(['ip', 'address', 'replace', `${address}/32`, 'dev', 'lo']);
  return address;
}
