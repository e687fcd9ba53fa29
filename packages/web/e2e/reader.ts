// What a reader does on a page, and waits for: whoever waited in vain says for what, and what is there instead.
import type { ElementHandle, Page } from 'puppeteer-core';
import { isOpen, texts } from './pages.ts';

/** Not with each frame, which would have a page draw on and on. */
const often = { polling: 100 };

async function until(page: Page, selector: string, wanted: string, waiting: Promise<unknown>): Promise<void> {
  await waiting.catch(async (error) => {
    const seen = await texts(page, selector).catch(() => []);
    throw new Error(`${selector} never had ${wanted} at ${page.url()}, but: ${JSON.stringify(seen).slice(0, 3000)}`, { cause: error });
  });
}

/** Until the text of the first such element has these words. */
export const says = (page: Page, selector: string, words: string | RegExp): Promise<void> =>
  until(
    page,
    selector,
    String(words),
    page.waitForFunction(
      (at, plain, pattern) => {
        const text = document.querySelector(at)?.textContent?.replaceAll('\u00a0', ' ');
        return text !== undefined && (pattern === null ? text.includes(plain) : new RegExp(pattern, 's').test(text));
      },
      often,
      ...([selector, String(words), words instanceof RegExp ? words.source : null] as const),
    ),
  );

/** Until all such elements have these texts, in this order. */
export const saysAll = (page: Page, selector: string, wanted: readonly string[]): Promise<void> =>
  until(
    page,
    selector,
    JSON.stringify(wanted),
    page.waitForFunction(
      (at, all) =>
        JSON.stringify([...document.querySelectorAll(at)].map((one) => one.textContent?.replaceAll('\u00a0', ' ').trim())) === all,
      often,
      ...([selector, JSON.stringify(wanted)] as const),
    ),
  );

/** Until there are so many such elements. */
export const has = (page: Page, selector: string, count: number): Promise<void> =>
  until(
    page,
    selector,
    `${count} elements`,
    page.waitForFunction((at, wanted) => document.querySelectorAll(at).length === wanted, often, ...([selector, count] as const)),
  );

/** Until the page's address is such. */
export const isAt = (page: Page, hash: RegExp): Promise<void> =>
  until(
    page,
    'h1',
    `the address ${hash}`,
    page.waitForFunction((pattern) => new RegExp(pattern).test(decodeURIComponent(location.hash)), often, hash.source),
  );

/** Until such an element has the focus. */
export async function hasFocus(page: Page, selector: string): Promise<void> {
  await page
    .waitForFunction((wanted) => document.activeElement?.matches(wanted), often, selector)
    .catch(async (error) => {
      const [focused, invalid] = await page.evaluate(() =>
        [document.activeElement, ...document.querySelectorAll('[aria-invalid="true"]')].map((one) => one?.outerHTML.slice(0, 300)),
      );
      throw new Error(`${selector} never had the focus, but ${focused}. The first field with a problem: ${invalid}`, { cause: error });
    });
}

/** A page with what is to be clicked. */
type Pressing = Window & { pressing?: { wanted: Element; isHit: boolean } | undefined };

/** What came of it: undefined in another document. */
const isPressed = (page: Page): Promise<boolean | undefined> =>
  page.evaluate(() => {
    const at = window as Pressing;
    const isHit = at.pressing?.isHit;
    at.pressing = undefined;
    return isHit;
  });

/**
 * Clicks once it stands still. What a page that still loads moves away or draws anew under the pointer all the same is missed: that click does
 * nothing, and there is another.
 */
export async function press(page: Page, selector: string): Promise<void> {
  await isOpen(page);
  for (let tries = 1; tries <= 10; tries++) {
    const wanted = await page.locator(selector).waitHandle();
    await (wanted as ElementHandle<Element>).evaluate((element) => {
      const at = window as Pressing;
      // A click on a label is followed by one on its control.
      const isLabelOf = (one: EventTarget | null, control: EventTarget | null) =>
        one instanceof HTMLLabelElement && one.control === control;
      const look = (event: Event) => {
        const { pressing } = at;
        if (!pressing || pressing.isHit) return;
        const { wanted } = pressing;
        if (event.composedPath().some((one) => one === wanted || isLabelOf(one, wanted)) || isLabelOf(wanted, event.target)) {
          pressing.isHit = event.type === 'click';
          return;
        }
        event.preventDefault();
        event.stopImmediatePropagation();
      };
      if (!('pressing' in at))
        for (const name of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) addEventListener(name, look, { capture: true });
      at.pressing = { wanted: element, isHit: false };
    });
    await page.locator(selector).click();
    // One that led to another document has arrived.
    if ((await isPressed(page).catch(() => true)) !== false) return;
  }
  throw new Error(`${selector} at ${page.url()} was clicked ten times, and each time something else was under the pointer`);
}

/**
 * Replaces what a field has, or chooses an option. What is there is selected and typed over at once: a field that was emptied before might be
 * filled again by the page meanwhile.
 */
export async function fill(page: Page, selector: string, text: string): Promise<void> {
  await isOpen(page);
  const field = await page.locator(selector).waitHandle();
  const isText = await field.evaluate((element) => {
    if (element instanceof HTMLSelectElement) return false;
    const input = element as HTMLInputElement;
    input.scrollIntoView({ block: 'center' });
    input.focus();
    input.select();
    return true;
  });
  if (!isText) await page.select(selector, text);
  else if (text === '') await page.keyboard.press('Backspace');
  else await page.keyboard.sendCharacter(text);
}
