// The page of the API's description, in a real Chrome: drawn under its policy, and without any other host.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { openPage } from './pages.ts';
import { has, press, says, saysAll } from './reader.ts';
import { commonStage } from './stage.ts';

const { service, browser } = await commonStage();

test(
  '/docs shows every operation with its schemas, breaks no rule of its policy, and asks nobody but the service',
  proves('service'),
  async () => {
    const urls: string[] = [];
    await using page = await openPage(browser, 'about:blank');
    await page.setViewport({ width: 1000, height: 20_000 }); // of a long list the page draws what is in sight
    page.on('request', (request) => urls.push(request.url()));
    await page.goto(`${service.url}/docs`);
    const document = (await (await fetch(`${service.url}/api/v1/openapi.json`)).json()) as { paths: Record<string, object> };
    const operations = Object.values(document.paths).reduce((count, path) => count + Object.keys(path).length, 0);
    await has(page, '.opblock-summary', operations);
    await says(page, '#operations-campaigns-createCampaign .opblock-summary-description', 'Create a campaign');

    await press(page, '#operations-campaigns-createCampaign .opblock-summary-control');
    await saysAll(page, '#operations-campaigns-createCampaign .responses-table tr[data-code="201"] .response-col_status', ['201']);
    assert.deepEqual(
      urls.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:')),
      [],
    );
  },
);
