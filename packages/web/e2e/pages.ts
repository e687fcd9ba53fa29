// A real Chrome, and the page in it.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { quickBrowser } from '@pronghorn/core/testing';
import { findChrome } from '@pronghorn/runner';
import puppeteer, { type Browser, type ElementHandle, Locator, type Page } from 'puppeteer-core';

/** How long a page may take for anything: so long that whoever waits in vain does so because of a fault, and not of a busy machine. */
const patienceMs = 90_000;

/** The one Chrome of this process, while somebody uses it. */
let shared: { chrome: Promise<Browser>; users: number } | undefined;

/**
 * A Chrome as if it were one's own: its pages have cookies and storage of their own, and closing it closes them. All of a process share one, which
 * ends when the last of them closes his.
 */
export async function launchBrowser(): Promise<Browser> {
  shared ??= { chrome: launch(), users: 0 };
  const { chrome } = shared;
  const used = shared;
  used.users += 1;
  let isUsed = true;
  const leave = async () => {
    if (isUsed) used.users -= 1;
    isUsed = false;
    if (used.users > 0) return;
    if (shared === used) shared = undefined;
    await chrome.then((running) => running.close());
  };
  try {
    const running = await chrome;
    running.once('disconnected', () => {
      if (shared === used) shared = undefined;
    });
    const context = await running.createBrowserContext();
    const own: Partial<Browser> = {
      newPage: async () => patient(await context.newPage()),
      close: async () => {
        if (running.connected) await context.close();
        await leave();
      },
    };
    return new Proxy(running, {
      get(target, name) {
        const value = own[name as keyof Browser] ?? Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  } catch (error) {
    await leave().catch(() => {});
    throw error;
  }
}

function launch(): Promise<Browser> {
  // Only this page is loaded here, of this very test: root may do without the sandbox. A tab takes a fifth less where it shares a process.
  const args = ['--process-per-site', '--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return puppeteer.launch({ executablePath: findChrome(quickBrowser), args, timeout: patienceMs });
}

/** Opens an address of the page, and fails the test on anything that the console has to complain about. */
export async function openPage(browser: Pick<Browser, 'newPage'>, url: string, complaints: string[] = []): Promise<Page & AsyncDisposable> {
  const page = patient(await browser.newPage(), complaints);
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warn') return;
    const { url } = message.location();
    complaints.push(message.text().startsWith('Failed to load') ? `${message.text()}: ${url}` : message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return Object.assign(page, {
    async [Symbol.asyncDispose]() {
      await page.close();
      assert.deepEqual(complaints, []);
    },
  });
}

const waits = ['goto', 'goBack', 'reload', 'waitForNavigation', 'waitForSelector', 'waitForFunction', 'waitForResponse'] as const;
/** Of one element, which the page may not have drawn yet. */
const ofOneElement = ['$eval', 'focus'] as const;
/** Not with frames, which a page behind another has none of. */
const polling = { polling: 20 };
const complaintsOf = new WeakMap<Page, readonly string[]>();

/**
 * A page that waits long, also for an element that is asked, for an option that is chosen and for its new size; and whose waits say what they
 * waited for and what it showed when they fail.
 */
function patient(page: Page, complaints?: readonly string[]): Page {
  const isNew = !complaintsOf.has(page);
  if (isNew || complaints) complaintsOf.set(page, complaints ?? []);
  if (!isNew) return page;
  page.setDefaultTimeout(patienceMs);
  for (const name of waits) {
    const wait = page[name].bind(page) as (...given: unknown[]) => Promise<unknown>;
    const explained = (...given: unknown[]) =>
      wait(...given)
        .then(async (result) => {
          if (name === 'goto' || name === 'goBack') await isOpen(page);
          return result;
        })
        .catch((error) => explain(page, `${name}(${given.map(String).join(', ')})`, error));
    Object.assign(page, { [name]: explained });
  }
  for (const name of ofOneElement) {
    const ask = page[name].bind(page) as (selector: string, ...given: unknown[]) => Promise<unknown>;
    const asked = (selector: string, ...given: unknown[]) => page.waitForSelector(selector).then(() => ask(selector, ...given));
    Object.assign(page, { [name]: asked });
  }
  const setViewport = page.setViewport.bind(page);
  const own: Pick<Page, 'select' | 'setViewport'> = {
    // Of what a menu does not offer yet puppeteer would choose nothing.
    select: async (selector, ...values) => {
      for (const deadline = performance.now() + patienceMs; ; await delay(polling.polling)) {
        const menu = (await page.waitForSelector(selector)) as ElementHandle<HTMLSelectElement>;
        const offered = await menu.evaluate(({ options }) => [...options].map(({ value }) => value));
        if (values.every((value) => offered.includes(value))) return menu.select(...values);
        assert.ok(performance.now() < deadline, `${selector} never offered ${values}, but ${offered}`);
      }
    },
    // Chrome lays a page out some time after it was told of another window.
    setViewport: async (viewport) => {
      await setViewport(viewport);
      if (viewport)
        await page.waitForFunction((...size) => `${size}` === `${[innerWidth, innerHeight]}`, polling, viewport.width, viewport.height);
    },
  };
  Object.assign(page, own);
  const locator = page.locator.bind(page) as (what: unknown) => Locator<unknown>;
  return Object.assign(page, { locator: (what: unknown) => explainedLocator(page, locator(what), String(what)) });
}

/** Until the page before, which stands there while the dashboard loads another, is gone. */
export const isOpen = (page: Page) => page.waitForFunction(() => document.querySelector('main')?.ariaBusy !== 'true', polling);

function explainedLocator<T extends object>(page: Page, locator: T, what: string): T {
  return new Proxy(locator, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        const result = value.apply(target, given);
        if (result instanceof Promise) return result.catch((error) => explain(page, `${String(name)} of ${what}`, error, what));
        return result instanceof Locator ? explainedLocator(page, result, what) : result;
      };
    },
  });
}

/** Why it could not be clicked, as far as one sees. */
const stateOf = (page: Page, selector: string): Promise<string> =>
  within10s(
    page.$(selector).then(
      (found) =>
        found?.evaluate((element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          const folded = element.closest('details:not([open])')?.className;
          return `which was at ${[x, y, width, height].map(Math.round)}, ${element.checkVisibility() ? '' : 'not '}visible${folded === undefined ? '' : `, folded in details.${folded}`}, in a ${document.visibilityState} page: ${element.outerHTML.slice(0, 200)}`;
        }) ?? 'which was not there',
    ),
  );

const within10s = (answer: Promise<string>): Promise<string> =>
  Promise.race([
    answer.catch(String),
    new Promise<string>((resolve) => setTimeout(resolve, 10_000, 'nothing, not even an answer').unref()),
  ]);

/** @param selector of what could not be clicked */
async function explain(page: Page, what: string, error: Error, selector?: string): Promise<never> {
  if (error.name !== 'TimeoutError') throw error;
  const state = selector === undefined ? '' : `, ${await stateOf(page, selector)}`;
  const shown = await within10s(
    page.evaluate(() => `${document.title}\n${document.body.textContent.replaceAll(/\s+/g, ' ').slice(0, 3_000)}`),
  );
  const complaints = complaintsOf.get(page) ?? [];
  const told = complaints.length > 0 ? `\nIts console complained: ${complaints.join('\n')}` : '';
  throw new Error(`${what}${state}: ${error.message}\n${page.url()} showed: ${shown}${told}`, { cause: error });
}

/** What Chrome says of a service that went away: it depends on how far the connection was, and the service, which answers 503 while it ends. */
export const lostConnection = /^Failed to load resource: (net::ERR_|the server responded with a status of 503)/;

/** With a plain space for each that does not break. */
export const texts = (page: Page, selector: string): Promise<string[]> =>
  page.$$eval(selector, (elements) => elements.map((element) => (element.textContent ?? '').replaceAll('\u00a0', ' ')));

/** Everything on a result's page that can be opened. */
export async function openAll(page: Page): Promise<void> {
  await page.$$eval('.results details', (elements) => {
    for (const details of elements) (details as HTMLDetailsElement).open = true;
  });
  await page.waitForFunction(() => [...document.querySelectorAll('.results details')].every((details) => details.childElementCount > 1));
}
