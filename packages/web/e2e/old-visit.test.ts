// The page of a visit whose resources are gone, in a real Chrome against the real api.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page as List, Visit } from '@pronghorn/core/schemas';
import { launchBrowser, openPage, texts } from './pages.ts';
import { startService } from './service.ts';

test('of a visit whose resources are not kept any more the metrics are shown, and nothing that is gone is asked for', async (t) => {
  await using service = await startService({ kind: 'open' }, { isKept: true });
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const campaign = await service.makeCampaign({ sites: [{ url: 'https://93.184.216.34/' }], protocols: ['h2'], rounds: 1 });
  await service.perform(campaign, 1);
  await service.removeResources();
  const { items }: List<Visit> = await service.get(`campaigns/${campaign.id}/visits`);
  await using page = await openPage(browser, `${service.url}/#/visits/${items[0]?.id}`);
  await page.waitForSelector('.metrics tbody tr');
  assert.match((await texts(page, '.trouble'))[0] ?? '', /The resources of this visit were removed after some time/);
  await page.waitForFunction(() => document.querySelector('.missing') !== null);
  await page.waitForFunction(() => document.querySelector('.files')?.textContent?.includes('No evidence'));
  assert.match((await texts(page, '.files'))[0] ?? '', /Its HTTP Archive is not kept any more\.\s*No evidence of this visit is stored\./);
});
