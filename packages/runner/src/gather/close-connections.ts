// Closes the connections of a browser context and nothing else: tickets, cache and Alt-Svc memory stay.
import type { Chrome } from '../chrome/launch.ts';
import { windowAtRest } from './window-rest.ts';

/** For the page to be there, and for Chrome to act on its message, which it doesn't acknowledge. */
const pageMs = 2_000;
const effectMs = 250;

/**
 * Does what a person does on chrome://net-internals/#sockets, since DevTools has no command for it. A visitor who comes back
 * finds the server's idle connections closed; on open ones a repeat view has no handshake, no 0-RTT and no change of protocol.
 *
 * Whether it worked is not known here: the verdict asks that the visit's first request opened its connection.
 *
 * @throws Error where Chrome has no such page, as the headless shell
 */
export async function closeConnections(chrome: Chrome, contextId: string | undefined): Promise<void> {
  const { targetId } = await chrome.session.send('Target.createTarget', {
    url: 'chrome://net-internals/#sockets',
    ...(contextId === undefined ? { newWindow: true } : { browserContextId: contextId }),
  });
  try {
    const { sessionId } = await chrome.session.send('Target.attachToTarget', { targetId, flatten: true });
    const session = chrome.connection.session(sessionId);
    const deadline = performance.now() + pageMs;
    for (;;) {
      const answer = await session
        ?.send('Runtime.evaluate', { expression: script, returnByValue: true })
        // The page is being replaced by the one that was asked for.
        .catch(() => undefined);
      if (answer?.result.value === true) break;
      if (performance.now() > deadline) {
        throw new Error(
          'This Chrome can’t close its connections between two views (no chrome://net-internals): measure warm views with full Chrome.',
        );
      }
      await wait(10);
    }
    await wait(effectMs);
  } finally {
    await chrome.session.send('Target.closeTarget', { targetId }).catch(() => {});
  }
  await windowAtRest(chrome);
}

const script = `location.href.startsWith('chrome://net-internals') && document.readyState === 'complete' && typeof chrome?.send === 'function'
  && (chrome.send('flushSocketPools'), true)`;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
