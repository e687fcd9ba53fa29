// One of everything that the dashboard can show, made in seconds: for looking at it, and for tests that visit every page.
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import {
  type AlertPage,
  type Campaign,
  type Environment,
  type MedianVisits,
  type PageMetrics,
  pageMetrics,
  type Runner,
  runnerProtocol,
  type Visit,
} from '@pronghorn/core/schemas';
import {
  conditions,
  makeBroken,
  makeCalls,
  makeFactorial,
  makeFailed,
  makeManySites,
  makeNights,
  makeShop,
  makeStorefront,
  shaped,
  sometimesInvalid,
} from './exhibit-campaigns.ts';
import { fillDatabase, madeOnce } from './made-once.ts';
import { type Service, startService } from './service.ts';
import type { ServiceClient } from './service-client.ts';

const dayMs = 24 * 3600e3;
/** So long that its runners never miss one. */
const heartbeatMs = 3600e3;
/** What pages and people call themselves. */
export const hostileName = '<img src=x onerror=alert(1)> "نص عربي" 🦌 ‮olleh‬ & a name that goes on and on, without end'.padEnd(
  190,
  ' and on',
);
const longPath = `${'a-long-path/'.repeat(30)}?${'q=%F0%9F%A6%8C&'.repeat(20)}end`;

export type Exhibit = Awaited<ReturnType<typeof makeExhibit>>;

/** A service with the exhibit, which was made while its clock moved from three weeks ago until now. */
export async function startExhibit(): Promise<{ service: Service; exhibit: Exhibit }> {
  const from = await madeOnce('exhibit', async (folder) => {
    const clock = { behindMs: 21 * dayMs };
    const setDaysAgo = (days: number) => {
      clock.behindMs = days * dayMs;
    };
    const fill = async (service: ServiceClient) => {
      writeFileSync(join(folder, 'exhibit.json'), JSON.stringify(await makeExhibit(service, setDaysAgo)));
    };
    await fillDatabase(folder, fill, { now: () => Date.now() - clock.behindMs, schedules: true, heartbeatMs });
  });
  const exhibit: Exhibit = JSON.parse(readFileSync(join(from, 'exhibit.json'), 'utf8'));
  return { service: await startService({ kind: 'open' }, { from, heartbeatMs, now: Date.now }), exhibit };
}

async function makeExhibit(service: ServiceClient, setDaysAgo: (days: number) => void) {
  await service.storeEnvironment(environment);
  const gates = {
    budget: await service.send('POST', 'gates', { name: 'budget', campaign: null, rules: { assertions: ['onLoad p75 <= 2.5 s'] } }),
    strict: await service.send('POST', 'gates', {
      name: 'strict',
      campaign: { sites: [{ url: 'https://93.184.216.34/' }], conditions: ['4g'], rounds: 20 },
      rules: {
        assertions: ['onLoad h3 <= h2 + 5 %', 'onLoad p75 <= 300 ms', 'speedIndex <= baseline + 10 %'],
        baseline: { branch: 'main' },
      },
    }),
  };
  const nights = await makeNights(service, setDaysAgo);
  const storefront = await makeStorefront(service, setDaysAgo);
  setDaysAgo(0.1);
  const shop = await makeShop(service);
  const gateAnswers = [
    await service.send('POST', 'gates/check', { gateId: gates.budget.id, campaignId: shop.id }),
    await service.send('POST', 'gates/check', { gateId: gates.strict.id, campaignId: shop.id }),
  ];
  const again = await service.makeCampaign({
    ...{ name: 'shop after the change', sites: [{ url: 'https://93.184.216.34/' }, { url: 'https://93.184.216.35/gallery' }], conditions },
    ...{ protocols: ['h1', 'h2', 'h3'], rounds: 12, annotations: { commit: 'c0ffee1', branch: 'faster-images' } },
  });
  await service.perform(again, Number.POSITIVE_INFINITY, shaped({ all: 0.9 }));
  const many = await makeManySites(service);
  const factorial = await makeFactorial(service);
  const broken = await makeBroken(service);
  gateAnswers.push(await service.send('POST', 'gates/check', { gateId: gates.budget.id, campaignId: broken.id }));
  const failed = await makeFailed(service);
  const calls = await makeCalls(service);
  setDaysAgo(0);
  const running = await service.makeCampaign({
    name: 'runs now',
    sites: [{ url: 'https://93.184.216.36/' }],
    conditions: ['native', '4g'],
    rounds: 20,
  });
  await service.perform(running, 14, sometimesInvalid);
  await service.loseRound(running);
  const waiting = await service.makeCampaign({
    name: 'waits for its runner',
    location: 'Tokyo',
    sites: [{ url: 'https://93.184.216.37/' }],
    rounds: 5,
  });
  const cancelled = await service.makeCampaign({ name: 'was cancelled', sites: [{ url: 'https://93.184.216.38/' }], rounds: 10 });
  await service.perform(cancelled, 3);
  await service.send('POST', `campaigns/${cancelled.id}/cancel`);
  const hostile = await service.makeCampaign({
    ...{ name: hostileName, sites: [{ url: `https://93.184.216.39/${longPath}`, name: hostileName }], rounds: 6, protocols: ['h2', 'h3'] },
    ...{
      views: ['cold', 'warm'],
      annotations: { commit: 'f00dbabe', branch: 'feature/<b>bold</b>', buildUrl: 'https://ci.example/run/7' },
    },
  });
  await service.perform(hostile, Number.POSITIVE_INFINITY);
  const sameTwice = await service.makeCampaign({
    name: 'A/A',
    sites: [{ url: 'https://93.184.216.34/' }],
    protocols: ['h2', 'h2'],
    rounds: 20,
  });
  await service.perform(sameTwice, Number.POSITIVE_INFINITY);
  const runner = await makeRest(service, setDaysAgo);
  for (const { schedule } of [nights, storefront]) await service.send('POST', `schedules/${schedule.id}/resume`); // now that the clock stands still
  const { items: alerts }: AlertPage = await service.get(`alerts?kind=site-unmeasured&campaignId=${broken.id}`);
  await service.send('POST', `alerts/${alerts[0]?.id}/acknowledge`);
  await service.get('sites/status'); // whose summaries are computed when they are first asked for
  const [h2, h3] = await addFrames(service, shop);
  return {
    gates,
    gateAnswers,
    runner,
    nights,
    storefront,
    shop,
    again,
    many,
    factorial,
    broken,
    failed,
    calls: { ...calls, ...(await runsOf(service, calls)) },
    running,
    waiting,
    cancelled,
    hostile,
    sameTwice,
    visits: { h2, h3 },
  };
}

/** @returns an h2 and an h3 run of one round in which some requests failed, and one that failed */
async function runsOf(service: ServiceClient, { done, running }: Record<'done' | 'running', Campaign>) {
  const [, site] = done.sites;
  const { items }: { items: Visit[] } = await service.get(`campaigns/${done.id}/visits?siteId=${site?.id}&condition=latency-50&limit=100`);
  const h2 = items.find(({ protocol }) => protocol === 'h2') as Visit;
  const h3 = items.find(({ protocol, roundId }) => protocol === 'h3' && roundId === h2.roundId) as Visit;
  const { items: others }: { items: Visit[] } = await service.get(`campaigns/${running.id}/visits?protocol=h3`);
  return { h2, h3, failed: others[0] as Visit };
}

/** @returns an h2 and an h3 visit of one round, with frames */
async function addFrames(service: ServiceClient, campaign: Campaign): Promise<[Visit, Visit]> {
  const { items }: { items: Visit[] } = await service.get(`campaigns/${campaign.id}/visits?condition=latency-100&verdict=valid&limit=100`);
  const h2 = items.find(({ protocol }) => protocol === 'h2') as Visit;
  const h3 = items.find(({ protocol, roundId }) => protocol === 'h3' && roundId === h2.roundId) as Visit;
  // Those of the answer, too: they stand for the medians of latency-100.
  const [site] = campaign.sites;
  const { visits }: MedianVisits = await service.get(
    `campaigns/${campaign.id}/median-visits?siteId=${site?.id}&condition=latency-100&view=cold`,
  );
  const typical: Visit[] = await Promise.all(visits.map(({ visitId }) => service.get(`visits/${visitId}`)));
  for (const { id, outcome } of new Map([h2, h3, ...typical].map((visit) => [visit.id, visit])).values()) {
    const metrics = pageMetrics(outcome);
    if (metrics !== null) await service.storeEvidence(id, madeEvidence(metrics));
  }
  return [h2, h3];
}

// Raw evidence for made visits: the frames of a real visit, in the time of the made one.
const fixture = new URL('../../runner/fixtures/sharded.evidence.json.gz', import.meta.url);
type Stored = {
  asked: object;
  evidence: { network: object[]; page: { timeOrigin: number }; frames: { timestamp: number; jpegBase64: string }[] };
  outcome: { metrics: PageMetrics };
};

/** @returns what a runner would have stored of a visit with these metrics, without its network events */
function madeEvidence({ lastVisualChange }: PageMetrics): object {
  const { asked, evidence, outcome } = JSON.parse(gunzipSync(readFileSync(fixture)).toString()) as Stored;
  const { timeOrigin } = evidence.page;
  const stretch = (lastVisualChange ?? 400) / (outcome.metrics.lastVisualChange ?? 400);
  const frames = evidence.frames.map((frame) => ({ ...frame, timestamp: timeOrigin + (frame.timestamp - timeOrigin) * stretch }));
  const shown = frames.filter(({ timestamp }) => timestamp >= timeOrigin);
  const progress = shown.map(({ timestamp }, at) => ({ atMs: timestamp - timeOrigin, completeness: (at + 1) / shown.length }));
  return { asked, evidence: { ...evidence, network: [], frames }, progress };
}

/** Runners of every state, a condition of one's own, tokens, and who is told. */
async function makeRest(service: ServiceClient, setDaysAgo: (days: number) => void): Promise<Runner> {
  setDaysAgo(1);
  await register(service, 'gone-since-yesterday', { location: 'Sydney' });
  setDaysAgo(0);
  const runner = await register(service, 'berlin-1', { location: 'Berlin' }, { cpuShare: 0.08 });
  await register(service, 'berlin-2', { location: 'Berlin', version: '0.0.9' }, { doing: 'draining', cpuShare: 0.83 });
  await register(service, 'ended', { location: null }, { doing: 'stopped' });
  await register(
    service,
    'troubled',
    { location: 'São Paulo' },
    { trouble: 'Chrome does not start: libnss3.so is missing. Install it with apt-get install libnss3.' },
  );
  const description = 'Between two cities, measured in March.';
  const train = {
    name: 'train',
    description,
    up: { delayMs: 40, rateKbps: 3000 },
    down: { delayMs: 40, rateKbps: 12000, queueBytes: 131072 },
  };
  await service.send('POST', 'conditions', train);
  await service.makeToken('Ada', 'viewer');
  await service.makeToken('nightly build', 'submitter');
  await service.send('POST', 'notifications', { name: 'the team', kind: 'webhook', url: 'https://93.184.216.60/hook' });
  return runner;
}

type Sign = { doing?: 'working' | 'draining' | 'stopped'; trouble?: string | null; cpuShare?: number | null };

async function register(
  service: ServiceClient,
  name: string,
  different: object,
  { doing = 'working', trouble = null, cpuShare = null }: Sign = {},
): Promise<Runner> {
  const instance = randomUUID();
  const { cpu, cores, memoryBytes, kernel, arch } = environment.machine;
  const runner: Runner = await service.send('POST', 'runners', {
    ...{ name, instance, location: null, version: '1.0.0-rc.1', protocol: runnerProtocol },
    capabilities: { engines: ['puppeteer'], browsers: ['chrome', 'headless-shell'], backends: ['direct', 'veth', 'guest'] },
    machine: { hostname: `${name}.example`, kernel, arch, cpu, cores, memoryBytes, node: '24.4.1' },
    ...different,
  });
  await service.send('POST', `runners/${runner.id}/heartbeat`, { instance, doing, trouble, cpuShare });
  return runner;
}

const environment: Environment = {
  id: 'ab'.repeat(32),
  runner: { version: '1.0.0-rc.1', node: '24.4.1' },
  machine: { kernel: 'Linux 6.12.8', arch: 'x64', cpu: 'a made CPU at 3 GHz', cores: 4, memoryBytes: 8_000_000_000 },
  browser: {
    product: 'Chrome/156.0.8078.79',
    executable: '/usr/bin/chromium',
    flags: ['--headless', '--disable-quic'],
    sandbox: true,
    preferences: {},
  },
  link: {
    ...{ backend: 'guest', kernel: '7.2.1', congestionControl: 'cubic', priority: 'cgroup', offloads: 'off' },
    receiveBuffers: { tcp: '4096 131072 6291456', udpMaxBytes: 212_992 },
  },
  origin: null,
};
