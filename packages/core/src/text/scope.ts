// The scope of a token in words.
import type { TokenScope } from '../schemas/access.ts';

const and = new Intl.ListFormat('en', { type: 'conjunction' });

/** What a scope allows, to follow "may only", such as "ask gates checkout and nightly-*". */
export function scopeWords({ gates, hosts }: TokenScope): string {
  const led = hosts === undefined ? '' : ` what leads to ${and.format(hosts)}`;
  if (gates === undefined) return `make and change${led}`;
  return `ask ${gates.length === 1 ? 'gate' : 'gates'} ${and.format(gates)}${led && ` of${led}`}`;
}
