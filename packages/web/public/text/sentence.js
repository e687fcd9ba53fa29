// What a table of numbers says, as a sentence. There is no significance test behind it, so it never says "faster".
import { many, quantity, signed } from './format.js';

/** @import { Unit } from './vocabulary.js' */

/**
 * Such as: Median onLoad over 20 rounds: HTTP/3 412 ms, HTTP/2 455 ms. H3-Delta −0.09 (HTTP/3 lower).
 * @param {{ metric: string, unit: Unit, slots: readonly { name: string, n: number, median: number }[], h3Delta: number | null }} group
 */
export function medianSentence({ metric, unit, slots, h3Delta }) {
  if (slots.length === 0) return `No valid visit has a number for ${metric} yet.`;
  const counts = new Set(slots.map(({ n }) => n));
  const over = counts.size === 1 ? ` over ${many([...counts][0] ?? 0, 'round')}` : '';
  const medians = slots.map(({ name, n, median }) => {
    const count = counts.size === 1 ? '' : ` (${many(n, 'visit')})`;
    return `${name} ${quantity(median, unit)}${count}`;
  });
  return `Median ${metric}${over}: ${medians.join(', ')}.${h3Delta === null ? '' : ` H3-Delta ${deltaWords(h3Delta)}.`}`;
}

/**
 * H3-Delta with what its sign means: −0.09 (HTTP/3 lower).
 * @param {number} h3Delta
 */
export function deltaWords(h3Delta) {
  const text = signed(h3Delta);
  if (Number(text) === 0) return `${text} (less than 0.5 % apart)`;
  return `${text} (HTTP/3 ${h3Delta < 0 ? 'lower' : 'higher'})`;
}

/**
 * On the same visits, onLoad and SpeedIndex can point to opposite protocols; a reader of one would be misled.
 * @param {number | null | undefined} onLoad H3-Delta
 * @param {number | null | undefined} speedIndex H3-Delta
 */
export function disagree(onLoad, speedIndex) {
  return Math.sign(Number(signed(onLoad ?? 0).replace('−', '-'))) * Math.sign(Number(signed(speedIndex ?? 0).replace('−', '-'))) < 0;
}

/**
 * How Chrome came to HTTP/3, which decides what the numbers mean.
 * @param {'forced' | 'alt-svc'} discovery
 */
export function discoveryWords(discovery) {
  switch (discovery) {
    case 'forced':
      return (
        'HTTP/3 was forced from the first request. That is its best case, not what a first visitor gets: left alone, Chrome ' +
        'first loads a page over HTTP/2 and learns of HTTP/3 from it.'
      );
    case 'alt-svc':
      return 'HTTP/3 was not forced: Chrome found it by itself, through Alt-Svc, as a visitor’s would.';
  }
}
