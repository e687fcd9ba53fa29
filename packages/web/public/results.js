// The page's entry: from the address (#/…) to a page, once it is known who reads.
import { ApiError, readSession, signIn, signOut } from './browser/api.js';
import { html } from './browser/element.js';
import { campaignPage } from './page/campaign.js';
import { campaignsPage } from './page/campaigns.js';
import { signInPage, troubleOf } from './page/sign-in.js';
import { visitPage } from './page/visit.js';
import { who } from './part/who.js';

/** @import { Session } from '@pronghorn/core' */

/**
 * What a page gets: where to draw, when to stop, and a way to ask the service.
 * @typedef {object} Place
 * @property {HTMLElement} main
 * @property {AbortSignal} signal aborted when the reader goes elsewhere
 * @property {(ask: () => Promise<boolean>) => Promise<boolean>} attempt does as told; when the service does not answer, says so
 *   and resolves to true: try again. What it refuses (an unknown id) is told and not tried again. Where it wants to know who
 *   asks, the page to sign in takes this one's place.
 */

const main = /** @type {HTMLElement} */ (document.getElementById('main'));
let leave = new AbortController();
/** Null: not known yet. @type {Session | null} */
let session = null;
/** Where the reader was who chose to sign in. */
let cameFrom = '#/';

async function show() {
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const trouble = html('p', { class: 'trouble', role: 'alert', hidden: true });
  main.before(trouble);
  signal.addEventListener('abort', () => trouble.remove());
  document.title = 'Pronghorn';
  main.replaceChildren(html('p', {}, 'Reading…'));

  const failed = await useTokenOfAddress(signal);
  if (signal.aborted) return;
  if (failed !== null) return askToSignIn(signal, 'The token in the address did not sign you in.', failed);
  // Where that fails, what the page asks for fails as well, and is told.
  if (session === null) know(await readSession(signal).catch(() => null));
  if (signal.aborted) return;

  const [page = '', id = '', ...rest] = location.hash.replace(/^#\/?/, '').split('/');
  if (page === 'sign-in') return askToSignIn(signal, 'What you may do depends on the token.');
  if (session?.access === 'tokens' && session.role === null)
    return askToSignIn(signal, 'This service shows its results to those it knows.');
  cameFrom = location.hash;
  const place = { main, signal, attempt: attempts(trouble, signal) };
  switch (page) {
    case '':
      return campaignsPage(place);
    case 'campaigns':
      return campaignPage(place, decoded(id), rest.join('/'));
    case 'visits':
      return visitPage(place, decoded(id));
    default:
      main.replaceChildren(html('h1', {}, 'No such page'), html('p', {}, html('a', { href: '#/' }, 'All campaigns')));
  }
}

/**
 * A link with #token=… signs in once: the token leaves the address, and with it this tab's history, before it is used.
 * @param {AbortSignal} signal
 * @returns {Promise<string | null>} what was wrong with it
 */
async function useTokenOfAddress(signal) {
  const [, token] = location.hash.match(/^#token=(.*)$/) ?? [];
  if (token === undefined) return null;
  history.replaceState(null, '', '#/');
  try {
    know(await signIn(decoded(token).trim(), signal));
    return null;
  } catch (error) {
    return troubleOf(error);
  }
}

/**
 * @param {AbortSignal} signal
 * @param {string} reason
 * @param {string} [trouble] what was wrong with a token that has been tried
 */
function askToSignIn(signal, reason, trouble = '') {
  const onSignedIn = (/** @type {Session} */ found) => {
    know(found);
    if (location.hash === '#/sign-in') history.replaceState(null, '', cameFrom || '#/');
    void show();
    main.focus({ preventScroll: true });
  };
  signInPage(main, { reason, trouble, signal, onSignedIn });
}

/** @param {Session | null} found */
function know(found) {
  session = found;
  document.querySelector('.who')?.replaceChildren(...who(session, () => void leaveSession()));
}

async function leaveSession() {
  const { signal } = leave;
  try {
    await signOut(signal);
  } catch (error) {
    if (signal.aborted) return;
    // It may still be signed in: what is shown stays, and says so.
    document.querySelector('.who')?.append(html('span', { class: 'token-trouble', role: 'alert' }, `Not signed out: ${troubleOf(error)}`));
    return;
  }
  know(null);
  void show();
  main.focus({ preventScroll: true });
}

/**
 * @param {HTMLElement} trouble
 * @param {AbortSignal} signal
 * @returns {Place['attempt']}
 */
function attempts(trouble, signal) {
  /** @param {string} words */
  const tell = (words) => {
    trouble.hidden = false;
    trouble.textContent = words;
  };
  return async (ask) => {
    try {
      const again = await ask();
      trouble.hidden = true;
      return again;
    } catch (error) {
      if (signal.aborted) return false;
      if (!(error instanceof ApiError)) {
        tell('This page has a fault and stopped; the browser’s console has the details.');
        throw error;
      }
      if (error.status === 401) {
        const wasKnown = (session?.name ?? null) !== null;
        know(null);
        askToSignIn(signal, wasKnown ? 'You are no longer signed in.' : 'This service shows its results to those it knows.');
        return false;
      }
      if (error.status >= 400 && error.status < 500 && error.status !== tooManyRequests) {
        main.replaceChildren(
          html('h1', {}, refusals[error.status] ?? 'Refused'),
          html('p', {}, error.message),
          html('p', {}, html('a', { href: '#/' }, 'All campaigns')),
        );
        return false;
      }
      tell(`${error.message} What is shown may be old; trying again.`);
      return true;
    }
  };
}

const tooManyRequests = 429;
/** @type {Readonly<Record<number, string>>} */
const refusals = { 403: 'Not allowed', 404: 'Not found', 410: 'Removed' };

/** @param {string} part of the address, which people may have mistyped */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

// Not by its own href: the part after # is this page's address.
document.querySelector('.skip')?.addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
addEventListener('hashchange', () => {
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
  void show();
});
void show();
