// Who is signed in, in the header; nothing where there is nothing to sign in to.
import { html } from '../browser/element.js';

/** @import { Role, Session } from '@pronghorn/core' */

/** What a role may do, for people. @type {Readonly<Record<Role, string>>} */
export const roleNames = { viewer: 'may read', submitter: 'may start campaigns', runner: 'measures', admin: 'may do everything' };

/**
 * @param {Session | null} session null: not known
 * @param {() => void} signOut
 * @returns {Element[]}
 */
export function who(session, signOut) {
  if (session === null || session.access === 'open') return [];
  if (session.name === null || session.role === null) return session.role === null ? [] : [html('a', { href: '#/sign-in' }, 'Sign in')];
  return [
    html('span', {}, 'Signed in as ', html('strong', {}, session.name), ` (${session.role}: ${roleNames[session.role]})`),
    html('button', { type: 'button', onclick: signOut }, 'Sign out'),
  ];
}
