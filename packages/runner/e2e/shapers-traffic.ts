// Traffic between two namespaces, for tests of what joins them. The far end has 10.115.1.1, the near one 10.115.1.2.
import { spawn } from 'node:child_process';
import type { Namespace } from '../src/link/net/namespace.ts';

const addresses: Record<string, string> = { near: '10.115.1.2', far: '10.115.1.1' };
const addressOf = (end: Namespace) => addresses[end.name] as string;

/** Median of 40 round trips of a small datagram, one after the other. */
export async function roundTripMs(from: Namespace, to: Namespace): Promise<number> {
  const ask = `const s = require('dgram').createSocket('udp4'), times = []; let start;
    const send = () => { start = performance.now(); s.send('x', 7000, '${addressOf(to)}'); };
    s.on('message', () => {
      times.push(performance.now() - start);
      if (times.length < 50) return send();
      s.close();
      console.log(times.slice(10).sort((a, b) => a - b)[20]);
    });
    send();`;
  return await beside(to, echo, async () => Number(await from.run([process.execPath, '-e', ask])));
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

/** Sends bytes in one TCP stream. @returns seconds from its first to its last byte at the receiver */
export async function bulk(from: Namespace, to: Namespace, bytes: number): Promise<number> {
  const sink = `require('net').createServer((c) => {
      let first;
      c.on('data', () => { first ??= performance.now(); });
      c.on('end', () => { console.log((performance.now() - first) / 1000); process.exit(); });
    }).listen(7001, () => console.log('ready'));`;
  const send = `require('net').connect(7001, '${addressOf(to)}').end(Buffer.alloc(${bytes}));`;
  return await beside(to, [process.execPath, '-e', sink], async (nextLine) => {
    await from.run([process.execPath, '-e', send]);
    return Number(await nextLine());
  });
}

/** Sends datagrams of 1,472 bytes that leave their socket as one (UDP_SEGMENT), as QUIC's do. @returns how many arrived within a second */
export async function datagrams(from: Namespace, to: Namespace, count: number): Promise<number> {
  const sink = `let seen = 0; const s = require('dgram').createSocket('udp4');
    const say = () => { console.log(seen); process.exit(); };
    s.on('message', (m) => { if (m.length === 1472 && ++seen === ${count}) say(); });
    s.bind(7002, () => { console.log('ready'); setTimeout(say, 1000); });`;
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
  const nextLine = async () => (await words.next()).value as string;
  try {
    await nextLine();
    return await work(nextLine);
  } finally {
    child.kill('SIGKILL');
  }
}
