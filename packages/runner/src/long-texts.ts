// A page decides how long its URLs are: Chrome takes 2 MB. What is stored of a visit is bounded.
import { createHash } from 'node:crypto';

/** With the hash behind it a text has less than core's `maxTextLength`. */
const kept = 8_000;

/** @returns its beginning and a hash of the whole, so that long texts that begin alike stay distinct. What is cut ends as `redactor` expects it: … */
export function cutText(text: string, most = kept): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}…sha256:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}
