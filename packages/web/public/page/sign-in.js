// Signing in: a token is typed or pasted once, and the browser keeps a cookie that scripts can't read.
import { ApiError, signIn } from '../browser/api.js';
import { html } from '../browser/element.js';

/** @import { Session } from '@pronghorn/core' */

/**
 * @param {HTMLElement} main
 * @param {object} asked
 * @param {string} asked.reason why it is asked for now
 * @param {string} [asked.trouble] what was wrong with a token that has been tried
 * @param {AbortSignal} asked.signal aborted when the reader goes elsewhere
 * @param {(session: Session) => void} asked.onSignedIn
 */
export function signInPage(main, { reason, trouble = '', signal, onSignedIn }) {
  document.title = 'Sign in – Pronghorn';
  const field = html('input', {
    id: 'token',
    type: 'password',
    autocomplete: 'current-password',
    spellcheck: 'false',
    autocapitalize: 'none',
    maxlength: 200,
    required: true,
    'aria-describedby': 'token-trouble token-help',
  });
  const told = html('p', { id: 'token-trouble', class: 'token-trouble', role: 'alert' });
  const button = html('button', { type: 'submit' }, 'Sign in');
  const tell = (/** @type {string} */ words) => {
    told.textContent = words;
    if (words === '') field.removeAttribute('aria-invalid');
    else field.setAttribute('aria-invalid', 'true');
  };

  let isAsking = false;
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const token = field.value.trim();
    if (isAsking) return;
    if (token === '') return tell('Type or paste a token first.');
    isAsking = true;
    tell('');
    button.textContent = 'Signing in…';
    try {
      onSignedIn(await signIn(token, signal));
    } catch (error) {
      if (signal.aborted) return;
      tell(troubleOf(error));
      field.select();
      field.focus();
    } finally {
      isAsking = false;
      button.textContent = 'Sign in';
    }
  };

  main.replaceChildren(
    html(
      'form',
      { class: 'sign-in', novalidate: true, onsubmit: (event) => void submit(event) },
      html('h1', {}, 'Sign in'),
      html('p', {}, reason),
      html('label', { for: 'token' }, 'Token'),
      html('div', { class: 'token' }, field, button),
      told,
      html(
        'div',
        { id: 'token-help', class: 'calm' },
        html('p', {}, 'A token stands for a person or a program, and for what it may do. It begins with ', html('code', {}, 'prg_'), '.'),
        html(
          'p',
          {},
          'Whoever runs this service makes one, with ',
          html('code', {}, './pronghorn token create --name NAME --role viewer'),
          '; the first one was printed when the service first started. This browser then stays signed in for some days; the token itself is not kept.',
        ),
      ),
    ),
  );
  tell(trouble);
  field.focus();
}

/** @param {unknown} error */
export function troubleOf(error) {
  return error instanceof ApiError ? error.message : 'This page has a fault; the browser’s console has the details.';
}
