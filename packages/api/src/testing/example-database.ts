// Writes storage/examples/NNNN.sql, a small database of the present schema with something of everything, and NNNN.json, what the API tells
// of it. Run it when a release has a new schema; the tests of later migrations begin with it:
//   node packages/api/src/testing/example-database.ts
import { rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lease, Page, Visit } from '@pronghorn/core/schemas';
import { buildApi } from '../app.ts';
import { dumpDatabase } from './dump-database.ts';
import { invalidOutcome, sampleDiscovery, sampleEnvironment, sampleLinkCheck, sampleVisit } from './samples.ts';

const folder = await mkdtemp(join(tmpdir(), 'pronghorn-example-'));
const clock = { now: Date.parse('2026-03-01T12:00:00Z') };
const app = await buildApi({ database: ':memory:', evidenceDirectory: folder, now: () => clock.now });

async function ask<T>(method: 'GET' | 'POST' | 'PUT', path: string, payload?: object): Promise<T> {
  const reply = await app.inject({ method, url: `/api/v1${path}`, ...(payload ? { payload } : {}) });
  if (reply.statusCode >= 400) throw new Error(`${method} ${path}: ${reply.body}`);
  return reply.body === '' ? (undefined as T) : reply.json();
}
const lease = () => ask<Lease>('POST', '/leases', { runner: 'runner' });
const visit = async (given: Lease, slot: number, more: Parameters<typeof sampleVisit>[2] = {}) => {
  const made = sampleVisit(given, slot, more);
  await ask('PUT', `/leases/${given.id}/visits/${made.id}`, made);
};

const site = { url: 'https://site.example/', name: 'shop' };
await ask('POST', '/campaigns', { sites: [site, { url: 'https://other.example/' }], protocols: ['h2', 'h3'], rounds: 2, seed: 7 });
const lost = await lease();
await visit(lost, 0);
clock.now += 61_000; // so that it is lost
const whole = await lease();
const environment = sampleEnvironment('a'.repeat(64));
await ask('PUT', `/environments/${environment.id}`, environment);
const discovery = sampleDiscovery(whole);
await ask('PUT', `/leases/${whole.id}/discoveries/${discovery.id}`, discovery);
const check = sampleLinkCheck(whole);
await ask('PUT', `/leases/${whole.id}/link-checks/${check.id}`, check);
await visit(whole, 0, { environmentId: environment.id, discoveryId: discovery.id });
await visit(whole, 1, invalidOutcome('quic-error', 'QUIC handshake failed.'));
await visit(whole, 1, { retry: 1 });
await ask('POST', `/leases/${whole.id}/complete`);
const released = await lease();
await ask('POST', `/leases/${released.id}/release`, { reason: 'The runner was told to stop.' });
await lease(); // and is still at work

await ask('POST', '/campaigns', { sites: [site], protocols: ['h1'], rounds: 1 });
await ask('POST', '/campaigns/2/cancel');

// What the service is told to do and to know, beside campaigns.
const campaign = { sites: [site], protocols: ['h2', 'h3'], rounds: 2 };
await ask('POST', '/conditions', { name: 'train', up: { delayMs: 40 }, down: { delayMs: 40, rateKbps: 12_000 } });
await ask('POST', '/tokens', { name: 'nightly build', role: 'submitter' });
await ask('POST', '/notifications', { name: 'team', kind: 'webhook', url: 'https://192.0.2.1/hook', events: ['campaign-done'] });
await ask('POST', '/gates', { name: 'budget', campaign, rules: { assertions: ['onLoad p75 <= 2.5 s'] } });
await ask('POST', '/schedules', { name: 'nightly', cron: '30 2 * * *', campaign });
await ask('POST', '/schedules/1/start');

const list = async <T>(path: string) => (await ask<Page<T>>('GET', path)).items;
const visits = await list<Visit>('/campaigns/1/visits');
const told = {
  visits,
  resources: await ask('GET', `/visits/${visits[0]?.id}/resources`),
  rounds: await list('/campaigns/1/rounds'),
  discoveries: await list('/campaigns/1/discoveries'),
  lists: Object.fromEntries(
    await Promise.all(
      ['conditions', 'tokens', 'notifications', 'gates', 'schedules'].map(async (noun) => [noun, await list(`/${noun}?limit=1000`)]),
    ),
  ),
};
const version = String(app.database.pragma('user_version', { simple: true })).padStart(4, '0');
const path = join(import.meta.dirname, '../storage/examples', version);
writeFileSync(`${path}.sql`, dumpDatabase(app.database));
writeFileSync(`${path}.json`, `${JSON.stringify(told, null, 2)}\n`);
console.log(`${path}.sql and .json`);
await app.close();
rmSync(folder, { recursive: true });
