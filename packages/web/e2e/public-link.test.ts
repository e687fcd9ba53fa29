// A result for somebody without a token: from the Share page to another browser, and no further.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, describe, test } from 'node:test';
import type { Campaign } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import axe from 'axe-core';
import type { Page } from 'puppeteer-core';
import { drawn } from './every-page.ts';
import { shaped } from './exhibit-campaigns.ts';
import { openPage, texts } from './pages.ts';
import { has, press, says, saysAll } from './reader.ts';
import { startService } from './service.ts';
import { setStage, visitor } from './stage.ts';

const { service, browser } = await setStage({ kind: 'tokens', publicLinkDays: 30 });

describe('results for others', proves('sharing'), () => {
  let campaign: Campaign;
  before(async () => {
    campaign = await service.makeCampaign({
      ...{
        name: '<b>shop</b> & more',
        sites: [{ url: 'https://93.184.216.34/?key=hidden' }, { url: 'https://93.184.216.35/', name: 'W'.repeat(120) }],
        conditions: ['native', 'latency-100'],
      },
      ...{ protocols: ['h2', 'h3'], rounds: 8, annotations: { branch: 'hidden' } },
    });
    await service.perform(campaign, Number.POSITIVE_INFINITY, shaped());
  });

  const share = () => visitor(browser, service, `#/campaigns/${campaign.id}/share`);
  const clickOn = (page: Page, words: string) => press(page, `button ::-p-text(${words})`);
  async function createdBy(page: Page, words: string): Promise<string> {
    await clickOn(page, words);
    await page.waitForSelector('.made .secret');
    return (await texts(page, '.made .secret')).join();
  }
  /** In a browser that has no cookie of this service. */
  async function opened(url: string, complaints: string[] = []) {
    const context = await browser.createBrowserContext();
    const requests: string[] = [];
    const page = await openPage(context, 'about:blank', complaints);
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(url);
    await drawn(page);
    return Object.assign(page, { requests, context });
  }

  test('a link made on the Share page opens the result elsewhere, which leads nowhere else, until it is revoked, and another does', async () => {
    await using owner = await share();
    const url = await createdBy(owner, 'Create public link');
    assert.match(url, new RegExp(`^${service.url}/#/public/${campaign.id}/prl_[0-9a-f]{64}$`));

    const reader = await opened(url);
    await saysAll(reader, 'h1', [campaign.spec.name]);
    await says(reader, '.answer', 'HTTP/3 is faster on ');
    await reader.waitForSelector('.numbers table');
    await reader.setViewport({ width: 800, height: 600 });
    await reader.waitForFunction(() => document.documentElement.scrollWidth === 800);
    const text = await reader.$eval('body', (body) => body.textContent ?? '');
    assert.ok(!text.includes('hidden') && text.includes('https://93.184.216.34/'), text);
    assert.deepEqual(await reader.$$eval('a[href]:not(.skip)', (links) => links.map((link) => link.getAttribute('href'))), []);
    assert.deepEqual(
      reader.requests.filter((asked) => asked.split('#')[0]?.includes('prl_')),
      [],
      'the secret is in no address that is asked for',
    );
    await reader.evaluate(axe.source);
    const violations = await reader.evaluate(async () =>
      (await (window as unknown as { axe: typeof axe }).axe.run(document)).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    );
    assert.deepEqual(violations, []);
    await reader.select('.numbers select', campaign.sites[1]?.id ?? '');
    await reader.waitForFunction(() => document.querySelectorAll('.numbers .loads circle').length > 10);

    await has(owner, '.scroll tbody tr', 1);
    await clickOn(owner, 'Revoke');
    await press(owner, 'dialog[open] button ::-p-text(Revoke)');
    await has(owner, '.scroll tbody tr', 0);
    await reader.context.close();
    const complaints: string[] = [];
    const later = await opened(url, complaints);
    await saysAll(later, 'h1', ['This link no longer works']);
    assert.ok(
      complaints.every((words) => /status of 401/.test(words)),
      complaints.join('\n'),
    );

    // Each link that is opened in one tab shows its own result, and what is none is sent nowhere.
    const another = await createdBy(owner, 'Create public link');
    const open = async (hash: string, heading: string) => {
      await later.evaluate((to) => {
        location.hash = to;
      }, hash);
      await saysAll(later, 'h1', [heading]);
    };
    await open(new URL(another).hash, campaign.spec.name);
    const asked = complaints.length;
    for (const none of [`prg_${'a'.repeat(64)}`, '%0d%0aX', 'ключ']) {
      await open(`#/public/${campaign.id}/${none}`, 'This link no longer works');
      await open(new URL(another).hash, campaign.spec.name);
    }
    assert.equal(complaints.length, asked, 'nothing was refused, since nothing was asked');
    await later.context.close();
  });

  test('a card and a badge have addresses that an <img> elsewhere shows, with Markdown and HTML to paste', async (t) => {
    let html = '';
    const elsewhere = createServer((_request, response) => void response.setHeader('content-type', 'text/html').end(html)).listen(
      0,
      '127.0.0.1',
    );
    t.after(() => elsewhere.close());
    await once(elsewhere, 'listening');
    await using owner = await share();
    for (const [words, noun] of [
      ['Create card address', 'card'],
      ['Create badge address', 'badge'],
    ] as const) {
      await clickOn(owner, words);
      await says(owner, '.made .secret', `/${noun}.svg`);
      const url = (await texts(owner, '.made .secret')).join();
      const context = await browser.createBrowserContext();
      html = `<!doctype html><html lang="en"><link rel="icon" href="data:,"><img src="${url}" alt="">`;
      const reader = await openPage(context, `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`);
      await reader.waitForFunction(() => document.querySelector('img')?.complete);
      const width = await reader.$eval('img', (image) => image.naturalWidth);
      assert.ok(noun === 'card' ? width === 480 : width > 50, `${url} is ${width} px wide`);
      await context.close();
      await saysAll(owner, '.made button', ['Copy link', 'Copy as Markdown', 'Copy as HTML']);
      if (noun === 'card') continue; // a button says for a while that it copied
      await owner.evaluate(() => {
        navigator.clipboard.writeText = async (text) => void Object.assign(window, { copied: text });
      });
      const name = { markdown: '\\<b\\>shop\\</b\\> \\& more', html: '&lt;b&gt;shop&lt;/b&gt; &amp; more' };
      for (const [button, expected] of [
        ['Copy as Markdown', `[![${name.markdown}](${url})](${service.url}/#/campaigns/${campaign.id})`],
        ['Copy as HTML', `<a href="${service.url}/#/campaigns/${campaign.id}"><img src="${url}" alt="${name.html}"></a>`],
      ] as const) {
        await clickOn(owner, button);
        await owner.waitForFunction((wanted) => (window as unknown as { copied?: string }).copied === wanted, {}, expected);
      }
    }
  });

  test('where the operator allows none, the page says by which setting', async () => {
    await using off = await startService({ kind: 'tokens' });
    const { id } = await off.makeCampaign({ sites: [{ url: 'https://93.184.216.34/' }], rounds: 1 });
    await using page = await visitor(browser, off, `#/campaigns/${id}/share`);
    await says(page, '.ways', 'access.publicLinkDays');
    await saysAll(page, '.ways button', ['Copy address', 'Create badge address']);
  });
});
