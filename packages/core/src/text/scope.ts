// The scope of a token in words.
import type { TokenScope } from '../schemas/access.ts';
import { listed } from './numbers.ts';

/** What a scope allows, to follow "may only", such as "ask gates checkout and nightly-*". */
export function scopeWords({ gates, hosts }: TokenScope): string {
  const led = hosts === undefined ? '' : ` what leads to ${listed(hosts)}`;
  if (gates === undefined) return `make and change${led}`;
  return `ask ${gates.length === 1 ? 'gate' : 'gates'} ${listed(gates)}${led && ` of${led}`}`;
}
