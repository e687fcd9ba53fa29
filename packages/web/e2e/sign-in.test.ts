// Signing in, by a token or a link, and what each role sees of the pages; in a real Chrome.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Campaign, Gate, Schedule } from '@pronghorn/core/schemas';
import { proves } from '@pronghorn/core/testing';
import type { Page } from 'puppeteer-core';
import { drawn } from './every-page.ts';
import { openPage, texts } from './pages.ts';
import { fill, hasFocus, isAt, press, says, saysAll } from './reader.ts';
import { type Service, startService } from './service.ts';
import { setStage, visitor as signedIn } from './stage.ts';

const { service, browser } = await setStage({ kind: 'tokens' });

/** In a profile of its own, without the cookies of others; `refusals`: requests that fail, as Chrome's console reports, are expected. */
async function visitor(hash: string, { at = service, refusals = false }: { at?: Pick<Service, 'url'>; refusals?: boolean } = {}) {
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
  await hasFocus(page, '#token');
  await page.keyboard.sendCharacter(token);
  await page.keyboard.press('Enter');
}

const isSignedIn = (page: Page, as: string | RegExp) => says(page, '.who:has(button) span', as);
const sites = 'table.sites';

describe('signing in', proves('access'), () => {
  let campaign: Campaign;
  before(async () => {
    campaign = await service.makeCampaign({ name: 'the campaign', sites: [{ url: 'https://93.184.216.34/' }], rounds: 1 });
    await service.perform(campaign, 1);
  });

  test('who is not known is asked for a token, and then sees the page that was wanted, until the token is revoked', async () => {
    const { token, id } = await service.makeToken('Ada', 'viewer');
    await using page = await visitor(`#/campaigns/${campaign.id}`, { refusals: true });
    await page.waitForSelector('.sign-in');
    await says(page, 'main', 'Sign in to see the results');
    await signIn(page, token);
    await page.waitForSelector('.state-done');
    await saysAll(page, 'h1', ['the campaign']);
    await isSignedIn(page, /^Signed in as Ada \(viewer: may read\)$/);
    assert.equal(await page.$('.sign-in'), null);

    await page.reload();
    await page.waitForSelector('.state-done');
    await isSignedIn(page, /^Signed in as Ada \(viewer: may read\)$/);
    assert.equal(await page.evaluate(() => document.cookie), '', 'no script can read what the browser keeps');

    await service.delete(`tokens/${id}`);
    await page.reload();
    await page.waitForSelector('.sign-in');
  });

  test('a wrong token is told beside the field, which keeps the focus; none at all is not sent, nor one to a service that is away', async () => {
    await using page = await visitor('#/', { refusals: true });
    await signIn(page, '');
    await saysAll(page, '.token-trouble', ['Type or paste a token first.']);
    await page.keyboard.sendCharacter(`prg_${'0'.repeat(64)}`);
    await page.keyboard.press('Enter');
    await says(page, '.token-trouble', 'unknown, expired or revoked');
    await hasFocus(page, '#token');
    const field = await page.$eval('#token', (input) => ({
      invalid: input.getAttribute('aria-invalid'),
      described: input
        .getAttribute('aria-describedby')
        ?.split(' ')
        .every((id) => document.getElementById(id) !== null),
      labelled: (input as HTMLInputElement).labels?.[0]?.textContent,
      type: (input as HTMLInputElement).type,
    }));
    assert.deepEqual(field, { invalid: 'true', described: true, labelled: 'Token', type: 'password' });
    await page.setOfflineMode(true);
    await fill(page, '#token', service.adminToken);
    await page.keyboard.press('Enter');
    await saysAll(page, '.token-trouble', ['The Pronghorn service does not answer.']);
    await page.setOfflineMode(false);
    await page.keyboard.press('Enter');
    await page.waitForSelector(sites);
  });

  test('a link with #token= signs in once, and the token is nowhere in the address or the history; a wrong one asks for another', async () => {
    await using page = await visitor('#token=prg_wrong', { refusals: true });
    await page.waitForSelector('.sign-in');
    assert.equal(page.url(), `${service.url}/#/`);
    await says(page, '.token-trouble', 'unknown, expired or revoked');

    await page.goto('about:blank');
    await page.goto(`${service.url}/#token=${service.adminToken}`);
    await page.waitForSelector(sites);
    assert.equal(page.url(), `${service.url}/#/`);
    await isSignedIn(page, /\(admin: may do everything\)$/);
    const client = await page.createCDPSession();
    const { entries } = await client.send('Page.getNavigationHistory');
    // What was typed once is only in the browser's memory, and no page can change it.
    assert.equal(
      entries.some(({ url }) => url.includes('token')),
      false,
    );
    assert.equal((await page.content()).includes(service.adminToken), false);
  });

  test('a link with the token of a process of its own leads to its page, signed in; where access is open nothing of it is in the way', async () => {
    const ownToken = 'f'.repeat(64);
    await using own = await startService({ kind: 'open', ownToken });
    await using page = await visitor(`#/conditions?token=${ownToken}`, { at: own });
    await isSignedIn(page, /^Signed in as owner \(admin: may do everything\)$/);
    assert.equal(page.url(), `${own.url}/#/conditions`);
    await page.reload();
    await isSignedIn(page, /^Signed in as owner \(admin: may do everything\)$/);

    await using open = await startService();
    await page.goto(`${open.url}/#/`);
    await says(page, 'main', 'Does HTTP/3 make your pages faster?');
    await saysAll(page, '.who', ['']);
  });

  test('who signs out sees nothing more, and neither does another tab that follows a campaign', async () => {
    const running = await service.makeCampaign({ sites: [{ url: 'https://93.184.216.34/' }], rounds: 2 });
    await using page = await visitor(`#token=${service.adminToken}`, { refusals: true });
    await page.waitForSelector(sites);
    const other = await openPage(page.browserContext(), `${service.url}/#/campaigns/${running.id}`, []);
    await other.waitForSelector('.live-line .progress');
    await page.bringToFront();
    await page.setViewport({ width: 1280, height: 800 });
    await press(page, '.who button');
    await page.waitForSelector('.sign-in');
    await saysAll(page, '.who', ['']);
    assert.equal(await page.$(sites), null);
    await other.bringToFront();
    await other.waitForSelector('.sign-in');
    await says(other, 'main', 'You are no longer signed in');
    await signIn(other, service.adminToken);
    await other.waitForSelector('.live-line .progress');
    assert.equal(other.url(), `${service.url}/#/campaigns/${running.id}`);
  });

  test('a token that may not read is told so, with its name', async () => {
    const { token } = await service.makeToken('Berlin', 'runner');
    await using page = await visitor(`#token=${token}`, { refusals: true });
    await saysAll(page, '.refused h2', ['Not allowed']);
    await says(page, 'main', '"Berlin" is runner');
    await isSignedIn(page, /^Signed in as Berlin \(runner: measures\)$/);
  });

  test('the page to sign in is no wider than a phone, and every control can be read in light and dark', async () => {
    await using page = await visitor('#/', { refusals: true });
    await page.setViewport({ width: 320, height: 640 });
    for (const scheme of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      await page.waitForSelector('.sign-in');
      await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, {}, scheme);
      await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
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
});

describe('who may only read', proves('access'), () => {
  const things = new AsyncDisposableStack();
  let page: Page;
  let campaign: Campaign;
  before(async () => {
    campaign = await service.makeCampaign({ name: 'looked at', sites: [{ url: 'https://93.184.216.35/' }], rounds: 1 });
    const { token } = await service.makeToken('a reader', 'viewer');
    page = things.use(await signedIn(browser, service, '#/', { token }));
    await page.waitForSelector(sites);
  });
  after(() => things.disposeAsync());
  const show = (hash: string) => page.goto(`${service.url}/${hash}`);

  test('sees campaigns, schedules and gates, and nothing that changes them', async () => {
    await show(`#/campaigns/${campaign.id}`);
    await page.waitForSelector('.campaign-actions');
    await drawn(page);
    assert.deepEqual(await page.$$eval('.campaign-actions > *', (all) => all.map((each) => each.tagName)), [
      'DETAILS',
      'DETAILS',
      'DETAILS',
    ]);
    assert.deepEqual(await texts(page, '.campaign-actions .more li'), ['Compare with another']);

    const request = { sites: [{ url: 'https://93.184.216.34/' }], rounds: 2 };
    const schedule: Schedule = await service.send('POST', 'schedules', { name: 'to read', cron: '30 2 * * *', campaign: request });
    await show('#/schedules');
    await page.waitForSelector(`#schedule-${schedule.id}`);
    assert.deepEqual(await texts(page, 'main button'), []);

    const gate: Gate = await service.send('POST', 'gates', { name: 'to read', campaign: null, rules: { assertions: ['onLoad <= 2 s'] } });
    await show(`#/gates/${gate.id}`);
    await says(page, '.bullets', 'onLoad <= 2 s');
    assert.equal(await page.$('.check-campaign, main .danger'), null);
  });

  test('is told what it takes to change anything', async () => {
    const settings = 'nav[aria-label=Settings] [aria-current]';
    for (const [hash, place, name, role, form] of [
      [
        '#/new?url=https://93.184.216.34/',
        'h1',
        'New campaign',
        'To start campaigns, sign in with a token whose role is submitter.',
        '[type=submit]',
      ],
      ['#/schedules/new', 'h1', 'New schedule', 'whose role is submitter', 'form'],
      ['#/gates/new', 'h1', 'New gate', 'whose role is submitter', 'form'],
      ['#/settings?part=tokens', settings, 'Tokens', 'To see this, sign in with a token whose role is admin.', 'form'],
      ['#/settings?part=notifications', settings, 'Notifications', 'sign in with a token whose role is admin', '.target-form'],
    ] as const) {
      await show(hash);
      await says(page, place, name);
      await says(page, 'main', role);
      assert.equal(await page.$(`main ${form}`), null, hash);
    }
  });
});

test('with public reading everybody reads at once, and may sign in and come back to where they were', proves('access'), async () => {
  await using publicService = await startService({ kind: 'tokens', publicReading: true });
  const made = await publicService.makeCampaign({ sites: [{ url: 'https://93.184.216.34/' }], rounds: 1 });
  await publicService.perform(made, 1);
  await using page = await visitor(`#/campaigns/${made.id}`, { at: publicService });
  await page.waitForSelector('.state-done');
  assert.equal(await page.$('.sign-in'), null);
  await page.setViewport({ width: 1280, height: 800 });
  await press(page, '.who a');
  await signIn(page, publicService.adminToken);
  await page.waitForSelector('.state-done');
  await isAt(page, new RegExp(`^#/campaigns/${made.id}$`));
  await press(page, '.who button');
  await saysAll(page, '.who', ['Sign in']);
  await page.waitForSelector('.state-done');
});
