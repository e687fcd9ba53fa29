// Firefox's tab as `gather/` knows Chrome's: the part of the DevTools protocol that it uses, spoken to WebDriver BiDi.
import { EventEmitter } from 'node:events';
import type { CDPSession } from 'puppeteer-core';
import { viewport } from '../chrome/flags.ts';
import { inTime } from '../machine/in-time.ts';
import type { Firefox } from './launch-firefox.ts';
import { type BidiNetworkEvent, Translator } from './translate.ts';

const toldLaterMs = 250;
/** By this a navigation fails whose process has gone; that it crashed is told separately, and later where the machine is busy. */
const processGone = 'NS_ERROR_UNEXPECTED';
const crashToldMs = 10_000;

type Navigated = { errorText?: string; isDownload?: boolean };

/**
 * Opens a blank tab that listens, in place of the first one. Once for each Firefox: all events count as this tab's.
 *
 * @param warmUpPage is shown in the first one before
 * @returns with the tab's browsing context as `frameId`
 */
export async function openTab({ bidi, inside }: Pick<Firefox, 'bidi' | 'inside'>, warmUpPage: string) {
  const [first] = (await bidi.send('browsingContext.getTree', {})).result.contexts;
  if (first !== undefined)
    await bidi.send('browsingContext.navigate', { context: first.context, url: warmUpPage, wait: 'complete' as never });
  const { context } = (await bidi.send('browsingContext.create', { type: 'tab' as never })).result;
  if (first !== undefined) await bidi.send('browsingContext.close', { context: first.context });
  await bidi.send('browsingContext.setViewport', { context, viewport: { ...viewport }, devicePixelRatio: 1 });
  const session = new EventEmitter();
  const translator = new Translator();
  const loaders: string[] = [];
  let navigated = Promise.withResolvers<Navigated>();

  const emit = (event: BidiNetworkEvent) => {
    for (const [name, params] of translator.translate(event)) session.emit(name, params);
  };
  bidi.on('network.beforeRequestSent', (params) => emit(['network.beforeRequestSent', params]));
  bidi.on('network.responseStarted', (params) => emit(['network.responseStarted', params]));
  bidi.on('network.responseCompleted', (params) => emit(['network.responseCompleted', params]));
  const failed = (errorText: string) => {
    const { resolve } = navigated;
    if (errorText === processGone) setTimeout(() => resolve({ errorText }), crashToldMs);
    else resolve({ errorText });
  };
  let documentError = 'NS_ERROR_FAILURE';
  bidi.on('network.fetchError', (params) => {
    if (params.context === context && params.navigation !== null) documentError = params.errorText;
    emit(['network.fetchError', params]);
  });
  // Without a visitor there are no passwords: the server's refusal is the page.
  bidi.on('network.authRequired', ({ request: { request } }) => {
    void bidi.send('network.continueWithAuth', { request, action: 'cancel' }).catch(() => {});
  });
  bidi.on('browsingContext.navigationCommitted', ({ context: of, navigation, url }) => {
    if (of !== context) return;
    // Firefox shows its own page for an error status without a body, and no request reports that.
    if (url.startsWith('about:neterror?e=httpErrorPage')) {
      navigated.resolve({ errorText: 'NS_ERROR_NET_EMPTY_RESPONSE' });
      return;
    }
    navigated.resolve({});
    const loaderId = translator.committed(context, navigation);
    loaders.push(loaderId);
    session.emit('Page.frameNavigated', { frame: { id: context, loaderId, url } });
  });
  bidi.on('browsingContext.navigationFailed', (params) => {
    // The request has the reason, or another event says that it is a download; both may come later.
    if (params.context === context) setTimeout(() => failed(documentError), toldLaterMs);
  });
  bidi.on('browsingContext.downloadWillBegin', ({ context: of }) => {
    if (of === context) navigated.resolve({ isDownload: true });
  });
  bidi.on('browsingContext.load', ({ context: of, navigation }) => {
    // After a navigation within the page the id differs, so only ids of earlier documents are excluded.
    const isEarlier = loaders.slice(0, -1).includes(translator.loaderOf(navigation));
    if (of === context && !isEarlier) session.emit('Page.lifecycleEvent', { name: 'load', loaderId: loaders.at(-1), frameId: context });
  });
  inside.onCrash(() => session.emit('Inspector.targetCrashed'));
  await bidi.send('session.subscribe', {
    events: [
      ...['beforeRequestSent', 'responseStarted', 'responseCompleted', 'fetchError', 'authRequired'].map((name) => `network.${name}`),
      ...['navigationCommitted', 'navigationFailed', 'downloadWillBegin', 'load'].map((name) => `browsingContext.${name}`),
    ] as [string, ...string[]],
  });
  await bidi.send('network.addIntercept', { phases: ['authRequired' as never] });

  const handlers: Record<string, (params: never) => Promise<unknown>> = {
    'Page.navigate': async ({ url }: { url: string }) => {
      navigated = Promise.withResolvers<Navigated>();
      // Events report that it is committed or failed.
      const refused = bidi.send('browsingContext.navigate', { context, url, wait: 'none' as never }).catch((error: Error) => {
        failed(nameOfError(error.message));
      });
      return await Promise.all([navigated.promise, refused]).then(([found]) => found);
    },
    'Runtime.evaluate': async ({ expression }: { expression: string }) => {
      const { result: ran } = await bidi.send('script.evaluate', {
        // Runs in a world that the page's scripts can't reach.
        target: { context, sandbox: 'pronghorn' },
        expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value))`,
        awaitPromise: true,
      });
      if (ran.type === 'exception') return { result: {}, exceptionDetails: { text: ran.exceptionDetails.text } };
      return { result: { value: JSON.parse((ran.result as { value: string }).value) } };
    },
    'Page.createIsolatedWorld': async () => ({ executionContextId: 0 }),
    // The page's thread answers when it is idle; what it did meanwhile it doesn't say.
    'Performance.getMetrics': async () => {
      await bidi.send('script.evaluate', { target: { context, sandbox: 'pronghorn' }, expression: '0', awaitPromise: false });
      return { metrics: [] };
    },
  };
  return {
    session: Object.assign(session, {
      send: async (method: string, params: never, { timeout = 120_000 } = {}) =>
        await inTime(
          timeout,
          handlers[method]?.(params) ?? Promise.resolve({}),
          () => new Error(`Firefox did not answer within ${timeout} ms.`),
        ),
    }) as unknown as CDPSession,
    frameId: context,
    close: async () => void (await bidi.send('browsingContext.close', { context })),
  };
}

/** Firefox's name for what went wrong, of an error of BiDi with its whole stack, in which a URL or a file's name may say anything. */
export const nameOfError = (message: string): string => /\bNS_[A-Z0-9_]+(\([^)]*\))?/.exec(message)?.[0] ?? message.split('\n')[0] ?? '';
