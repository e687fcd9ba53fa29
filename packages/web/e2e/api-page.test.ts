// The page of the API's description, in a real Chrome: drawn under its policy, and without any other host.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchBrowser, openPage, texts } from './pages.ts';
import { startService } from './service.ts';

test('/docs shows every operation with its schemas, breaks no rule of its policy, and asks nobody but the service', async (t) => {
  await using service = await startService();
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const urls: string[] = [];
  const complaints: string[] = [];
  await using page = await openPage(browser, 'about:blank', complaints);
  await page.setViewport({ width: 1000, height: 20_000 }); // of a long list the page draws what is in sight
  page.on('request', (request) => urls.push(request.url()));
  await page.goto(`${service.url}/docs`);
  await page.waitForSelector('.opblock-summary');
  const document = (await (await fetch(`${service.url}/api/v1/openapi.json`)).json()) as { paths: Record<string, object> };
  const operations = Object.values(document.paths).reduce((count, path) => count + Object.keys(path).length, 0);
  await page.waitForFunction(`document.querySelectorAll(".opblock-summary").length === ${operations}`);
  assert.ok((await texts(page, '.opblock-summary-description')).some((words) => /Create a campaign/.test(words)));

  await page.click('#operations-campaigns-createCampaign .opblock-summary-control');
  await page.waitForSelector('#operations-campaigns-createCampaign .responses-table');
  assert.ok((await texts(page, '#operations-campaigns-createCampaign .response-col_status')).includes('201'));
  assert.deepEqual(
    urls.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:')),
    [],
  );
});
