// A program of the policy's tests, started in the visit's namespace: sends the given requests and prints their results.
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';

/** The requests to send: URLs, hosts as programs write them (getaddrinfo reads octal and short forms), UDP likewise. */
export interface Questions {
  urls: string[];
  tcp: { host: string; port: number }[];
  udp: { host: string; port: number }[];
}

export interface Answer {
  question: string;
  reached: boolean;
  /** Neither an answer nor a refusal came back. */
  silent: boolean;
}

/** Longer than the busiest machine needs for an answer; only silence takes so long. */
const timeoutMs = 30_000;

async function ask({ urls, tcp, udp }: Questions): Promise<Answer[]> {
  const timed = async (question: string, attempt: Promise<boolean>): Promise<Answer> => {
    const start = performance.now();
    const reached = await attempt.catch(() => false);
    return { question, reached, silent: !reached && performance.now() - start >= timeoutMs };
  };
  return await Promise.all([
    ...urls.map((url) => timed(url, viaFetch(url))),
    ...tcp.map(({ host, port }) => timed(`tcp ${host} ${port}`, viaTcp(host, port))),
    ...udp.map(({ host, port }) => timed(`udp ${host} ${port}`, viaUdp(host, port))),
  ]);
}

async function viaFetch(url: string): Promise<boolean> {
  return (await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })).ok;
}

function viaTcp(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const end = (reached: boolean) => {
      socket.destroy();
      resolve(reached);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

/** UDP only shows that it was sent. */
function viaUdp(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    socket.on('error', () => {});
    socket.send('pronghorn', port, host, () => {
      socket.close();
      resolve(false);
    });
  });
}

console.log(JSON.stringify(await ask(JSON.parse(process.argv[2] ?? ''))));
