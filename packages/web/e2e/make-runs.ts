// Makes runs.json.gz anew: runs of REST calls by the real client against the real server, for the exhibit. node packages/web/e2e/make-runs.ts
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Campaign, Page, Visit, VisitRun } from '@pronghorn/core/schemas';
import type { MadeRun } from './made-runs.ts';
import { startRealService } from './real-service.ts';

await using service = await startRealService({ calls: true });
const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${service.url}/api/v1/${path}`, { method, ...(body && { headers, body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json() as Promise<T>;
};
const campaign = await ask<Campaign>('POST', 'campaigns', {
  name: 'runs',
  engine: 'transaction',
  sites: [
    { url: `${service.callsUrl}/json?users=50`, workload: { users: 50, requests: 20 } },
    // Each fifth request fails; the run has a course of some seconds.
    {
      url: `${service.callsUrl}/delay?ms=5`,
      workload: { mode: 'duration', seconds: 3.5, users: 5, paths: [...Array.from({ length: 4 }, () => '/delay?ms=5'), '/nowhere'] },
    },
  ],
  workload: { connections: 'pool' },
  protocols: ['h1', 'h2', 'h3'],
  views: ['cold', 'warm'],
  rounds: 2,
  limits: { foreignCpuShare: 1 },
});
for (let state = campaign.state; state !== 'done'; state = (await ask<Campaign>('GET', `campaigns/${campaign.id}`)).state)
  await new Promise((resolve) => setTimeout(resolve, 500));
const { items } = await ask<Page<Visit>>('GET', `campaigns/${campaign.id}/visits?limit=1000`);
const runs: MadeRun[] = [];
for (const { id, protocol, view, siteId, outcome } of items) {
  const { run } = await ask<Visit>('GET', `visits/${id}`);
  if (run === undefined || outcome.verdict === 'invalid') throw new Error(`Visit ${id}: ${JSON.stringify(outcome)}`);
  // No page reads the histograms; they are most of a run's bytes.
  const short = (spread: VisitRun['latency']) => ({ ...spread, hdr: '' });
  const site = campaign.sites.findIndex((one) => one.id === siteId);
  runs.push({
    protocol,
    view,
    site,
    outcome,
    run: { ...run, latency: short(run.latency), ttfb: short(run.ttfb), response: short(run.response) },
  });
}
writeFileSync(new URL('runs.json.gz', import.meta.url), gzipSync(JSON.stringify(runs), { level: 9 }));
console.log(`${runs.length} runs`);
