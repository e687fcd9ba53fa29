// The exhibit's larger campaigns, and the outcomes of their visits.
import type { Campaign, PageMetrics, Schedule } from '@pronghorn/core/schemas';
import type { InvalidReason, Protocol, View } from '@pronghorn/core/vocabulary';
import type { Outcomes } from './made-rounds.ts';
import { madeRuns } from './made-runs.ts';
import { invalid, madeMetrics, madePage } from './made-visits.ts';
import type { ServiceClient } from './service-client.ts';

export const conditions = ['native', 'latency-100', '4g', 'loss-1'];

export async function makeShop(service: ServiceClient): Promise<Campaign> {
  const shop = await service.makeCampaign({
    ...{ name: 'shop and images', sites: [{ url: 'https://93.184.216.34/' }, { url: 'https://93.184.216.35/gallery' }], conditions },
    ...{ protocols: ['h1', 'h2', 'h3'], rounds: 12, annotations: { commit: '82e4eca', branch: 'main' } },
  });
  service.discover(shop);
  const outcomes = shaped();
  await service.perform(shop, Number.POSITIVE_INFINITY, (protocol, round, random, condition, url, view) => [
    ...(random() < 0.04 ? [invalid('busy-machine', 'other work took 41 % of the CPU; allowed are 20 %')] : []),
    ...outcomes(protocol, round, random, condition, url, view),
  ]);
  return shop;
}

/** Enough sites for distributions over them, of several providers, with pages that differ. */
export async function makeManySites(service: ServiceClient): Promise<Campaign> {
  const servers = ['cloudflare', 'gws', 'nginx', null];
  const sites = Array.from({ length: 16 }, (_, at) => ({ url: `https://93.184.217.${at + 1}/`, name: `site ${at + 1}` }));
  const many = await service.makeCampaign({
    name: 'many sites',
    sites,
    conditions: ['native', 'latency-100'],
    protocols: ['h2', 'h3'],
    rounds: 6,
  });
  for (const [at] of sites.entries()) service.discover(many, at, servers[at % servers.length] ?? null);
  await service.perform(many, Number.POSITIVE_INFINITY, (protocol, round, random, condition, url, view) => {
    const place = Number(new URL(url).hostname.split('.')[3]);
    const outcomes = shaped({ h3: 0.8 + place * 0.025, all: 1 + place / 10 })(protocol, round, random, condition, url, view);
    const page = madePage(place, protocol);
    return outcomes.map((one) => (one.verdict === 'valid' ? { ...one, metrics: { ...one.metrics, ...page } } : one));
  });
  return many;
}

/** REST calls: as many connections as each protocol's library opens, and calls of which some fail; then one that runs. */
export async function makeCalls(service: ServiceClient) {
  const request = {
    engine: 'transaction' as const,
    sites: [
      { url: 'https://93.184.216.45/json?users=50', name: 'many users', workload: { users: 50, requests: 20 } },
      {
        url: 'https://93.184.216.45/delay?ms=5',
        name: 'some that fail',
        workload: { mode: 'duration' as const, seconds: 3.5, users: 5, paths: ['/delay?ms=5', '/nowhere'] },
      },
    ],
    workload: { connections: 'pool' as const },
    protocols: ['h1', 'h2', 'h3'] as Protocol[],
    views: ['cold', 'warm'] as View[],
  };
  const later = { 'latency-50': 50 };
  const done = await service.makeCampaign({ ...request, name: 'REST calls', conditions: ['native', 'latency-50'], rounds: 8 });
  await service.perform(done, Number.POSITIVE_INFINITY, madeRuns(later));
  const running = await service.makeCampaign({
    ...request,
    name: 'REST calls, h3 blocked',
    protocols: ['h2', 'h3'],
    views: ['warm'],
    rounds: 5,
  });
  await service.perform(running, 4, madeRuns(later, 'h3'));
  return { done, running };
}

/** Pages of two layouts and two kinds of images under three conditions: HTTP/3 gains under loss, and more so with many small images. */
export async function makeFactorial(service: ServiceClient, rounds = 8): Promise<Campaign> {
  const sites = ['few large', 'many small'].flatMap((images, i) =>
    ['plain', 'nested'].map((layout, l) => ({
      url: `https://93.184.218.${1 + 2 * i + l}/`,
      name: `${images} ${layout}`,
      levels: { images, layout },
    })),
  );
  const study = await service.makeCampaign({
    ...{ name: 'layouts and images', sites, conditions: ['native', 'latency-100', 'loss-1'] },
    ...{ protocols: ['h1', 'h2', 'h3'], rounds },
  });
  await service.perform(study, Number.POSITIVE_INFINITY, (protocol, round, random, condition, url, view) => {
    const place = Number(new URL(url).hostname.split('.')[3]) - 1;
    const gain = condition === 'loss-1' ? (place > 1 ? 0.65 : 0.9) : condition === 'latency-100' ? 0.95 : 1.1;
    const all = (1 + place / 3) * (condition === 'native' ? 1 : 3);
    return shaped({ h3: protocol === 'h3' ? gain : 1, all })(protocol, round, random, condition, url, view);
  });
  return study;
}

/** A site that answers with an error, and one that has no HTTP/3. */
export async function makeBroken(service: ServiceClient): Promise<Campaign> {
  const sites = [{ url: 'https://93.184.216.40/gone' }, { url: 'https://93.184.216.41/only-h2' }];
  const broken = await service.makeCampaign({ name: 'nothing to compare', sites, protocols: ['h2', 'h3'], rounds: 4 });
  await service.perform(broken, Number.POSITIVE_INFINITY, (protocol, _round, random, _condition, url) => {
    if (url.endsWith('/gone')) return [invalid('http-status', 'status 404; expected 200')];
    if (protocol === 'h3') return [invalid('protocol-unavailable', 'no host of the page offers HTTP/3')];
    return [{ verdict: 'valid', metrics: madeMetrics(protocol, random) }];
  });
  return broken;
}

/** A page whose host does not resolve. */
export async function makeFailed(service: ServiceClient): Promise<Campaign> {
  const failed = await service.makeCampaign({
    name: 'a mistyped address',
    sites: [{ url: 'https://93.184.216.42/shpo' }],
    conditions: ['native', '4g'],
    rounds: 3,
  });
  await service.perform(failed, Number.POSITIVE_INFINITY, () => [invalid('dns-error', 'net::ERR_NAME_NOT_RESOLVED')]);
  return failed;
}

/** A schedule with nine nights, of which the last two are worse over HTTP/3; and one without any. */
export async function makeNights(service: ServiceClient, setDaysAgo: (days: number) => void) {
  const campaign = {
    sites: [{ url: 'https://93.184.216.50/', name: 'shop' }],
    conditions: ['native', 'latency-100'],
    protocols: ['h2', 'h3'] as Protocol[],
    rounds: 6,
  };
  const annotations = (night: number) => ({ commit: `${night}abc0de${night}`, branch: 'main' });
  const ids: string[] = [];
  let siteId = '';
  // It is paused while the clock is moved: nothing is missed.
  const schedule: Schedule = await service.send('POST', 'schedules', {
    name: 'shop at night',
    cron: '30 2 * * *',
    timeZone: 'Europe/Berlin',
    campaign,
    paused: true,
    gate: 'budget',
  });
  for (let night = 1; night <= 9; night++) {
    setDaysAgo(10 - night);
    await service.send('PUT', `schedules/${schedule.id}`, {
      ...requestOf(schedule),
      campaign: { ...campaign, annotations: annotations(night) },
    });
    const made: Campaign = await service.send('POST', `schedules/${schedule.id}/start`);
    await service.perform(made, Number.POSITIVE_INFINITY, shaped({ all: 1 + ((night * 7) % 5) / 250, h3: night > 7 ? 1.3 : 1 }));
    ids.push(made.id);
    siteId = made.sites[0]?.id ?? '';
  }
  await service.send('POST', 'schedules', {
    name: 'gallery each week',
    cron: '@weekly',
    campaign: { sites: [{ url: 'https://93.184.216.35/gallery' }] },
    paused: true,
  });
  return { schedule, ids, siteId };
}

/** Pages of a shop by their names: how they are tagged, how HTTP/3 stands to HTTP/2, how slow they are, how much worse, and in which night they are down. */
const storefront: readonly { name: string; tag: string; h3: number; all: number; worse?: number; downIn?: number }[] = [
  { name: 'home', tag: 'storefront', h3: 0.82, all: 1 },
  { name: 'search', tag: 'storefront', h3: 1.12, all: 0.8 },
  { name: 'product', tag: 'storefront', h3: 0.9, all: 1.3 },
  { name: 'category', tag: 'storefront', h3: 0.94, all: 1.1 },
  { name: 'cart', tag: 'checkout', h3: 0.86, all: 0.7 },
  { name: 'checkout', tag: 'checkout', h3: 0.88, all: 0.9, worse: 1.31 },
  { name: 'account', tag: 'checkout', h3: 1, all: 0.6 },
  { name: 'blog', tag: 'content', h3: 0.78, all: 1.5, downIn: 8 },
  { name: 'help', tag: 'content', h3: 1.01, all: 0.5, downIn: 3 },
  { name: 'store finder', tag: 'content', h3: 1.2, all: 2.4 },
];

/** A shop's pages, each night since nine days: one got worse with a commit, one is down since the last night, one was down in another, and one is too slow for the gate. */
export async function makeStorefront(service: ServiceClient, setDaysAgo: (days: number) => void) {
  const urlOf = (at: number) => `https://93.184.219.${at + 1}/`;
  const campaign = {
    name: 'storefront',
    sites: storefront.map(({ name }, at) => ({ url: urlOf(at), name })),
    conditions: ['4g'],
    protocols: ['h2', 'h3'] as Protocol[],
  };
  const commits = ['a41e7c02', '0b9d5e6f', '7c3f11d8', 'e2a8b945', '19f6c7da', '6d04e8b3', 'c85a2f17', '5f2c9e1a', '3b7de460'];
  const schedule: Schedule = await service.send('POST', 'schedules', {
    ...{ name: 'storefront at night', cron: '0 3 * * *', timeZone: 'Europe/Berlin', campaign: { ...campaign, rounds: 3 }, paused: true },
    gate: 'budget',
  });
  let last: Campaign | undefined;
  for (const [night, commit] of commits.entries()) {
    const isLast = night === commits.length - 1;
    setDaysAgo(8.9 - night);
    await service.send('PUT', `schedules/${schedule.id}`, {
      ...requestOf(schedule),
      campaign: { ...campaign, rounds: isLast ? 12 : 3, annotations: { commit, branch: 'main' } },
    });
    last = await service.send('POST', `schedules/${schedule.id}/start`);
    await service.perform(last as Campaign, Number.POSITIVE_INFINITY, (protocol, round, random, condition, url, view) => {
      const page = storefront.find((_, at) => urlOf(at) === url);
      if (page === undefined) return [];
      if (page.downIn === night) return [invalid('http-status', 'status 503; expected 200')];
      const worse = protocol === 'h3' && night >= commits.indexOf('5f2c9e1a') ? (page.worse ?? 1) : 1;
      const all = page.all * (1 + ((night * 7) % 5) / 250) * worse;
      return shaped({ all, h3: page.h3 })(protocol, round, random, condition, url, view);
    });
  }
  for (const { name, id } of last?.sites ?? []) {
    const tag = storefront.find((page) => page.name === name)?.tag ?? '';
    await service.send('PUT', `sites/${id}/tags`, { tags: [tag, ...(name === 'checkout' ? ['team-pay'] : [])] });
  }
  return { schedule, last: last as Campaign };
}

const requestOf = ({
  name,
  cron,
  timeZone,
  campaign,
  paused,
  missed,
  jitterSeconds,
  gate,
  notifications,
  baselineRuns,
  regressionThreshold,
}: Schedule) => ({
  ...{ name, cron, timeZone, campaign, paused, missed, jitterSeconds, gate, notifications, baselineRuns, regressionThreshold },
});

/** How HTTP/3 stands to HTTP/2 under each condition: every verdict there is. */
const factors: Readonly<Record<string, number>> = { native: 1.1, 'latency-100': 0.85, '4g': 1.02, 'loss-1': 1.3 };

/** Valid visits in which HTTP/3 stands to the others as under `factors`. */
export function shaped({ all = 1, h3 = 1 } = {}): Outcomes {
  return (protocol, _round, random, condition) => {
    const metrics = madeMetrics(protocol, random);
    const factor = all * (protocol === 'h3' ? h3 * (factors[condition] ?? 1) : 1) * slowness(condition);
    return [{ verdict: 'valid', metrics: scaled(metrics, factor) }];
  };
}

const slowness = (condition: string) => ({ native: 1, 'latency-100': 2.1, '4g': 3.2, 'loss-1': 1.6 })[condition] ?? 1;

function scaled(metrics: PageMetrics, factor: number): PageMetrics {
  const times = [
    'onLoad',
    'loadEventEnd',
    'domContentLoaded',
    'firstPaint',
    'firstContentfulPaint',
    'largestContentfulPaint',
    'speedIndex',
  ] as const;
  const rest = ['firstVisualChange', 'lastVisualChange', 'linkedDownload', 'ttfb'] as const;
  const scaledTimes = [...times, ...rest].map((name) => [name, metrics[name] === null ? null : metrics[name] * factor]);
  return { ...metrics, ...Object.fromEntries(scaledTimes) };
}

const passing: readonly InvalidReason[] = ['busy-machine', 'load-timeout', 'incomplete', 'tab-crashed', 'no-visual-progress'];
export const sometimesInvalid: Outcomes = (protocol, round, random, condition, url, view) => {
  const valid = shaped()(protocol, round, random, condition, url, view);
  if (random() > 0.15) return valid;
  const reason = passing[Math.floor(random() * passing.length)] ?? 'busy-machine';
  return [invalid(reason, `made: ${reason} in round ${round}, <b>as the page says</b>`), ...valid];
};
