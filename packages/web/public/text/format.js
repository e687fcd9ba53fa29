// Numbers as people read them. English digits everywhere, so that a page reads the same for all who talk about it.

/** @import { Unit } from './vocabulary.js' */

/** @param {number} digits */
const fixed = (digits) => new Intl.NumberFormat('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const [whole, tenths, hundredths, thousandths] = [fixed(0), fixed(1), fixed(2), fixed(3)];

/**
 * Without its unit: milliseconds whole from 10 on, with one decimal below; bytes as kB.
 * @param {number} value
 * @param {Unit} unit
 */
export function number(value, unit) {
  switch (unit) {
    case 'ms':
      return Math.abs(value) < 10 && value !== 0 ? tenths.format(value) : whole.format(value);
    case 'bytes':
      return tenths.format(value / 1000);
    case 'share':
      return whole.format(value * 100);
    case 'count':
      return Number.isInteger(value) ? whole.format(value) : tenths.format(value);
    case 'score':
      return thousandths.format(value);
  }
}

/** @type {Readonly<Record<Unit, string>>} */
export const unitNames = { ms: 'ms', bytes: 'kB', share: '%', count: '', score: '' };

/**
 * With its unit.
 * @param {number} value
 * @param {Unit} unit
 */
export function quantity(value, unit) {
  return unitNames[unit] === '' ? number(value, unit) : `${number(value, unit)} ${unitNames[unit]}`;
}

/**
 * H3-Delta with its sign: −0.09, +0.12, 0.00.
 * @param {number} delta
 */
export function signed(delta) {
  const text = hundredths.format(Math.abs(delta));
  if (Number(text) === 0) return text;
  return `${delta < 0 ? '−' : '+'}${text}`;
}

/**
 * One of a noun, or many.
 * @param {number} count
 * @param {string} noun
 */
export function many(count, noun) {
  return `${whole.format(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * A stored time in the reader's own time zone.
 * @param {string} iso
 */
export function time(iso) {
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? iso : date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}
