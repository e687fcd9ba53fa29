import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { dataFolder } from '../program/files.ts';
import { LocalService, mustHaveEngine } from './local-service.ts';

test('while a command has a service open, nobody else on the machine can ask it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-service-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await using service = await LocalService.open(dataFolder(folder));
  const sites = [{ url: 'https://site.example/' }];
  const body = JSON.stringify({ sites, visitor: { headers: [{ name: 'X-A', value: 'file:/etc/shadow' }] } });
  const foreign: Record<string, string>[] = [{}, { authorization: 'Bearer prg_x' }, { cookie: 'pronghorn=x' }];
  for (const headers of foreign) {
    const ask = async (path: string, init: RequestInit = {}) =>
      (await fetch(`${service.url}/api/v1${path}`, { ...init, headers: { ...headers, 'content-type': 'application/json' } })).status;
    assert.deepEqual(
      [
        await ask('/secrets'),
        await ask('/campaigns', { method: 'POST', body }),
        await ask('/leases', { method: 'POST', body: '{"runner":"x"}' }),
      ],
      [401, 401, 401],
    );
  }
  assert.deepEqual(await service.campaigns(), []);
  const { id } = await service.createCampaign({ sites });
  assert.deepEqual(
    (await service.campaigns()).map((campaign) => campaign.id),
    [id],
  );
});

test('what an engine lacks is told before its first visit', (t) => {
  const before = process.env.PRONGHORN_FIREFOX;
  t.after(() => {
    if (before === undefined) delete process.env.PRONGHORN_FIREFOX;
    else process.env.PRONGHORN_FIREFOX = before;
  });
  process.env.PRONGHORN_FIREFOX = '/nowhere/firefox';
  assert.throws(() => mustHaveEngine('firefox', undefined), /PRONGHORN_FIREFOX names \/nowhere\/firefox/);
  mustHaveEngine('puppeteer', undefined);
});
