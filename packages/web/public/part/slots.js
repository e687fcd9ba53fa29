// A slot is a place in the campaign's protocols; a protocol that stands twice (A/A) needs a number to be told apart.
import { protocolNames } from '../text/vocabulary.js';

/** @import { GroupResults, Protocol, SlotResults } from '@pronghorn/core' */

/** Readers look for HTTP/3 first. @type {readonly Protocol[]} */
const order = ['h3', 'h2', 'h1'];

/**
 * The slots in the order in which they are shown everywhere, with their names.
 * @param {GroupResults} group
 * @returns {(SlotResults & { name: string })[]}
 */
export function namedSlots(group) {
  return group.slots
    .toSorted((a, b) => order.indexOf(a.protocol) - order.indexOf(b.protocol) || a.slot - b.slot)
    .map((slot) => {
      const isTwice = group.slots.filter(({ protocol }) => protocol === slot.protocol).length > 1;
      const name = protocolNames[slot.protocol];
      return { ...slot, name: isTwice ? `${name} (slot ${slot.slot + 1})` : name };
    });
}
