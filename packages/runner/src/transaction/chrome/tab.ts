// A blank page of the server's own origin, for which the server is not asked: requests of it are of the same origin, with all their times.
import type { CDPSession } from 'puppeteer-core';
import type { Chrome } from '../../chrome/launch.ts';
import { openContext, openPage } from '../../gather/page-session.ts';
import { type PagePlan, startWorker } from './page.ts';

export interface Tab {
  session: CDPSession;
  /** What a function of `globalThis.pronghorn` returns. @throws Error with the page's words */
  call<T>(expression: string, timeoutMs: number): Promise<T>;
  close(): Promise<void>;
}

const html = '<!doctype html><html lang="en"><title>Pronghorn</title><link rel="icon" href="data:,">';

/** The last two isolate the page: its clock then has steps of 5 µs in place of 100. */
const headers = {
  'Content-Type': 'text/html',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const openMs = 30_000;

/** Opens one in a browser context of its own, which has connections of its own. */
export async function openTab(chrome: Chrome, plan: PagePlan): Promise<Tab> {
  const context = await openContext(chrome);
  const { session } = await openPage(chrome, context.id, async () => {});
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  session.on('Fetch.requestPaused', ({ requestId }) => {
    const responseHeaders = Object.entries(headers).map(([name, value]) => ({ name, value }));
    const body = Buffer.from(html).toString('base64');
    // A tab that is closed meanwhile needs no answer.
    session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body }).catch(() => {});
  });
  const loaded = new Promise<void>((resolve) => session.once('Page.loadEventFired', () => resolve()));
  const { errorText } = await session.send('Page.navigate', { url: new URL('/', plan.urls[0]).href }, { timeout: openMs });
  if (errorText !== undefined) throw new Error(`Chrome opened no page for REST calls: ${errorText}.`);
  await loaded;
  // From here on nothing stands between page and network.
  await session.send('Fetch.disable');
  const call = async <T>(expression: string, timeoutMs: number): Promise<T> => {
    const { result, exceptionDetails } = await session.send(
      'Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true },
      { timeout: timeoutMs },
    );
    if (exceptionDetails !== undefined)
      throw new Error(`The page of REST calls failed: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value as T;
  };
  await call(`(${startWorker})(${JSON.stringify(plan)})`, openMs);
  return { session, call, close: () => context.dispose() };
}
