// An api in a process of its own for a fuzzer, with something behind every route: says its URL, tokens and ids as a line of JSON.
// node fuzz-target.ts FOLDER open|tokens
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Lease, runnerProtocol } from '@pronghorn/core/schemas';
import { isThorough, samples } from '@pronghorn/core/testing';
import { buildApi } from '../src/app.ts';
import { invalidOutcome, sampleDiscovery, sampleEnvironment, sampleLinkCheck, sampleVisit } from '../src/testing/samples.ts';

const [folder = '', kind = 'open'] = process.argv.slice(2);
let token = '';
const unlimited = { withoutToken: 1e9, viewer: 1e9, submitter: 1e9, runner: 1e9, admin: 1e9, failedSignIns: 1e9 };
const app = await buildApi({
  database: join(folder, 'pronghorn.db'),
  evidenceDirectory: join(folder, 'evidence'),
  // Each thread loads what it needs of the api; a service has them.
  threads: isThorough,
  logger: { level: 'error', pretty: false },
  // Nothing of a fuzzer's makes work for real: names don't resolve, and are taken for public ones.
  access:
    kind === 'open'
      ? { kind: 'open' }
      : {
          kind: 'tokens',
          rateLimits: unlimited,
          lookUp: async () => [{ address: '93.184.215.14', family: 4 }],
          onFirstToken: (first) => (token = first),
        },
});
await app.handOutFirstToken();

const send = async (method: 'POST' | 'PUT', path: string, payload: object | Buffer, headers: Record<string, string> = {}) => {
  const authorization = token === '' ? {} : { authorization: `Bearer ${token}` };
  const reply = await app.inject({ method, url: `/api/v1${path}`, payload, headers: { ...authorization, ...headers } });
  if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${reply.body}`);
  return reply.body === '' ? null : reply.json();
};

const campaign = {
  sites: [{ url: 'https://site.example/' }, { url: 'https://site.example/other' }],
  protocols: ['h2', 'h3'],
  rounds: samples(2, 8),
  seed: 3,
};
const visits: string[] = [];
const leases: string[] = [];
/** One campaign is done, one half-way, one has hardly begun. */
const roundsDone = new Map([
  [1, samples(4, 16)],
  [2, samples(3, 9)],
  [3, 1],
]);
for (const [number, rounds] of roundsDone) {
  await send('POST', '/campaigns', { ...campaign, name: `campaign ${number}`, annotations: { branch: 'main', commit: `${number}` } });
  for (let round = 0; round < rounds; round++) {
    const lease: Lease = await send('POST', '/leases', { runner: 'seed', campaignId: String(number) });
    const discovery = sampleDiscovery(lease, { id: randomUUID() });
    if (round < 2) await send('PUT', `/leases/${lease.id}/discoveries/${discovery.id}`, discovery);
    const check = sampleLinkCheck(lease);
    await send('PUT', `/leases/${lease.id}/link-checks/${check.id}`, check);
    await send('PUT', '/environments/seed', sampleEnvironment('seed'));
    for (const slot of lease.round.order) {
      const visit = sampleVisit(lease, slot, { environmentId: 'seed', ...(round === 0 && slot === 1 ? invalidOutcome('quic-error') : {}) });
      await send('PUT', `/leases/${lease.id}/visits/${visit.id}`, visit);
      visits.push(visit.id);
    }
    await send('POST', `/leases/${lease.id}/complete`, {});
  }
  const open: Lease | null = number === 1 ? null : await send('POST', '/leases', { runner: 'fuzzed', campaignId: String(number) });
  if (open) leases.push(open.id);
}
await send('PUT', `/visits/${visits[0]}/evidence`, gzipSync('{}'), { 'content-type': 'application/gzip' });
for (const number of [1, 2, 3]) {
  await send('POST', '/runners', {
    name: `runner ${number}`,
    instance: randomUUID(),
    location: null,
    version: '1.0.0-rc.1',
    protocol: runnerProtocol,
    capabilities: { engines: ['puppeteer'], browsers: ['chrome'], backends: ['direct'] },
    machine: { hostname: 'h', kernel: 'k', arch: 'x64', cpu: 'c', cores: 2, memoryBytes: 1e9, node: 'v24' },
  });
  await send('POST', '/gates', { name: `gate ${number}`, campaign: null, rules: { assertions: ['onLoad p75 h3 <= 1 s'] } });
  await send('POST', '/schedules', { name: `schedule ${number}`, cron: '30 2 * * *', campaign: { sites: campaign.sites } });
  await send('POST', '/notifications', {
    name: `target ${number}`,
    kind: 'webhook',
    events: ['campaign-done'],
    url: 'https://site.example/hook',
  });
  await send('POST', '/tokens', { name: `token ${number}`, role: 'viewer' });
  const headers = [{ name: 'alt-svc', value: 'h3=":443"' }];
  const entry = {
    startedDateTime: `2026-0${number}-01T00:00:00Z`,
    request: { url: 'https://a.example/' },
    response: { status: 200, headers },
  };
  await send('POST', '/imports/har', { log: { entries: [entry] } });
}
await send('POST', '/gates/check', { campaignId: '1', gateId: '1' });
await send('PUT', '/conditions/office', { name: 'office', up: { delayMs: 5 }, down: {} });

const url = await app.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ url, token, visit: visits[0], lease: leases[0] }));
process.on('SIGTERM', () => app.close());
