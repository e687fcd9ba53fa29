// Puts a visitor's state into a browser context before a page is requested: cookies, local storage, and its account at a proxy.
import type { Chrome } from '../chrome/launch.ts';
import { type LoadVisitor, VisitorError } from '../visitor/load-visitor.ts';
import { closeConnections, openTarget, showOwnPage } from './page-session.ts';

/** Puts cookies and local storage into a context, without a connection, except to a proxy that requires a password. */
export async function applyState(chrome: Chrome, contextId: string | undefined, given: LoadVisitor | undefined): Promise<void> {
  if (given === undefined) return;
  const { visitor, pageUrl, state } = given;
  const named = (visitor.cookies ?? []).map(({ name, value, domain }) => ({
    name,
    value,
    url: pageUrl,
    ...(domain === undefined ? {} : { domain }),
  }));
  const cookies = [...named, ...state.cookies];
  const context = contextId === undefined ? {} : { browserContextId: contextId };
  if (cookies.length > 0) await chrome.session.send('Storage.setCookies', { cookies, ...context });
  for (const { origin, items } of state.storage) await writeStorage(chrome, contextId, origin, items);
  await logInAtProxy(chrome, contextId, given);
}

/** Reserved by RFC 6761: the proxy answers for it, or says that it can't; both are fine. */
const nobody = 'pronghorn.invalid';
const maxLoginMs = 15_000;
const maxStorageMs = 120_000;

/**
 * Requests a page that does not exist from the proxy, in a separate tab, and answers its authentication. The context then sends that along;
 * in the page's own tab, DevTools would hold every request to report that one.
 *
 * @throws VisitorError where the proxy refuses the account
 */
async function logInAtProxy(chrome: Chrome, contextId: string | undefined, given: LoadVisitor): Promise<void> {
  const { proxy, proxyAuth } = given.visitor;
  if (proxy === undefined || proxyAuth === undefined) return;
  // As the page will be: some proxies authenticate only at CONNECT.
  const url = `${new URL(given.pageUrl).protocol}//${nobody}/`;
  const { session, close } = await openTarget(chrome, contextId);
  let challenges = 0;
  let status: number | undefined;
  try {
    session.on('Fetch.requestPaused', ({ requestId }) => void session.send('Fetch.continueRequest', { requestId }).catch(() => {}));
    session.on('Fetch.authRequired', ({ requestId, authChallenge: { source } }) => {
      const isFirst = source === 'Proxy' && challenges++ === 0;
      const authChallengeResponse = isFirst
        ? { response: 'ProvideCredentials' as const, username: proxyAuth.user, password: proxyAuth.password }
        : { response: 'CancelAuth' as const };
      void session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => {});
    });
    session.on('Network.responseReceived', ({ response }) => {
      status = response.status;
    });
    await Promise.all([session.send('Network.enable'), session.send('Fetch.enable', { handleAuthRequests: true })]);
    const { errorText } = await session.send('Page.navigate', { url }, { timeout: maxLoginMs });
    if (challenges > 1 || status === 407)
      throw new VisitorError('secret-missing', `The proxy ${proxy} refuses the user ${proxyAuth.user} and the password of proxyAuth.`);
    // The load itself fails if the proxy can't be reached, with the reason.
    if (errorText === undefined && challenges === 0 && status === undefined)
      throw new Error(`The proxy ${proxy} did not answer before the page was requested.`);
  } finally {
    await close();
  }
  // One connection to such a proxy serves all hosts, and a cold visit opens its own.
  if (proxy.startsWith('https:')) await closeConnections(chrome, contextId);
}

/**
 * Writes items.
 *
 * @throws Error when the page does not come or refuses, as where the origin is not a URL
 */
async function writeStorage(
  chrome: Chrome,
  contextId: string | undefined,
  origin: string,
  items: readonly (readonly [key: string, value: string])[],
): Promise<void> {
  if (items.length === 0) return;
  const { session, close } = await openTarget(chrome, contextId);
  try {
    const headers = { 'content-type': 'text/html', 'cache-control': 'no-store' };
    const failure = await showOwnPage(session, `${origin}/`, { headers, timeoutMs: maxStorageMs });
    if (failure !== undefined) throw new Error(`Local storage of ${origin} can't be written: ${failure}.`);
    const { exceptionDetails } = await session.send('Runtime.evaluate', {
      expression: `for (const [key, value] of ${JSON.stringify(items)}) localStorage.setItem(key, value)`,
    });
    if (exceptionDetails !== undefined) throw new Error(`Local storage of ${origin} can't be written: ${exceptionDetails.text}`);
  } finally {
    await close();
  }
}
