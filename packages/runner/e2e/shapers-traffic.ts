// Shapers between two namespaces, and the traffic that tests send through them. The far end has 10.115.1.1, the near one 10.115.1.2.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before } from 'node:test';
import type { Condition } from '@pronghorn/core/schemas';
import { linkDevice, macs } from '../src/link/net/addresses.ts';
import { Namespace } from '../src/link/net/namespace.ts';
import { canGuest, openGuest } from '../src/link/shapers/guest.ts';
import { canNetem, openNetem } from '../src/link/shapers/netem.ts';
import { openVeth, type Shaper } from '../src/link/shapers/shaper.ts';

const root = process.getuid?.() === 0 || 'needs root';

/** Each kind of shaper with whether it can be opened here, or why not. */
export const kinds = [
  { name: 'veth', open: openVeth, can: root, shapes: false },
  { name: 'netem', open: openNetem, can: root === true ? await canNetem() : root, shapes: true },
  { name: 'guest', open: openGuest, can: root === true ? await canGuest() : root, shapes: true },
] as const;

export const unless = (can: true | string) => ({ skip: can === true ? false : can });

export const delayed: Condition = { name: 'tried', up: { delayMs: 25 }, down: { delayMs: 25 } };

export interface Joined {
  near: Namespace;
  far: Namespace;
  shaper: Shaper;
  close(): Promise<void>;
}

/** @returns a shaper of that kind for the tests of a suite, which is there once they run */
export function joined({ open }: (typeof kinds)[number]): () => Joined {
  let opened: Joined;
  before(async () => {
    opened = await joinBy(open);
  });
  after(() => opened?.close());
  return () => opened;
}

/** Two namespaces with addresses, and the shaper between them; its `shaper` may be replaced. */
async function joinBy(open: (near: Namespace, far: Namespace) => Promise<Shaper>): Promise<Joined> {
  const [near, far] = await Promise.all([Namespace.create('near'), Namespace.create('far')]);
  const joined: Joined = {
    near,
    far,
    shaper: await open(near, far),
    close: async () => {
      await joined.shaper.close();
      await Promise.all([near.close(), far.close()]);
    },
  };
  await addressBoth(near, far);
  return joined;
}

export async function addressBoth(near: Namespace, far: Namespace): Promise<void> {
  for (const [end, own, other, otherMac] of [
    [near, addresses.near, addresses.far, macs.far],
    [far, addresses.far, addresses.near, macs.near],
  ] as const) {
    await end.run(['ip', 'address', 'add', `${own}/24`, 'dev', linkDevice]);
    await end.run(['ip', 'neighbour', 'replace', other, 'lladdr', otherMac, 'nud', 'permanent', 'dev', linkDevice]);
  }
}

const addresses = { near: '10.115.1.2', far: '10.115.1.1' } as const;
const addressOf = (end: Namespace) => addresses[end.name as keyof typeof addresses];

/** Round trips of a small datagram, 40 of them one after the other: the shortest, which no other work delays, and the median. */
export async function roundTripMs(from: Namespace, to: Namespace): Promise<{ least: number; median: number }> {
  const ask = `const s = require('dgram').createSocket('udp4'), times = []; let start;
    const send = () => { start = performance.now(); s.send('x', 7000, '${addressOf(to)}'); };
    s.on('message', () => {
      times.push(performance.now() - start);
      if (times.length < 50) return send();
      s.close();
      const [least, ...others] = times.slice(10).sort((a, b) => a - b);
      console.log(JSON.stringify({ least, median: others[19] }));
    });
    send();`;
  return await beside(to, echo, async () => JSON.parse(await from.run([process.execPath, '-e', ask])));
}

/** Makes 30,000 round trips as fast as they go, each on its own. @returns how many took more than a tenth of a second */
export async function lateRoundTrips(from: Namespace, to: Namespace): Promise<number> {
  const ask = `use Socket; socket(S, PF_INET, SOCK_DGRAM, 0) or die $!; connect(S, sockaddr_in(7000, inet_aton("${addressOf(to)}"))) or die $!;
    my $late = 0;
    for my $number (1 .. 30000) {
      send(S, $number, 0) or die $!;
      for (my $wait = 0.1; ; $wait = 1) {
        vec(my $ready = "", fileno(S), 1) = 1;
        if (!select($ready, undef, undef, $wait)) { $late++ if $wait < 1; last if $wait == 1; next; }
        recv(S, my $answer, 10, 0) // die $!;
        last if $answer == $number;
      }
    }
    print $late;`;
  return await beside(to, echo, async () => Number(await from.run(['perl', '-e', ask])));
}

// Perl's loop is quick enough to meet a kernel that is just falling asleep; Node's isn't.
const echo = [
  'perl',
  '-e',
  `use Socket; socket(S, PF_INET, SOCK_DGRAM, 0) or die $!; bind(S, sockaddr_in(7000, INADDR_ANY)) or die $!;
    $| = 1; print "ready";
    while (my $who = recv(S, my $said, 100, 0)) { send(S, $said, 0, $who); }`,
];

/**
 * Sends bytes in one TCP stream.
 *
 * @returns seconds from the connection to its end, when the receiver has read all: never fewer than the link takes, however late a process is
 */
export async function bulk(from: Namespace, to: Namespace, bytes: number): Promise<number> {
  const sink = `require('net').createServer((c) => c.resume()).listen(7001, () => console.log('ready'));`;
  const send = `let start;
    require('net').connect(7001, '${addressOf(to)}').once('connect', () => { start = performance.now(); }).resume().end(Buffer.alloc(${bytes}))
      .once('close', () => console.log((performance.now() - start) / 1000));`;
  return await beside(to, [process.execPath, '-e', sink], async () => Number(await from.run([process.execPath, '-e', send])));
}

/** Sends datagrams of 1,472 bytes that leave their socket as one (UDP_SEGMENT), as QUIC's do. @returns how many arrived: all, or those of a minute */
export async function datagrams(from: Namespace, to: Namespace, count: number): Promise<number> {
  const sink = `let seen = 0; const s = require('dgram').createSocket('udp4');
    const say = () => { console.log(seen); process.exit(); };
    s.on('message', (m) => { if (m.length === 1472 && ++seen === ${count}) say(); });
    s.bind(7002, () => { console.log('ready'); setTimeout(say, 60_000); });`;
  // Node has no such socket option.
  const send = `use Socket; socket(S, PF_INET, SOCK_DGRAM, 0) or die $!; setsockopt(S, 17, 103, pack("i", 1472)) or die $!;
    send(S, "x" x (1472 * ${count}), 0, sockaddr_in(7002, inet_aton("${addressOf(to)}"))) or die $!;`;
  return await beside(to, [process.execPath, '-e', sink], async (nextLine) => {
    await from.run(['perl', '-e', send]);
    return Number(await nextLine());
  });
}

/** Runs a program in a namespace beside other work, which begins once the program has reported that it is ready. */
async function beside<T>(where: Namespace, argv: readonly string[], work: (nextLine: () => Promise<string>) => Promise<T>): Promise<T> {
  const [program = '', ...enter] = where.enter;
  const child = spawn(program, [...enter, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] });
  const words = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
  const ended = once(child, 'exit');
  const nextLine = async () => {
    const { value, done } = await words.next();
    if (done) throw new Error(`${argv.join(' ')} ended (${await ended}) before it reported`);
    return value;
  };
  try {
    await nextLine();
    return await work(nextLine);
  } finally {
    // The next one takes the same port.
    child.kill('SIGKILL');
    await ended;
  }
}
