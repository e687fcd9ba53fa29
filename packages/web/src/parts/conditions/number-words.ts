// A condition's numbers as its card and its table show them.
import type { ConditionNumbers } from '@pronghorn/core/schemas';
import { percent, quantity, rate } from '../../text/format.ts';

export type NumberWords = { label: string; text: string };

/** What is not there is left out; nothing at all is native. Down is what the visit receives. */
export function numberWords({ rttMs, up, down }: ConditionNumbers): NumberWords[] {
  const eachWay = (label: string, of: (direction: typeof up) => string | null): NumberWords[] => {
    const [sent, received] = [of(up), of(down)];
    if (sent === null && received === null) return [];
    if (sent === received) return [{ label, text: `${sent} each way` }];
    return [{ label, text: [received === null ? '' : `${received} down`, sent === null ? '' : `${sent} up`].filter(Boolean).join(', ') }];
  };
  return [
    ...(rttMs > 0 ? [{ label: 'RTT', text: `+${quantity(rttMs, 'ms')}` }] : []),
    ...eachWay('Rate', ({ rateKbps }) => (rateKbps === null ? null : rate(rateKbps))),
    ...eachWay('Loss', ({ lossShare }) => (lossShare === 0 ? null : percent(lossShare))),
    ...eachWay('Jitter', ({ jitterMs }) => (jitterMs === null ? null : `±${quantity(jitterMs, 'ms')}`)),
  ];
}

/** Whether a search finds a condition: each word of it somewhere in its name, its words or its source. */
export function isFound(search: string, ...texts: (string | undefined)[]): boolean {
  const within = texts.join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}
