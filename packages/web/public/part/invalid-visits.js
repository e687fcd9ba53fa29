// Visits that are not a measurement: counted and told, never averaged.
import { html } from '../browser/element.js';
import { many } from '../text/format.js';
import { invalidReasons } from '../text/vocabulary.js';
import { namedSlots } from './slots.js';

/** @import { GroupResults } from '@pronghorn/core' */

/**
 * How many, by protocol and reason, in words.
 * @param {GroupResults} group
 */
export function invalidVisits(group) {
  const slots = namedSlots(group).filter((slot) => slot.invalid.length > 0);
  if (slots.length === 0) return html('p', { class: 'calm' }, 'No invalid visits.');
  return html(
    'div',
    { class: 'invalid' },
    html('h4', {}, 'Invalid visits, left out of all numbers'),
    html(
      'ul',
      {},
      slots.flatMap((slot) =>
        slot.invalid.map(({ reason, count }) =>
          html(
            'li',
            { class: `protocol-${slot.protocol}` },
            html('span', { class: 'mark' }),
            html('strong', {}, slot.name),
            `: ${many(count, 'visit')}, `,
            html('code', {}, reason),
            ` – ${invalidReasons[reason] ?? 'a reason this page does not know'}`,
          ),
        ),
      ),
    ),
  );
}
