import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Campaign } from '@pronghorn/core/schemas';
import type { Browser, Page } from 'puppeteer-core';
import { launchBrowser, openPage, texts } from './pages.ts';
import { type Service, startService } from './service.ts';

let service: Service;
let publicService: Service;
let browser: Browser;
let campaign: Campaign;
before(async () => {
  service = await startService({ kind: 'tokens' });
  publicService = await startService({ kind: 'tokens', publicReading: true });
  browser = await launchBrowser();
  campaign = await service.makeCampaign({ name: 'the campaign', sites: [{ url: 'https://93.184.216.34/' }], rounds: 1 });
  await service.perform(campaign, 1);
});
after(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
  await publicService?.[Symbol.asyncDispose]();
});

/** In a profile of its own, without the cookies of others; `refusals`: requests that fail, as Chrome's console reports, are expected. */
async function visitor(hash: string, { at = service, refusals = false } = {}) {
  const context = await browser.createBrowserContext();
  const complaints: string[] = [];
  const page = await openPage(context, `${at.url}/${hash}`, complaints);
  return Object.assign(page, {
    async [Symbol.asyncDispose]() {
      await context.close();
      const unexpected = refusals ? complaints.filter((words) => !/status of 4\d\d|ERR_INTERNET_DISCONNECTED/.test(words)) : complaints;
      assert.deepEqual(unexpected, []);
    },
  });
}

async function signIn(page: Page, token: string) {
  await page.waitForSelector('.sign-in');
  await page.waitForFunction(() => document.activeElement?.id === 'token');
  await page.keyboard.type(token);
  await page.keyboard.press('Enter');
}

const signedInAs = async (page: Page) => {
  await page.waitForSelector('.who button');
  return (await texts(page, '.who span'))[0];
};

test('who is not known is asked for a token, and then sees the page that was wanted', async () => {
  const { token } = await service.makeToken('Ada', 'viewer');
  await using page = await visitor(`#/campaigns/${campaign.id}`);
  await page.waitForSelector('.sign-in');
  assert.match((await texts(page, 'main'))[0] ?? '', /Sign in to see the results/);
  await signIn(page, token);
  await page.waitForSelector('.state-done');
  assert.deepEqual(await texts(page, 'h1'), ['the campaign']);
  assert.equal(await signedInAs(page), 'Signed in as Ada (viewer: may read)');
  assert.equal(await page.$('.sign-in'), null);

  await page.reload();
  await page.waitForSelector('.state-done');
  assert.equal(await signedInAs(page), 'Signed in as Ada (viewer: may read)');
  assert.equal(await page.evaluate(() => document.cookie), '', 'no script can read what the browser keeps');
});

test('a wrong token is told beside the field, which keeps the focus; none at all is not sent', async () => {
  await using page = await visitor('#/', { refusals: true });
  await signIn(page, '');
  assert.deepEqual(await texts(page, '.token-trouble'), ['Type or paste a token first.']);
  await page.keyboard.type(`prg_${'0'.repeat(64)}`);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('.token-trouble')?.textContent?.includes('unknown, expired or revoked'));
  const field = await page.$eval('#token', (input) => ({
    invalid: input.getAttribute('aria-invalid'),
    described: input
      .getAttribute('aria-describedby')
      ?.split(' ')
      .every((id) => document.getElementById(id) !== null),
    labelled: (input as HTMLInputElement).labels?.[0]?.textContent,
    isFocused: document.activeElement === input,
    type: (input as HTMLInputElement).type,
  }));
  assert.deepEqual(field, { invalid: 'true', described: true, labelled: 'Token', isFocused: true, type: 'password' });
  const { token } = await service.makeToken('Second try', 'viewer');
  await page.keyboard.type(token);
  await page.keyboard.press('Enter');
  await page.waitForSelector('table.sites');
});

test('a link with #token= signs in once, and the token is nowhere in the address or the history', async () => {
  await using page = await visitor(`#token=${service.adminToken}`);
  await page.waitForSelector('table.sites');
  assert.equal(page.url(), `${service.url}/#/`);
  assert.match((await signedInAs(page)) ?? '', /\(admin: may do everything\)$/);
  const client = await page.createCDPSession();
  const { entries } = await client.send('Page.getNavigationHistory');
  // What was typed once is only in the browser's memory, and no page can change it.
  assert.equal(
    entries.some(({ url }) => url.includes('token')),
    false,
  );
  assert.equal((await page.content()).includes(service.adminToken), false);
});

test('a link with the token of a process of its own leads to its page, signed in', async () => {
  const ownToken = 'f'.repeat(64);
  await using own = await startService({ kind: 'open', ownToken });
  await using page = await visitor(`#/conditions?token=${ownToken}`, { at: own });
  await page.waitForSelector('.who button');
  assert.equal(page.url(), `${own.url}/#/conditions`);
  assert.equal(await signedInAs(page), 'Signed in as owner (admin: may do everything)');
  await page.reload();
  assert.equal(await signedInAs(page), 'Signed in as owner (admin: may do everything)');
});

test('a link with a token that is not valid asks for another, without keeping it', async () => {
  await using page = await visitor('#token=prg_wrong', { refusals: true });
  await page.waitForSelector('.sign-in');
  assert.equal(page.url(), `${service.url}/#/`);
  assert.match((await texts(page, '.token-trouble'))[0] ?? '', /unknown, expired or revoked/);
  await signIn(page, service.adminToken);
  await page.waitForSelector('table.sites');
});

test('who signs out sees nothing more, and neither does another tab that follows a campaign', async () => {
  const running = await service.makeCampaign({ sites: [{ url: 'https://93.184.216.34/' }], rounds: 2 });
  await using page = await visitor(`#token=${service.adminToken}`, { refusals: true });
  await page.waitForSelector('table.sites');
  const other = await page.browserContext().newPage();
  await other.goto(`${service.url}/#/campaigns/${running.id}`);
  await other.waitForSelector('.live-line .progress');
  await page.bringToFront();
  await page.setViewport({ width: 1280, height: 800 });
  await page.click('.who button');
  await page.waitForSelector('.sign-in');
  assert.deepEqual(await texts(page, '.who'), ['']);
  assert.equal(await page.$('table.sites'), null);
  await other.bringToFront();
  await other.waitForSelector('.sign-in');
  assert.match((await texts(other, 'main'))[0] ?? '', /You are no longer signed in/);
  await signIn(other, service.adminToken);
  await other.waitForSelector('.live-line .progress');
  assert.equal(other.url(), `${service.url}/#/campaigns/${running.id}`);
});

test('a token that is revoked ends its sessions', async () => {
  const { token, id } = await service.makeToken('Brief', 'viewer');
  await using page = await visitor(`#token=${token}`, { refusals: true });
  await page.waitForSelector('table.sites');
  await service.delete(`tokens/${id}`);
  await page.reload();
  await page.waitForSelector('.sign-in');
});

test('a token that may not read is told so, with its name', async () => {
  const { token } = await service.makeToken('Berlin', 'runner');
  await using page = await visitor(`#token=${token}`, { refusals: true });
  await page.waitForFunction(() => document.querySelector('.refused h2')?.textContent === 'Not allowed');
  assert.match((await texts(page, 'main'))[0] ?? '', /"Berlin" is runner/);
  assert.equal(await signedInAs(page), 'Signed in as Berlin (runner: measures)');
});

test('with public reading everybody reads at once, and may sign in and come back to where they were', async () => {
  const made = await publicService.makeCampaign({ sites: [{ url: 'https://93.184.216.34/' }], rounds: 1 });
  await publicService.perform(made, 1);
  await using page = await visitor(`#/campaigns/${made.id}`, { at: publicService });
  await page.waitForSelector('.state-done');
  assert.equal(await page.$('.sign-in'), null);
  await page.setViewport({ width: 1280, height: 800 });
  await page.click('.who a');
  await signIn(page, publicService.adminToken);
  await page.waitForSelector('.state-done');
  assert.equal(page.url(), `${publicService.url}/#/campaigns/${made.id}`);
  await page.click('.who button');
  await page.waitForFunction(() => document.querySelector('.who')?.textContent === 'Sign in');
  await page.waitForSelector('.state-done');
});

test('where access is open nothing of it is in the way', async () => {
  await using open = await startService();
  await using page = await visitor('#/', { at: open });
  await page.waitForFunction(() => document.querySelector('main')?.textContent?.includes('Does HTTP/3 make your pages faster?'));
  assert.deepEqual(await texts(page, '.who'), ['']);
});

test('a service that does not answer while one signs in is told, and asked again by choice', async () => {
  await using page = await visitor('#/', { refusals: true });
  await page.waitForSelector('.sign-in');
  await page.setOfflineMode(true);
  await signIn(page, service.adminToken);
  await page.waitForFunction(() => document.querySelector('.token-trouble')?.textContent === 'The Pronghorn service does not answer.');
  await page.setOfflineMode(false);
  await page.keyboard.press('Enter');
  await page.waitForSelector('table.sites');
});

test('the page to sign in is no wider than a phone, and every control can be read in light and dark', async () => {
  for (const scheme of ['light', 'dark']) {
    await using page = await visitor('#/');
    await page.setViewport({ width: 320, height: 640 });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await page.waitForSelector('.sign-in');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    const contrasts = await page.$$eval('.sign-in button, .sign-in input, .sign-in label, .sign-in p', (elements) => {
      const luminance = (colour: string) => {
        const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
          const share = Number(part) / 255;
          return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ground = (element: Element): string => {
        const colour = getComputedStyle(element).backgroundColor;
        return colour === 'rgba(0, 0, 0, 0)' && element.parentElement ? ground(element.parentElement) : colour;
      };
      return elements.map((element) => {
        const [a, b] = [luminance(getComputedStyle(element).color), luminance(ground(element))];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      });
    });
    for (const contrast of contrasts) assert.ok(contrast >= 4.5, `${scheme}: ${contrasts.join(', ')}`);
  }
});
