// Local storage of an origin in a context that has no page of it.
import type { Chrome } from '../chrome/launch.ts';

/**
 * Writes items. The origin's page is answered by us, so that no name is looked up, no connection opened and nothing cached.
 *
 * @throws Error when the page does not come or refuses, as where the origin is no URL
 */
export async function writeStorage(
  chrome: Chrome,
  contextId: string | undefined,
  origin: string,
  items: readonly (readonly [key: string, value: string])[],
): Promise<void> {
  if (items.length === 0) return;
  const { targetId } = await chrome.session.send('Target.createTarget', {
    url: 'about:blank',
    ...(contextId === undefined ? { newWindow: true } : { browserContextId: contextId }),
  });
  try {
    const { sessionId } = await chrome.session.send('Target.attachToTarget', { targetId, flatten: true });
    const session = chrome.connection.session(sessionId);
    if (session === null) throw new Error('Chrome attached to a tab without a session.');
    session.on('Fetch.requestPaused', ({ requestId }) => {
      const responseHeaders = [
        { name: 'content-type', value: 'text/html' },
        { name: 'cache-control', value: 'no-store' },
      ];
      void session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders }).catch(() => {});
    });
    await Promise.all([session.send('Page.enable'), session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })]);
    const loaded = new Promise<void>((resolve) => session.once('Page.loadEventFired', () => resolve()));
    const { errorText } = await session.send('Page.navigate', { url: `${origin}/` });
    if (errorText !== undefined) throw new Error(`Local storage of ${origin} can't be written: ${errorText}.`);
    await loaded;
    const { exceptionDetails } = await session.send('Runtime.evaluate', {
      expression: `for (const [key, value] of ${JSON.stringify(items)}) localStorage.setItem(key, value)`,
    });
    if (exceptionDetails !== undefined) throw new Error(`Local storage of ${origin} can't be written: ${exceptionDetails.text}`);
  } finally {
    await chrome.session.send('Target.closeTarget', { targetId }, { timeout: 5_000 });
  }
}
