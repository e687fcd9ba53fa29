import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { defaultLimits } from '@pronghorn/core/schemas';
import { LocalService } from '../connection/local-service.ts';
import { dataFolder } from '../program/files.ts';
import { crosscheckRequests, makeCampaigns } from './crosscheck.ts';

const sites = [{ url: 'https://page.example/' }];
const options: Parameters<typeof crosscheckRequests>[2] = {
  ...{ engines: ['puppeteer', 'browsertime', 'firefox'], protocols: ['h2', 'h3'], rounds: 3, view: ['cold'], discovery: 'forced' },
  ...{ isolation: 'auto', video: true, evidence: 'always', busy: defaultLimits.foreignCpuShare, quiet: 500, settle: 15 },
  ...{ condition: [], link: 'auto', allowNet: [], congestionControl: 'cubic', header: [], cookie: [], block: [], ownHost: [], after: [] },
};

async function openService(t: TestContext): Promise<LocalService> {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-crosscheck-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const service = await LocalService.open(dataFolder(folder));
  t.after(() => service[Symbol.asyncDispose]());
  return service;
}

test('engines are asked for the same, and options of browsertime are for browsertime alone', async (t) => {
  const service = await openService(t);
  const campaigns = await makeCampaigns(service, crosscheckRequests(sites, ['native'], { ...options, video: false }));
  assert.deepEqual(
    campaigns.map(({ spec }) => [spec.engine, spec.engineOptions]),
    [
      ['puppeteer', undefined],
      ['browsertime', { video: false }],
      ['firefox', undefined],
    ],
  );
  assert.equal(new Set(campaigns.map(({ spec }) => spec.seed)).size, 1);
});

test('what one of the engines can’t do makes no campaign of the others', async (t) => {
  const service = await openService(t);
  const requests = crosscheckRequests(sites, ['native'], { ...options, view: ['cold', 'warm'] });
  await assert.rejects(makeCampaigns(service, requests), /Nothing was measured: The engine browsertime makes no repeat views\./);
  assert.deepEqual(await service.campaigns(), []);
});
