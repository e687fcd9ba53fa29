// The page of a visit whose resources are gone, in a real Chrome against the real api.
import { test } from 'node:test';
import type { Page as List, Visit } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import { says } from './reader.ts';
import { setStage } from './stage.ts';

const { service, open } = await setStage({ kind: 'open' }, { isKept: true });

test(
  'of a visit whose resources are not kept any more the metrics are shown, and nothing that is gone is asked for',
  proves('upkeep', 'dashboard-results'),
  async () => {
    const campaign = await service.makeCampaign({ sites: [{ url: 'https://93.184.216.34/' }], protocols: ['h2'], rounds: 1 });
    await service.perform(campaign, 1);
    await service.removeResources();
    const { items }: List<Visit> = await service.get(`campaigns/${campaign.id}/visits`);
    await using page = await open(`#/visits/${items[0]?.id}`);
    await page.waitForSelector('.metrics tbody tr');
    await says(page, '.trouble', 'The resources of this visit were removed after some time');
    await page.waitForSelector('.missing');
    await says(page, '.files', /Its HTTP Archive is not kept any more\.\s*No evidence of this visit is stored\./);
  },
);
