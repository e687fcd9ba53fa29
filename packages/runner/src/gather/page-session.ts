// One tab in one browser context, with the DevTools sessions of the page and of all that belongs to it.
import { type CDPSession, CDPSessionEvent } from 'puppeteer-core';
import { viewport } from '../chrome/flags.ts';
import type { Chrome } from '../chrome/launch.ts';

export interface PageSession {
  session: CDPSession;
  targetId: string;
  frameId: string;
  close(): Promise<void>;
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
  const { targetId } = await chrome.session.send('Target.createTarget', {
    url: 'about:blank',
    ...(contextId === undefined ? { newWindow: true } : { browserContextId: contextId }),
  });
  const { sessionId } = await chrome.session.send('Target.attachToTarget', { targetId, flatten: true });
  const session = chrome.connection.session(sessionId);
  if (session === null) throw new Error('Chrome attached to a tab without a session.');

  const follow = async (one: CDPSession): Promise<void> => {
    one.on(CDPSessionEvent.SessionAttached, (child: CDPSession) => {
      // A target that goes away while we attach to it has nothing to tell.
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
  return {
    session,
    targetId,
    frameId: frameTree.frame.id,
    close: async () => {
      await chrome.session.send('Target.closeTarget', { targetId }, { timeout: 5_000 });
    },
  };
}
