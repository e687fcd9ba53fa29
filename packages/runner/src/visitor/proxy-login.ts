// Tells a context's Chrome its account at the proxy before a page is asked for.
import type { Chrome } from '../chrome/launch.ts';
import { closeConnections } from '../gather/close-connections.ts';
import type { LoadVisitor } from './load-visitor.ts';
import { VisitorError } from './visitor-error.ts';

/** By RFC 6761 a name of nobody: the proxy answers for it, or says that it can't; both are fine. */
const nobody = 'pronghorn.invalid';
const longestMs = 15_000;

/**
 * Asks the proxy for a page that is none, in a tab of its own, and answers when it asks who we are. A context keeps that and sends it along from then on;
 * in the page's own tab, DevTools would hold each request to hear of that one question.
 *
 * @throws VisitorError where the proxy refuses the account
 */
export async function logInAtProxy(chrome: Chrome, contextId: string | undefined, given: LoadVisitor): Promise<void> {
  const { proxy, proxyAuth } = given.visitor;
  if (proxy === undefined || proxyAuth === undefined) return;
  // As the page will: some ask at CONNECT alone.
  const url = `${new URL(given.pageUrl).protocol}//${nobody}/`;
  const { targetId } = await chrome.session.send('Target.createTarget', {
    url: 'about:blank',
    ...(contextId === undefined ? { newWindow: true } : { browserContextId: contextId }),
  });
  let asked = 0;
  let status: number | undefined;
  try {
    const { sessionId } = await chrome.session.send('Target.attachToTarget', { targetId, flatten: true });
    const session = chrome.connection.session(sessionId);
    if (session === null) throw new Error('Chrome attached to a tab without a session.');
    session.on('Fetch.requestPaused', ({ requestId }) => void session.send('Fetch.continueRequest', { requestId }).catch(() => {}));
    session.on('Fetch.authRequired', ({ requestId, authChallenge: { source } }) => {
      const isFirst = source === 'Proxy' && asked++ === 0;
      const authChallengeResponse = isFirst
        ? { response: 'ProvideCredentials' as const, username: proxyAuth.user, password: proxyAuth.password }
        : { response: 'CancelAuth' as const };
      void session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => {});
    });
    session.on('Network.responseReceived', ({ response }) => {
      status = response.status;
    });
    await Promise.all([session.send('Network.enable'), session.send('Fetch.enable', { handleAuthRequests: true })]);
    const { errorText } = await session.send('Page.navigate', { url }, { timeout: longestMs });
    if (asked > 1 || status === 407)
      throw new VisitorError('secret-missing', `The proxy ${proxy} refuses the user ${proxyAuth.user} and the password of proxyAuth.`);
    // A proxy that can't be reached is told by the load itself, with its reason.
    if (errorText === undefined && asked === 0 && status === undefined)
      throw new Error(`The proxy ${proxy} gave no answer before the page was asked for.`);
  } finally {
    await chrome.session.send('Target.closeTarget', { targetId }, { timeout: 5_000 });
  }
  // One connection to such a proxy serves all hosts, and a cold visit opens its own.
  if (proxy.startsWith('https:')) await closeConnections(chrome, contextId);
}
