// What the tests of a file share: a service with its pages, and a Chrome that opens them.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import type { Browser, CookieData, Page } from 'puppeteer-core';
import { type Exhibit, startExhibit } from './exhibit.ts';
import { launchBrowser, openPage } from './pages.ts';
import { type Service, startService } from './service.ts';

export interface Stage {
  service: Service;
  browser: Browser;
  /** Opens a page of the service, such as `#/campaigns`; see `openPage`. */
  open: (hash: string) => Promise<Page & AsyncDisposable>;
}

/** For the top of a test file; all ends with the process's tests. @param options as of `startService`. */
export const setStage = async (...options: Parameters<typeof startService>): Promise<Stage> => stageOf(await startService(...options));

let common: Promise<Stage> | undefined;
/**
 * The stage of all files of this process that ask for it: for those that make campaigns of their own and look at these alone. Who changes what all
 * pages show, such as settings, runners or counts, sets one of his own.
 */
export const commonStage = (): Promise<Stage> => (common ??= setStage());

type ExhibitStage = Stage & { exhibit: Exhibit };
let shown: Promise<ExhibitStage> | undefined;
/** The same with the exhibit, for those who only look at it. */
export const exhibitStage = (): Promise<ExhibitStage> => (shown ??= setExhibit());
/** For those who change something of it. */
export async function setExhibit(): Promise<ExhibitStage> {
  const { service, exhibit } = await startExhibit();
  return { ...(await stageOf(service)), exhibit };
}

async function stageOf(service: Service): Promise<Stage> {
  const browser = await launchBrowser();
  after(async () => {
    await browser.close();
    await service[Symbol.asyncDispose]();
  });
  return { service, browser, open: (hash) => openPage(browser, `${service.url}/${hash}`) };
}

/**
 * Signs in and opens a page; fails the test on any complaint of the console when it is closed.
 * @param options.token default: an admin's.
 * @param options.refusals requests that fail, of which Chrome's console tells, are expected.
 */
export async function visitor(
  browser: Browser,
  service: Service,
  hash: string,
  { token = service.adminToken, refusals = false } = {},
): Promise<Page & AsyncDisposable> {
  const context = await browser.createBrowserContext();
  const complaints: string[] = [];
  await context.setCookie(await sessionCookie(service, token));
  const page = await openPage(context, `${service.url}/${hash}`, complaints);
  return Object.assign(page, {
    async [Symbol.asyncDispose]() {
      await context.close();
      const unexpected = refusals ? complaints.filter((words) => !/status of 4\d\d|ERR_INTERNET_DISCONNECTED/.test(words)) : complaints;
      assert.deepEqual(unexpected, []);
    },
  });
}

async function sessionCookie({ url }: Service, token: string): Promise<CookieData> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v1/session`, { method: 'POST', headers, body: JSON.stringify({ token }) });
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '') ?? [];
  assert.ok(name !== undefined && value !== undefined, `signing in was answered ${answer.status} and without a cookie`);
  return { name, value, domain: new URL(url).hostname, httpOnly: true, sameSite: 'Strict' };
}
