// A list of names with their values.
import { html } from '../browser/element.js';

/** @import { Child } from '../browser/element.js' */

/** @param {readonly (readonly [name: string, value: Child])[]} pairs */
export function facts(pairs) {
  return html(
    'dl',
    { class: 'facts' },
    pairs.map(([name, value]) => html('div', {}, html('dt', {}, name), html('dd', {}, value))),
  );
}
