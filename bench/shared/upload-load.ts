// Runners that upload at a steady rate, in a process of their own. A visit's time counts from when it was due (open loop): otherwise a slow
// service would slow its own load down and look fast. upload-load.ts URL RUNNERS VISITS_A_SECOND SECONDS
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { sampleRegistration } from '../../packages/api/src/testing/samples.ts';
import { randomSource } from '../../packages/core/src/math/index.ts';
import type { Lease } from '../../packages/core/src/schemas/index.ts';
import { bodyMaker } from './visits.ts';

const [url = '', runners = '64', rate = '200', seconds = '60'] = process.argv.slice(2);
const base = new URL(`${url}/api/v1`);
const agent = new Agent({ keepAlive: true, maxSockets: Number(runners) });
const makeBody = bodyMaker(randomSource(1));

function send(method: string, path: string, body?: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request({ agent, host: base.hostname, port: base.port, path: base.pathname + path, method, headers }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function must(method: string, path: string, body?: object): Promise<string> {
  const { status, text } = await send(method, path, body && JSON.stringify(body));
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return text;
}

const everyMs = (1000 * Number(runners)) / Number(rate);
const begin = performance.now() + 1000;
const end = begin + Number(seconds) * 1000;
/** Of each visit: when it was answered, counted from the beginning, and how long that took. */
const uploads: [number, number][] = [];
const leases: number[] = [];

async function work(place: number): Promise<void> {
  const registration = sampleRegistration(`load-${place}`, { instance: randomUUID() });
  await must('POST', '/runners', registration);
  let due = begin + (place * everyMs) / Number(runners);
  while (due < end) {
    const asked = performance.now();
    const lease = JSON.parse(await must('POST', '/leases', { runner: registration.name, instance: registration.instance })) as Lease;
    if (asked >= begin) leases.push(performance.now() - asked);
    for (const slot of lease.round.order) {
      const { id, body } = makeBody(lease, slot);
      await delay(Math.max(0, due - performance.now()));
      const { status, text } = await send('PUT', `/leases/${lease.id}/visits/${id}`, body);
      if (status !== 201) throw new Error(`upload: ${status} ${text}`);
      uploads.push([performance.now() - begin, performance.now() - due]);
      due += everyMs;
    }
    await must('POST', `/leases/${lease.id}/complete`);
  }
}

const before = process.cpuUsage();
await Promise.all(Array.from({ length: Number(runners) }, (_, place) => work(place)));
const { user, system } = process.cpuUsage(before);
agent.destroy();
console.log(JSON.stringify({ uploads, leases, cpuSeconds: (user + system) / 1e6 }));
