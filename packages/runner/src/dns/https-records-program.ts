// Asks the system's nameservers for HTTPS records: a program, since it has to stand where the visits' Chrome stands, behind the link.
// Names as a JSON list on standard input; on standard output the bindings of those that were answered, by name.
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { getServers } from 'node:dns';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ServiceBinding } from '@pronghorn/core/adoption';
import { type HttpsAnswer, httpsQuery, readHttpsAnswer } from './https-records.ts';

/** Time for one nameserver to answer once; it may have to ask others. */
const answerMs = 2_000;
/** Tries of each nameserver, one after the other. */
const tries = 2;
const atOnce = 16;
/** NOERROR and NXDOMAIN: all others say nothing of the name. */
const conclusive: readonly number[] = [0, 3];

interface Nameserver {
  address: string;
  port: number;
}

const names = JSON.parse(await text(process.stdin)) as string[];
const nameservers = getServers().map((server): Nameserver => {
  const [, inBrackets, port] = /^\[(.*)\]:(\d+)$/.exec(server) ?? /^([\d.]+):(\d+)$/.exec(server) ?? [];
  return { address: inBrackets ?? server, port: Number(port ?? 53) };
});
const answers: Record<string, ServiceBinding[]> = {};
const waiting = [...names];
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const bindings = await ask(name);
      if (bindings !== null) answers[name] = bindings;
    }
  }),
);
process.stdout.write(JSON.stringify(answers));

async function ask(name: string): Promise<ServiceBinding[] | null> {
  for (let attempt = 0; attempt < tries; attempt++) {
    for (const nameserver of nameservers) {
      try {
        const query = httpsQuery(randomInt(65_536), name);
        const short = await byUdp(nameserver, query);
        const answer = short.truncated ? await byTcp(nameserver, query) : short;
        if (conclusive.includes(answer.code)) return answer.bindings;
      } catch {
        // It was silent, refused or broken: try the next one.
      }
    }
  }
  return null;
}

function isOf(query: Buffer, answer: Buffer): boolean {
  return answer.length >= 12 && answer.readUInt16BE(0) === query.readUInt16BE(0);
}

function byUdp({ address, port }: Nameserver, query: Buffer): Promise<HttpsAnswer> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  return new Promise<HttpsAnswer>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer')), answerMs);
    const settle = (end: () => void) => {
      clearTimeout(timer);
      end();
    };
    socket.on('error', (error) => settle(() => reject(error)));
    socket.on('message', (message) => {
      if (!isOf(query, message)) return;
      settle(() => {
        try {
          resolve(readHttpsAnswer(message));
        } catch (error) {
          reject(error);
        }
      });
    });
    // The callback also gets the error of a network that leads nowhere.
    socket.connect(port, address, (error?: Error) => (error ? settle(() => reject(error)) : socket.send(query)));
  }).finally(() => socket.close());
}

/** Prefixed by its length: RFC 1035, section 4.2.2. */
function byTcp({ address, port }: Nameserver, query: Buffer): Promise<HttpsAnswer> {
  const socket = connect({ host: address, port, timeout: answerMs });
  return new Promise<HttpsAnswer>((resolve, reject) => {
    let received = Buffer.alloc(0);
    socket.on('connect', () => socket.end(Buffer.concat([Buffer.from([query.length >> 8, query.length & 255]), query])));
    socket.on('timeout', () => reject(new Error('no answer')));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
    });
    socket.on('close', () => {
      const message = received.subarray(2);
      try {
        if (!isOf(query, message)) throw new Error('no answer');
        resolve(readHttpsAnswer(message));
      } catch (error) {
        reject(error);
      }
    });
  }).finally(() => socket.destroy());
}
