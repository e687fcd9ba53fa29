// Browser contexts and their tabs, with the DevTools sessions of a page and of all that belongs to it.
import { setTimeout as wait } from 'node:timers/promises';
import type { Protocol as Cdp } from 'devtools-protocol';
import { type CDPSession, CDPSessionEvent } from 'puppeteer-core';
import { viewport } from '../chrome/flags.ts';
import type { Chrome } from '../chrome/launch.ts';

interface Target {
  session: CDPSession;
  close(): Promise<void>;
}

export interface PageSession extends Target {
  frameId: string;
}

/** A browser context: what is fresh in a cold visit. */
export async function openContext(chrome: Chrome): Promise<{ id: string; dispose(): Promise<void> }> {
  const { browserContextId } = await chrome.session.send('Target.createBrowserContext');
  await chrome.session.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId, eventsEnabled: false });
  return {
    id: browserContextId,
    dispose: async () => {
      await chrome.session.send('Target.disposeBrowserContext', { browserContextId }, { timeout: 5_000 });
    },
  };
}

/** Opens a tab and attaches to it; without a context, in its own window. */
export async function openTarget(chrome: Chrome, contextId: string | undefined, url = 'about:blank'): Promise<Target> {
  const { targetId } = await chrome.session.send('Target.createTarget', {
    url,
    ...(contextId === undefined ? { newWindow: true } : { browserContextId: contextId }),
  });
  const { sessionId } = await chrome.session.send('Target.attachToTarget', { targetId, flatten: true });
  const session = chrome.connection.session(sessionId);
  if (session === null) throw new Error('Chrome attached to a tab without a session.');
  return { session, close: async () => void (await chrome.session.send('Target.closeTarget', { targetId }, { timeout: 5_000 })) };
}

/**
 * Opens a blank tab, ready to be navigated.
 *
 * @param attend is given each session (the page's, and those of frames and workers in other processes) before its target runs
 */
export async function openPage(
  chrome: Chrome,
  contextId: string | undefined,
  attend: (session: CDPSession) => Promise<void>,
): Promise<PageSession> {
  const { session, close } = await openTarget(chrome, contextId);
  const follow = async (one: CDPSession): Promise<void> => {
    one.on(CDPSessionEvent.SessionAttached, (child: CDPSession) => {
      // A target may go away while we attach to it.
      void follow(child).catch(() => {});
      // Sent at once behind what makes it listen, in that order: a frame of another site that waited for our answers would start later than
      // a visitor's, by two round trips through this process.
      void child.send('Runtime.runIfWaitingForDebugger').catch(() => {});
    });
    await Promise.all([attend(one), one.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true })]);
  };
  const [{ frameTree }] = await Promise.all([
    session.send('Page.enable').then(() => session.send('Page.getFrameTree')),
    session.send('Emulation.setDeviceMetricsOverride', { ...viewport, deviceScaleFactor: 1, mobile: false }),
    follow(session),
  ]);
  return { session, frameId: frameTree.frame.id, close };
}

/**
 * Tells what becomes of a page that is loaded: crashes, documents of its main frame, load events by their loaders, and navigations that the page
 * announces (a refresh by `<meta>` or header), with their delay; null: taken back. Accepts its dialogs, which would hold it for ever.
 */
export async function watchPage(
  session: CDPSession,
  on: {
    crash(): void;
    document(loaderId: string, url: string): void;
    load(loaderId: string): void;
    announced?(delayMs: number | null): void;
  },
): Promise<void> {
  acceptDialogs(session);
  session.on('Inspector.targetCrashed', () => on.crash());
  let mainFrameId: string | undefined;
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined) return;
    mainFrameId = frame.id;
    on.document(frame.loaderId, frame.url);
  });
  session.on('Page.frameScheduledNavigation', ({ frameId, delay }) => {
    if (frameId === mainFrameId) on.announced?.(delay * 1_000);
  });
  session.on('Page.frameClearedScheduledNavigation', ({ frameId }) => {
    if (frameId === mainFrameId) on.announced?.(null);
  });
  session.on('Page.lifecycleEvent', ({ name, loaderId }) => {
    if (name === 'load') on.load(loaderId);
  });
  await Promise.all([session.send('Inspector.enable'), session.send('Page.setLifecycleEventsEnabled', { enabled: true })]);
}

/** A page that navigates by itself more often never comes to rest. */
export const maxMoves = 5;

export function acceptDialogs(session: CDPSession): void {
  session.on('Page.javascriptDialogOpening', () => void session.send('Page.handleJavaScriptDialog', { accept: true }).catch(() => {}));
}

/**
 * Shows a page at a URL without requesting it: no name is looked up, no connection opened, nothing cached. All requests of the tab are
 * answered so until `Fetch.disable`.
 *
 * @returns why it did not come; undefined: it is there
 */
export async function showOwnPage(
  session: CDPSession,
  url: string,
  { headers, html = '', timeoutMs }: { headers: Readonly<Record<string, string>>; html?: string; timeoutMs: number },
): Promise<string | undefined> {
  const responseHeaders = Object.entries(headers).map(([name, value]) => ({ name, value }));
  const body = Buffer.from(html).toString('base64');
  // A tab that is closed meanwhile needs no answer.
  session.on('Fetch.requestPaused', ({ requestId }) => {
    void session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body }).catch(() => {});
  });
  await Promise.all([session.send('Page.enable'), session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })]);
  const loaded = new Promise<void>((resolve) => session.once('Page.loadEventFired', () => resolve()));
  const { errorText } = await session.send('Page.navigate', { url }, { timeout: timeoutMs });
  if (errorText === undefined) await loaded;
  return errorText;
}

/** Evaluates an expression in a world of our own, which the page's scripts can't reach, and which a document has once. */
export async function evaluateApart(
  session: CDPSession,
  frameId: string,
  expression: string,
  { timeoutMs, awaitPromise = false }: { timeoutMs?: number; awaitPromise?: boolean } = {},
): Promise<Cdp.Runtime.EvaluateResponse> {
  const options = timeoutMs === undefined ? undefined : { timeout: timeoutMs };
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName: 'pronghorn' }, options);
  return await session.send('Runtime.evaluate', { expression, contextId, awaitPromise, returnByValue: true }, options);
}

/**
 * Full Chrome draws a window that was opened some three times; without `--animation-duration-scale=0` it would animate its tab strip for 250 ms, in
 * headless mode too, and a page that loads beside that, in this window or in another one, is painted later: see docs/statistics.md, Calibration.
 */
const drawnMs = 50;

/** Waits until the window of a tab that was opened or closed just now draws nothing any more. The headless shell has no such window. */
export async function windowAtRest(chrome: Pick<Chrome, 'flags'>): Promise<void> {
  if (chrome.flags.includes('--headless=new')) await wait(drawnMs);
}

/** Time for the page to appear, and for Chrome to act on its message, which it doesn't acknowledge. */
const pageMs = 30_000;
const effectMs = 250;

/**
 * Does what a person does on chrome://net-internals/#sockets, since DevTools has no command for it. A visitor who comes back
 * finds the server's idle connections closed; on open ones a repeat view has no handshake, no 0-RTT and no change of protocol.
 *
 * Chrome doesn't report success: the verdict requires that the visit's first request opened its connection.
 *
 * @throws Error where Chrome has no such page, as the headless shell
 */
export async function closeConnections(chrome: Chrome, contextId: string | undefined): Promise<void> {
  const { session, close } = await openTarget(chrome, contextId, 'chrome://net-internals/#sockets');
  try {
    const deadline = performance.now() + pageMs;
    for (;;) {
      const answer = await session
        .send('Runtime.evaluate', { expression: script, returnByValue: true })
        // The requested page is replacing this one.
        .catch(() => undefined);
      if (answer?.result.value === 'sent') break;
      if (answer?.result.value === 'no such page' || performance.now() > deadline) {
        throw new Error(
          'This Chrome can’t close its connections between two views (no chrome://net-internals): measure warm views with full Chrome.',
        );
      }
      await wait(10);
    }
    await wait(effectMs);
  } finally {
    await close().catch(() => {});
  }
  await windowAtRest(chrome);
}

const script = `location.protocol === 'chrome-error:' ? 'no such page' :
  location.href.startsWith('chrome://net-internals') && document.readyState === 'complete' && typeof chrome?.send === 'function'
    && (chrome.send('flushSocketPools'), 'sent')`;
