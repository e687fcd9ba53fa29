// What limits an answer in words, the same on a terminal, in the dashboard, on paper, in a gate and in an export.
import type { Caveat } from '../schemas/caveat.ts';
import type { CaveatCode } from '../vocabulary/caveat.ts';
import { counted, grouped, listed, wholePercent } from './numbers.ts';

type Said = Pick<Caveat, 'numbers' | 'names'>;

const words: Readonly<Record<CaveatCode, (caveat: Said) => string>> = {
  redirected: ({ numbers, names: [address = 'another one'] }) =>
    `The address leads to ${address}: visits measured that page, with the way to it. ` +
    (numbers.login === 1
      ? 'It looks like a login or a consent: --steps, or steps in the form, pass it first.'
      : 'To leave the way out, measure that address. If it is a login or a consent, --steps passes it first.'),
  broken: ({ numbers: { objects = 0, visits = 0, of = 0, hosts = 0, local = 0 }, names }) => {
    const more = hosts > names.length ? [counted(hosts - names.length, names.length === 0 ? 'host' : 'more host')] : [];
    const lost = visits === 0 ? '' : `, and something failed in ${grouped(visits)} of ${counted(of, 'load')}`;
    const advice = local === 1 ? ' Pages served here reach nothing else: --outside lets them load from other hosts.' : '';
    return `${counted(objects, 'object')} of the page, from ${listed([...names, ...more])}, failed already when it was first looked at${lost}: the numbers are those of the page without ${objects === 1 ? 'it' : 'them'}.${advice}`;
  },
  busy: ({ numbers: { median = 0, most = 0, own = 0, allowed = 0 } }) =>
    `Other programs took ${wholePercent(median)} of the machine’s CPU in the median load (at most ${wholePercent(most)}; ${wholePercent(allowed)} were allowed), the load itself ${wholePercent(own)}: ` +
    'times are longer and less even than on a machine at rest.',
  unequal: ({ numbers: { rounds = 0, of = 0 } }) =>
    `In ${grouped(rounds)} of ${counted(of, 'round')} the visits were not watched equally long: even when made again, one showed or requested what another one did not ` +
    'see. What ends with a visit (SpeedIndex, LCP, layout shift, blocking time, bytes, requests) is left out there; onLoad stays. Where visits ' +
    'were cut off, raise --settle; where something changes with every load, such as an advertisement, leave it out (--block).',
  moves: ({ numbers: { rounds = 0, of = 0 } }) =>
    `In ${grouped(rounds)} of ${counted(of, 'round')} the picture of a visit kept changing (by a carousel, a video, an animation), so SpeedIndex is missing ` +
    'there. onLoad and LCP remain, but may come before the content: the filmstrips of visits show it.',
  unchecked: () => 'No check has shown that the link did what the condition asks.',
  native: () => 'The network was the machine’s own, as it was at that time: nothing was emulated, and nothing was checked.',
  'own-server': () => 'Pronghorn’s own nginx served the page: the HTTP/2 and HTTP/3 of another server may be faster or slower.',
  'own-stacks': ({ numbers }) =>
    `Where ${numbers.lossy === 1 ? 'packets are lost' : 'a full queue may drop packets'}, this compares the server’s two stacks as well: how its TCP and its QUIC repair losses, with the congestion control, ` +
    'initial window and pacing of each. Another server may differ.',
  'early-data': earlyDataWords,
};

/** Browsers send requests with the handshake over HTTP/3 alone: a repeat view then saves a round trip. */
function earlyDataWords({ numbers: { known = 0, sent = 0, answered = 0 } }: Said): string {
  const views = `${counted(known, 'repeat view')} over HTTP/3`;
  const what = 'the document’s request was sent with the handshake (0-RTT)';
  if (sent === 0) return `In none of ${views}, ${what}: the server may not offer that.`;
  const late = `${what}, but not answered at once: the server refused that, or took longer than half a round trip`;
  if (answered === 0) return `In ${sent} of ${views}, ${late}.`;
  const saved = 'which saves a round trip that browsers do not save over TCP';
  return `In ${answered} of ${views}, ${what} and answered, ${saved}${answered < sent ? `; in ${sent - answered} more it was sent so, but answered later` : ''}.`;
}

/** Its summary in sentences, without the place. */
export const caveatWords = ({ code, ...caveat }: Said & { code: CaveatCode }): string => words[code](caveat);
