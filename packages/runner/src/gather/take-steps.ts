// Takes the steps before a page: a login, a consent. Drives the tab as a person would, and describes the tab if that fails.
import { setTimeout as pause } from 'node:timers/promises';
import { stepWords } from '@pronghorn/core/text';
import type { Protocol as Cdp } from 'devtools-protocol';
import type { CDPSession } from 'puppeteer-core';
import type { Chrome } from '../chrome/launch.ts';
import { inTime } from '../machine/in-time.ts';
import { type LoadVisitor, type ResolvedStep, VisitorError, type VisitorState } from '../visitor/load-visitor.ts';
import { slimUrl } from './network-log.ts';
import { acceptDialogs, evaluateApart, openContext, openPage, type PageSession } from './page-session.ts';
import { applyVisitor } from './visitor.ts';
import { applyState } from './visitor-state.ts';

const usualMs = 15_000;
const pollMs = 100;
/** A page without an answer for this time has an endless script. */
const answerMs = 10_000;
/** Wait after the last step, for the answer to a sent form, and its cookies. */
const quietMs = 500;
const maxQuietMs = 10_000;

/** Longest that steps can take, milliseconds. */
export const maxStepsMs = (steps: readonly ResolvedStep[]): number =>
  maxQuietMs +
  steps.reduce((sum, step) => sum + ('waitMs' in step ? step.waitMs : 'atMostMs' in step ? (step.atMostMs ?? usualMs) : usualMs), 0);

/**
 * Takes the steps in a separate context, which is then disposed of.
 *
 * @returns what they left
 * @throws VisitorError step-failed that names the step, its selector and what was found in its place; Error where Chrome went away, or the steps
 *   could not begin
 */
export async function takeSteps(chrome: Chrome, visitor: LoadVisitor): Promise<VisitorState> {
  const context = await openContext(chrome);
  try {
    await applyState(chrome, context.id, visitor);
    const requests = new Set<string>();
    let isPage = true;
    const page = await openPage(chrome, context.id, async (session) => {
      session.on('Network.requestWillBeSent', ({ requestId }) => void requests.add(requestId));
      session.on('Network.loadingFinished', ({ requestId }) => void requests.delete(requestId));
      session.on('Network.loadingFailed', ({ requestId }) => void requests.delete(requestId));
      const ready = [session.send('Network.enable'), applyVisitor(session, chrome.product, visitor, isPage)];
      isPage = false;
      await Promise.all(ready);
    });
    acceptDialogs(page.session);
    const tab = new Tab(chrome, context.id, page, visitor, requests);
    for (const [i, step] of (visitor.visitor.steps ?? []).entries()) {
      try {
        await tab.take(step);
      } catch (error) {
        if (!chrome.connected()) throw error; // which says nothing of the page
        const why = error instanceof Error ? error.message : String(error);
        throw new VisitorError('step-failed', `Step ${i + 1} (${stepWords(step)}) failed: ${why}${await tab.whereabouts()}`);
      }
    }
    await tab.quiet();
    return await tab.state();
  } finally {
    await context.dispose().catch(() => {});
  }
}

/** The element that a selector finds, through open shadow roots too. */
interface Match {
  matches: number;
  visible: boolean;
  x: number;
  y: number;
  /** Element that covers it, as a tag with its id and classes; null: none. */
  covered: string | null;
  isPassword: boolean;
  host: string;
}

class Tab {
  readonly #chrome: Chrome;
  readonly #contextId: string;
  readonly #session: CDPSession;
  readonly #frameId: string;
  readonly #visitor: LoadVisitor;
  readonly #requests: ReadonlySet<string>;
  readonly #storage = new Map<string, Map<string, string>>();

  constructor(chrome: Chrome, contextId: string, { session, frameId }: PageSession, visitor: LoadVisitor, requests: ReadonlySet<string>) {
    this.#chrome = chrome;
    this.#contextId = contextId;
    this.#session = session;
    this.#frameId = frameId;
    this.#visitor = visitor;
    this.#requests = requests;
  }

  async take(step: ResolvedStep): Promise<void> {
    if ('waitMs' in step) return await pause(step.waitMs);
    if ('cookie' in step) {
      const { cookie: name, value, domain } = step;
      const cookies = [{ name, value, url: this.#visitor.pageUrl, ...(domain === undefined ? {} : { domain }) }];
      return await this.#chrome.session.send('Storage.setCookies', { cookies, browserContextId: this.#contextId });
    }
    if ('storage' in step) {
      const { origin } = new URL(this.#visitor.pageUrl);
      this.#keep(origin, [[step.storage, step.value]]);
      // A page that is open there should see it.
      await this.#evaluate(
        `location.origin === ${JSON.stringify(origin)} && localStorage.setItem(${JSON.stringify(step.storage)}, ${JSON.stringify(step.value)})`,
      );
      return;
    }
    const atMostMs = step.atMostMs ?? usualMs;
    if ('goto' in step) return await this.#goto(new URL(step.goto, this.#visitor.pageUrl).href, atMostMs);
    if ('waitForUrl' in step) {
      return await this.#until(atMostMs, async () => {
        const url = await this.#evaluate<string>('location.href');
        return url?.includes(step.waitForUrl) === true ? null : `the tab's URL is ${url === undefined ? 'unknown' : slimUrl(url)}`;
      });
    }
    if ('waitFor' in step) return void (await this.#find(step.waitFor, atMostMs));
    if ('click' in step) return await this.#click(step.click, atMostMs);
    const { isPassword, host } = await this.#find(step.type, atMostMs);
    if (isPassword && step.secret === undefined)
      throw new Error('it is a field for a password; expected `secret` with a reference in place of `text`');
    if (
      step.hosts != null &&
      !step.hosts.some((pattern) => (pattern.startsWith('*.') ? `.${host}`.endsWith(pattern.slice(1)) : host === pattern))
    )
      throw new Error(`the tab is at ${host}, and the secret is sealed for ${step.hosts.join(', ')}`);
    await this.#click(step.type, atMostMs);
    await this.#evaluate(`${inPage}(${JSON.stringify(step.type)})?.select?.()`);
    // The click may have led elsewhere, or the field may be another party's frame: the keys go where the focus is.
    const focus = step.secret === undefined ? undefined : await this.#evaluate<string>(`(${focusInPage})(${JSON.stringify(step.type)})`);
    if (step.secret !== undefined && focus !== host)
      throw new Error(`after a click on ${step.type} the focus is ${focus ? `at ${focus}` : 'not in it'}, so the secret was not typed`);
    await this.#session.send('Input.insertText', { text: step.text ?? '' });
  }

  /** Describes the tab for an error message; never fails. */
  async whereabouts(): Promise<string> {
    const seen = await this.#evaluate<{ url: string; title: string; controls: string[] }>(seenInPage).catch(() => undefined);
    if (seen === undefined) return '.';
    const controls = seen.controls.length === 0 ? 'no fields or buttons' : `these fields and buttons: ${seen.controls.join(', ')}`;
    return `. The tab is at ${seen.url}, titled "${seen.title}", with ${controls}.`;
  }

  async quiet(): Promise<void> {
    const deadline = performance.now() + maxQuietMs;
    let since = performance.now();
    while (performance.now() < deadline && performance.now() - since < quietMs) {
      await pause(pollMs / 2);
      const isComplete = (await this.#evaluate<string>('document.readyState').catch(() => undefined)) === 'complete';
      if (this.#requests.size > 0 || !isComplete) since = performance.now();
    }
  }

  async state(): Promise<VisitorState> {
    await this.#noteStorage();
    const { cookies } = await this.#chrome.session.send('Storage.getCookies', { browserContextId: this.#contextId });
    return {
      cookies: cookies.map(
        ({ size: _, session, expires, sourcePort: __, sourceScheme: ___, ...cookie }): Cdp.Network.CookieParam => ({
          ...cookie,
          ...(session ? {} : { expires }),
        }),
      ),
      storage: [...this.#storage].map(([origin, items]) => ({ origin, items: [...items] })),
    };
  }

  async #goto(url: string, atMostMs: number): Promise<void> {
    await this.#noteStorage();
    let onLoad = () => {};
    const loaded = new Promise<void>((resolve) => {
      onLoad = () => resolve();
      this.#session.once('Page.loadEventFired', onLoad);
    });
    const go = async () => {
      const { errorText } = await this.#session.send('Page.navigate', { url });
      if (errorText !== undefined) throw new Error(`${url} can't be reached (${errorText})`);
      await loaded;
    };
    try {
      await inTime(atMostMs, go(), () => new Error(`${url} did not load within ${atMostMs} ms`));
    } finally {
      this.#session.off('Page.loadEventFired', onLoad);
    }
  }

  async #click(selector: string, atMostMs: number): Promise<void> {
    const { x, y } = await this.#find(selector, atMostMs, true);
    await this.#noteStorage();
    const at = { x, y, button: 'left' as const, clickCount: 1 };
    await this.#mouse({ type: 'mouseMoved', x, y });
    await this.#mouse({ ...at, type: 'mousePressed' });
    await this.#mouse({ ...at, type: 'mouseReleased' });
  }

  /** Chrome answers once the page's own listeners have run. */
  async #mouse(event: Cdp.Input.DispatchMouseEventRequest): Promise<void> {
    try {
      await this.#session.send('Input.dispatchMouseEvent', event, { timeout: answerMs });
    } catch (error) {
      if (!/ timed out\./.test(error instanceof Error ? error.message : '')) throw error;
      throw new Error(`the page did not answer the mouse for ${answerMs} ms`);
    }
  }

  /** Waits until something visible matches, and nothing lies over it where it is to be clicked. */
  async #find(selector: string, atMostMs: number, free = false): Promise<Match> {
    let match: Match | undefined;
    await this.#until(atMostMs, async () => {
      match = await this.#evaluate<Match>(`(${lookInPage})(${JSON.stringify(selector)})`);
      if (match === undefined || match.matches === 0) return `nothing matches ${selector}`;
      if (!match.visible)
        return `${match.matches} ${match.matches === 1 ? 'element matches' : 'elements match'} ${selector}, none of them visible`;
      return free && match.covered !== null ? `${match.covered} lies over ${selector}` : null;
    });
    return match as Match;
  }

  /** @param lacks what is missing still; null: nothing */
  async #until(atMostMs: number, lacks: () => Promise<string | null>): Promise<void> {
    const deadline = performance.now() + atMostMs;
    for (;;) {
      const lack = await lacks();
      if (lack === null) return;
      if (performance.now() > deadline) throw new Error(`${lack} after ${atMostMs} ms`);
      await pause(pollMs);
    }
  }

  async #noteStorage(): Promise<void> {
    const noted = await this.#evaluate<{ origin: string; items: [string, string][] }>(
      '({ origin: location.origin, items: Object.entries(localStorage) })',
    ).catch(() => undefined);
    if (noted !== undefined && /^https?:/.test(noted.origin)) this.#keep(noted.origin, noted.items);
  }

  #keep(origin: string, items: readonly (readonly [string, string])[]): void {
    const known = this.#storage.get(origin) ?? new Map<string, string>();
    for (const [key, value] of items) known.set(key, value);
    this.#storage.set(origin, known);
  }

  /**
   * Runs in an isolated world, without the page's changes to built-ins (`Object.entries`).
   *
   * @returns undefined while the tab changes its document, or where the expression throws
   */
  async #evaluate<T>(expression: string): Promise<T | undefined> {
    try {
      const { result, exceptionDetails } = await evaluateApart(this.#session, this.#frameId, expression, { timeoutMs: answerMs });
      if (exceptionDetails === undefined) return result.value as T;
      if (/SyntaxError/.test(exceptionDetails.exception?.description ?? ''))
        throw new SelectorError(exceptionDetails.exception?.description ?? '');
      return undefined;
    } catch (error) {
      if (error instanceof SelectorError || !this.#chrome.connected()) throw error;
      return undefined;
    }
  }
}

class SelectorError extends Error {}

/** First visible match, else the first. */
const inPage = `((selector) => {
  const all = [];
  const look = (root) => {
    all.push(...root.querySelectorAll(selector));
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) look(element.shadowRoot);
  };
  look(document);
  return all.find((element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0) ?? all[0];
})`;

/** Cut texts in the form that `redactor` expects. */
const cutInPage = `((text, most) => text.length > most ? text.slice(0, most) + '…' : text)`;

const lookInPage = `(selector) => {
  const element = ${inPage}(selector);
  const host = location.hostname;
  if (!element) return { matches: 0, visible: false, x: 0, y: 0, covered: null, isPassword: false, host };
  element.scrollIntoView({ block: 'center', behavior: 'instant' });
  const box = element.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  let top = document.elementFromPoint(x, y);
  while (top?.shadowRoot) {
    const inner = top.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === top) break;
    top = inner;
  }
  const isFree = top && (top === element || element.contains(top) || top.contains(element) || element.getRootNode().host === top || top.closest('label')?.control === element);
  const name = top && top.tagName.toLowerCase() + (top.id && '#' + top.id) + [...top.classList].map((one) => '.' + one).join('');
  return {
    matches: document.querySelectorAll(selector).length || 1,
    visible: element.checkVisibility({ visibilityProperty: true }) && box.width > 0 && box.height > 0,
    x, y, covered: isFree ? null : ${cutInPage}(name, 100), isPassword: element.type === 'password', host,
  };
}`;

/** The tab's host where the focus is in the field itself; else nothing. */
const focusInPage = `(selector) => {
  const field = ${inPage}(selector);
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  const isIn = field && focused && (field === focused || field.contains(focused) || field.control === focused);
  return isIn && !/^I?FRAME$/.test(focused.tagName) ? location.hostname : '';
}`;

/** Words on buttons and names of fields, never what they hold. */
const seenInPage = `({
  url: ${cutInPage}(location.href.split(/[?#]/)[0], 2_000),
  title: ${cutInPage}(document.title, 100),
  controls: [...document.querySelectorAll('button, input:not([type=hidden]), a[role=button]')].slice(0, 8).map((element) =>
    ${cutInPage}(element.tagName.toLowerCase() + (element.id && '#' + element.id) + (element.name ? '[name=' + element.name + ']' : ''), 100) +
    (element.tagName === 'INPUT' ? '' : ' "' + ${cutInPage}(element.textContent.trim(), 30) + '"')),
})`;
