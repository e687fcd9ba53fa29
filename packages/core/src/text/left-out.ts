// Requests of a HAR that say nothing about who advertises HTTP/3, in words.
import { type LeftOut, leftOutReasons } from '../vocabulary/left-out.ts';
import { counted } from './numbers.ts';

const words: Readonly<Record<keyof LeftOut, string>> = {
  'no-answer': 'without an answer',
  'no-headers': 'without headers in the file',
  cached: 'from a cache that kept no Alt-Svc',
  'no-page': 'counted for hosts only, since the file names no page for them',
};

/** Such as: 3 requests without an answer. Empty if all count. */
export const leftOutWords = (leftOut: LeftOut): string[] =>
  leftOutReasons.flatMap((why) => (leftOut[why] === undefined ? [] : [`${counted(leftOut[why], 'request')} ${words[why]}`]));
