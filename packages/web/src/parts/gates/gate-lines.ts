// A gate's assertions as lines, which the service writes: the words are its own.
import type { Gate, ReadRules } from '@pronghorn/core/schemas';
import { ask } from '../../service/ask.ts';

/** One that the service no longer reads stands as it is. @throws ApiError */
export async function gateLines({ rules }: Pick<Gate, 'rules'>, signal: AbortSignal): Promise<string[]> {
  const own = rules.assertions.filter((assertion) => typeof assertion === 'string');
  if (own.length === rules.assertions.length) return own;
  const { assertions } = await ask<ReadRules>('POST', 'gates/read', { body: { rules, campaign: null }, signal });
  return assertions.map((read, place) => read?.line ?? JSON.stringify(rules.assertions[place]));
}
