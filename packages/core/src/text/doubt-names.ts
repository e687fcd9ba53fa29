import type { Doubt } from '../vocabulary/verdict.ts';

/** A short name for a doubt about a winner; the API's sentence stands with the cell. */
export const doubtNames: Readonly<Record<Doubt, string>> = {
  unfinished: 'not all rounds are done',
  'not-loaded': 'the page could not be loaded',
  'too-few-rounds': 'too few rounds',
  'fails-more': 'the faster one may fail more often',
  'slow-loads': 'slow visits differ',
  'two-modes': 'times have two modes',
  link: 'the link was off its condition',
  'invalid-visits': 'many visits are invalid',
  'metric-missing': 'the metric is missing in many rounds',
  'receive-drops': 'the browser’s buffer was overrun',
  parity: 'visits did not load the same page',
  'little-h3': 'little came over HTTP/3',
  saturated: 'visits filled the machine',
  refused: 'the link refused a part of the page',
};
