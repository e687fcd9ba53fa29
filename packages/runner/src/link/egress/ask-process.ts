// A program that a link starts in its router's namespace before a round: asks the link's resolver for the addresses of hosts, so that it has
// them in memory before the first visit needs them, and tries which of these answer. The request comes by standard input, the answer is one line,
// both JSON.
import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import { json } from 'node:stream/consumers';
import { httpsQuery } from '../../dns/https-records.ts';

export interface Question {
  server: string;
  hosts: readonly { name: string; port: number }[];
}

export interface HostAnswer {
  name: string;
  port: number;
  /** In the order in which every visit of the round gets them. */
  v4: readonly string[];
  v6: readonly string[];
}

export interface Reach {
  v4: { address: string; port: number } | null;
  v6: { address: string; port: number };
}

/** Milliseconds until the first packet came back; null: none did in time, or only an error of a router. */
export interface Reached {
  v4Ms: number | null;
  v6Ms: number | null;
}

/** Names without an answer in this time are left to the visit. */
const timeoutMs = 2_000;
/** For hosts at once: each is three queries, and the resolver passes on a thousand. */
const hostsAtOnce = 100;
const connectMs = 1_500;

/** Asks for the addresses of both families and the HTTPS record of each host. */
async function resolveAll({ server, hosts }: Question): Promise<HostAnswer[]> {
  const answers: HostAnswer[] = [];
  for (let first = 0; first < hosts.length; first += hostsAtOnce)
    answers.push(...(await Promise.all(hosts.slice(first, first + hostsAtOnce).map((host) => resolveHost(server, host)))));
  return answers;
}

async function resolveHost(server: string, { name, port }: Question['hosts'][number]): Promise<HostAnswer> {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  resolver.setServers([server]);
  const [v4, v6] = await Promise.all([
    resolver.resolve4(name).catch(() => []),
    resolver.resolve6(name).catch(() => []),
    askHttpsRecord(server, name).catch(() => {}),
  ]);
  return { name, port, v4, v6 };
}

/** Node's resolver does not know the type. What the answer says is the visit's matter; here it only has to be in the resolver's memory. */
async function askHttpsRecord(server: string, name: string): Promise<void> {
  const query = httpsQuery(0, name);
  const [, address = '', port = '53'] = /^\[?(.*?)\]?:(\d+)$/.exec(server) ?? [];
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  return await new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      socket.close();
      resolve();
    };
    const timer = setTimeout(over, timeoutMs);
    socket.once('error', over);
    socket.once('message', over);
    socket.send(query, Number(port), address);
  });
}

/** Connects by TCP to both addresses at once and hangs up. A refused connection is an answer too. */
async function reachAll(pairs: readonly Reach[]): Promise<Reached[]> {
  return await Promise.all(
    pairs.map(async ({ v4, v6 }) => {
      const [v4Ms, v6Ms] = await Promise.all([v4 === null ? null : answerMs(v4), answerMs(v6)]);
      return { v4Ms, v6Ms };
    }),
  );
}

function answerMs({ address, port }: { address: string; port: number }): Promise<number | null> {
  const start = performance.now();
  return new Promise((resolve) => {
    const socket = connect({ host: address, port });
    const over = (answered: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answered ? performance.now() - start : null);
    };
    const timer = setTimeout(() => over(false), connectMs);
    socket.once('connect', () => over(true));
    socket.once('error', (error: NodeJS.ErrnoException) => over(error.code === 'ECONNREFUSED'));
  });
}

if (process.argv[1] === import.meta.filename) {
  const input = await json(process.stdin);
  console.log(JSON.stringify(process.argv[2] === 'resolve' ? await resolveAll(input as Question) : await reachAll(input as Reach[])));
  process.exit(0);
}
