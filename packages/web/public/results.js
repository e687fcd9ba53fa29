// The page's entry: from the address (#/…) to a page.
import { ApiError } from './browser/api.js';
import { html } from './browser/element.js';
import { campaignPage } from './page/campaign.js';
import { campaignsPage } from './page/campaigns.js';
import { visitPage } from './page/visit.js';

/**
 * What a page gets: where to draw, when to stop, and a way to ask the service.
 * @typedef {object} Place
 * @property {HTMLElement} main
 * @property {AbortSignal} signal aborted when the reader goes elsewhere
 * @property {(ask: () => Promise<boolean>) => Promise<boolean>} attempt does as told; when the service does not answer, says so
 *   and resolves to true: try again. What it refuses (an unknown id) is told and not tried again.
 */

const main = /** @type {HTMLElement} */ (document.getElementById('main'));
let leave = new AbortController();

async function show() {
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const trouble = html('p', { class: 'trouble', role: 'alert', hidden: true });
  main.before(trouble);
  signal.addEventListener('abort', () => trouble.remove());
  document.title = 'Pronghorn';
  main.replaceChildren(html('p', {}, 'Reading…'));
  const [page = '', id = '', ...rest] = location.hash.replace(/^#\/?/, '').split('/');
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
      if (error.status >= 400 && error.status < 500) {
        main.replaceChildren(
          html('h1', {}, 'Not found'),
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
  void show();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});
void show();
