// What the numbers of a cell depend on besides the protocols, and why some are missing.
import { isLossy, queueBytesOf } from '../network/shaping.ts';
import type { CampaignSpec } from '../schemas/campaign.ts';
import { counted } from '../text/numbers.ts';
import type { MeasuredCell } from './measured/measured.ts';

/** In sentences: what a reader would take for the protocol's own, and what depends on the server. */
export function cellNotes({ condition: name, view, slots, finished }: MeasuredCell, { conditions }: CampaignSpec): string[] {
  const condition = conditions.find((one) => one.name === name);
  const isHttp3 = slots.some(({ protocol }) => protocol === 'h3');
  const hasQueue = condition !== undefined && queueBytesOf(condition.down) > 0;
  const lost = condition !== undefined && isLossy(condition) ? 'packets are lost' : hasQueue ? 'a full queue may drop packets' : null;
  const ownLoss =
    isHttp3 && lost !== null
      ? [
          `Where ${lost}, this compares the server’s two stacks as well: how its TCP and its QUIC repair losses, with the congestion control, ` +
            'initial window and pacing of each. Another server may differ.',
        ]
      : [];
  return [...ownLoss, ...(view === 'warm' ? earlyDataNotes(slots) : []), ...leftOutNotes(slots, finished.size)];
}

/** Why loads that count have no SpeedIndex. */
function leftOutNotes(slots: MeasuredCell['slots'], rounds: number): string[] {
  const roundsWith = (name: 'unequal' | 'moves') => new Set(slots.flatMap(({ pages }) => pages.roundsWith(name))).size;
  const [unequal, moves] = [roundsWith('unequal'), roundsWith('moves')];
  const whole = counted(rounds, 'round');
  return [
    ...(unequal === 0
      ? []
      : [
          `In ${unequal} of ${whole} the visits were not watched equally long: even when made again, one showed or requested what another one did not ` +
            'see. What ends with a visit (SpeedIndex, LCP, layout shift, blocking time, bytes, requests) is left out there; onLoad stays. Where visits ' +
            'were cut off, raise --settle; where something changes with every load, such as an advertisement, leave it out (--block).',
        ]),
    ...(moves === 0
      ? []
      : [
          `In ${moves} of ${whole} the picture of a visit kept changing (by a carousel, a video, an animation), so SpeedIndex is missing ` +
            'there. onLoad and LCP remain, but may come before the content: the filmstrips of visits show it.',
        ]),
  ];
}

/** Browsers send requests with the handshake over HTTP/3 alone: a repeat view then saves a round trip. */
function earlyDataNotes(slots: MeasuredCell['slots']): string[] {
  return slots.flatMap(({ protocol, pages }) => {
    const { known, sent, answered } = pages.earlyData();
    if (protocol !== 'h3' || known === 0) return [];
    const views = `${counted(known, 'repeat view')} over HTTP/3`;
    const what = 'the document’s request was sent with the handshake (0-RTT)';
    if (sent === 0) return [`In none of ${views}, ${what}: the server may not offer that.`];
    const late = `${what}, but not answered at once: the server refused that, or took longer than half a round trip`;
    if (answered === 0) return [`In ${sent} of ${views}, ${late}.`];
    const saved = 'which saves a round trip that browsers do not save over TCP';
    return [
      `In ${answered} of ${views}, ${what} and answered, ${saved}${answered < sent ? `; in ${sent - answered} more it was sent so, but answered later` : ''}.`,
    ];
  });
}
