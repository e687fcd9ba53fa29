// Whether the two protocols of a comparison loaded the same page, from the same place, over the protocol that they are named after, on a
// machine that kept up: what the visits that count show besides their times.

import { signTestP } from '../math/proportion.ts';
import { median } from '../math/quantile.ts';
import type { ComparisonVerdict } from '../schemas/comparison.ts';
import type { Metrics } from '../schemas/metrics.ts';
import { earlyDataKinds, type Likeness } from '../schemas/visit.ts';
import { counted, percent, protocolName, wholePercent } from '../text/numbers.ts';
import type { Protocol } from '../vocabulary/protocol.ts';

/** Further facts of a visit that counts. */
export interface PageFacts
  extends Pick<Metrics, 'requests' | 'finishedBytes' | 'failedRequests' | 'ipv6Share' | 'h3Share' | 'h3ByteShare'> {
  /** IP address of the document's server; null where it came from a cache. */
  documentAddress: string | null;
  /** CPU time of the visit, as a share of all cores; null: not measured. */
  ownShare: number | null;
  /** The same of other programs; absent or null: not measured. */
  foreignShare?: number | null;
  /** Number of addresses that the egress policy refused. */
  refused: number;
  /** How its page compares with that of discovery; absent or null: unknown. */
  likeness?: Likeness | null;
  /** 1 if it ended before the page did: cut off, or with a script's request that was not awaited; otherwise 0. */
  cutShort: number;
  /** 1 if the visits of its round could not be watched equally long; absent: they were. */
  unequal?: number;
  /** 1 if its page has no SpeedIndex since it moves without end; absent: it has one, or none for another reason. */
  moves?: number;
}

const ofLikeness = ['requestShare', 'bodyShare', 'bodyBytes', 'otherAnswers', 'otherEncodings', 'edgeMisses', 'picture'] as const;
const numbers = [
  'requests',
  'finishedBytes',
  'failedRequests',
  'ipv6Share',
  'h3Share',
  'h3ByteShare',
  'ownShare',
  'foreignShare',
  'refused',
  'cutShort',
  'unequal',
  'moves',
  'earlyData',
  ...ofLikeness,
] as const;
type NumberOf = (typeof numbers)[number];
const columnOf = new Map<string, number>(numbers.map((name, column) => [name, column]));

/** If time ends a run, the faster protocol rightly sends more: requests, not runs, must be alike. */
export const ofOneRequest = (facts: PageFacts | undefined): PageFacts | undefined =>
  facts && { ...facts, requests: 1, finishedBytes: facts.finishedBytes / Math.max(1, facts.requests) };

/** The facts of the visits of a slot, as a table of numbers: a large campaign has hundreds of thousands. */
export class LoadedPages {
  /** The round of each visit. */
  readonly rounds: number[] = [];
  /** Where each document came from. */
  readonly addresses: (string | null)[] = [];
  readonly #numbers: number[] = [];
  /** One string for each address, however many visits came from it. */
  readonly #known = new Map<string, string>();

  /** @param facts undefined: nothing else is known of the visit, so nothing speaks against it. */
  add(round: number, facts: PageFacts | undefined): void {
    if (facts === undefined) return;
    this.rounds.push(round);
    const { documentAddress: address } = facts;
    if (address !== null && !this.#known.has(address)) this.#known.set(address, address);
    this.addresses.push(address === null ? null : (this.#known.get(address) ?? null));
    const { likeness } = facts;
    const earlyData = likeness?.earlyData === undefined ? null : earlyDataKinds.indexOf(likeness.earlyData);
    const known: Partial<Record<NumberOf, number | null>> = { ...facts, ...likeness, earlyData };
    for (const name of numbers) this.#numbers.push(known[name] ?? Number.NaN);
  }

  /** @returns of the visits of which it is known: in how many the document's request was sent as early data, and in how many it was answered so */
  earlyData(): { known: number; sent: number; answered: number } {
    const values = this.rounds.map((_, visit) => this.valueOf(visit, 'earlyData')).filter((value) => !Number.isNaN(value));
    const [sent, answered] = (['sent', 'answered'] as const).map((kind) => values.filter((value) => value >= earlyDataKinds.indexOf(kind)));
    return { known: values.length, sent: sent?.length ?? 0, answered: answered?.length ?? 0 };
  }

  /** @returns the rounds of visits that have this */
  roundsWith(name: 'unequal' | 'moves'): number[] {
    return this.rounds.filter((_, visit) => this.valueOf(visit, name) === 1);
  }

  valueOf(visit: number, name: NumberOf): number {
    return this.#numbers[visit * numbers.length + (columnOf.get(name) as number)] as number;
  }
}

interface LoadedCell {
  slots: readonly { protocol: Protocol; pages?: LoadedPages }[];
}

/** Share of rounds or visits; rarer differences are noise, unless they go one way. */
const maxUnlikeShare = 0.2;
/** Share of rounds that went one way more often than chance; rarer ones change no verdict. */
const minOneWayShare = 0.05;
const chance = 0.05;
/** Relative difference of requests and bytes within a round beyond which a fifth of the rounds is too much. */
const maxDifference = 0.1;
/** The same where a sign test excludes chance, as a share of the margin: no difference of pages may decide what the protocol is to decide. */
const shareOfMargin = 0.5;
/** Share of the final picture in which two visits of the same page may differ. */
const maxPicture = 0.02;
/** Share of discovery's requests or bytes below which a visit is none of the page. */
const thin = 0.5;
/** The same of a visit that shows another picture. */
const thinner = 0.8;
/** Share of the final picture in which another page differs. */
const otherPicture = 0.5;
/** Bytes by which the headers of a response differ between protocols: HTTP/1.1 sends them as text. */
const headerBytes = 500;
/** Share of a slot's median: a load with fewer requests is not the usual page. */
const unusual = 0.5;
/** Median share of bytes over HTTP/3 below which a comparison is not one of HTTP/3. */
const littleH3 = 0.5;
/** Median share of the cores that a visit may keep busy: beyond, its times are the machine's. */
const saturatedShare = 0.8;

interface Side {
  protocol: Protocol;
  /** The visits in rounds that count. */
  visits: { pages: LoadedPages; visit: number }[];
  /** One visit for each round, by its index. */
  ofRound: Map<number, { pages: LoadedPages; visit: number }>;
}

/**
 * Doubts about comparing two protocols, or about calling it a comparison with HTTP/3:
 *
 * - parity: in more rounds than the other, one protocol made more requests, got more bytes (by over 10 %), lost more objects, or was not
 *   awaited to the end: by more than a fifth of all rounds, or by more than a twentieth if a sign test excludes chance; or in more than a
 *   fifth of rounds the documents came from different addresses, or more came over IPv6; or more than a fifth of a side's visits made less
 *   than half of its usual requests.
 * - little-h3: in the median visit less than half of the bytes came over HTTP/3.
 * - saturated: the median visit kept more than 80 % of the machine's cores busy.
 * - refused: the egress policy refused something in more than a fifth of a side's visits.
 *
 * @param places indexes of the rounds that count, by their numbers.
 */
export function pageDoubts(
  cell: LoadedCell,
  places: ReadonlyMap<number, number>,
  { candidate, baseline, margin }: { candidate: Protocol; baseline: Protocol; margin: number },
): ComparisonVerdict['doubts'] {
  const sides = [sideOf(cell, places, candidate), sideOf(cell, places, baseline)] as const;
  const doubts: ComparisonVerdict['doubts'] = [];
  const unlike = unlikeWords(...sides, margin);
  if (unlike !== null) doubts.push({ doubt: 'parity', words: unlike });
  const shares = h3Shares(cell, places);
  if ((candidate === 'h3' || baseline === 'h3') && shares !== null && shares.bytes < littleH3) {
    doubts.push({
      doubt: 'little-h3',
      words: `Only ${wholePercent(shares.bytes)} of the bytes and ${wholePercent(shares.objects)} of the objects came over HTTP/3 in the median visit that should use it.`,
    });
  }
  for (const { protocol, visits } of sides) {
    const own = median0(visits.map(({ pages, visit }) => pages.valueOf(visit, 'ownShare')).filter((share) => !Number.isNaN(share)));
    if (own !== null && own > saturatedShare) {
      doubts.push({
        doubt: 'saturated',
        words: `Visits over ${protocolName(protocol)} used ${wholePercent(own)} of this machine’s CPU, so their times measure the machine. Use a machine with more cores.`,
      });
      break;
    }
  }
  for (const { protocol, visits } of sides) {
    const refused = visits.filter(({ pages, visit }) => pages.valueOf(visit, 'refused') > 0).length;
    if (refused <= maxUnlikeShare * visits.length) continue;
    doubts.push({
      doubt: 'refused',
      words: `In ${refused} of ${counted(visits.length, 'visit')} over ${protocolName(protocol)} the page requested addresses that the link refuses, so their content is missing.`,
    });
    break;
  }
  return doubts;
}

/** Median shares of objects and bytes over HTTP/3 in the visits that should use it; null: unknown. */
export function h3Shares(cell: LoadedCell, places: ReadonlyMap<number, number>): { objects: number; bytes: number } | null {
  const { visits } = sideOf(cell, places, 'h3');
  const of = (name: NumberOf) => median0(visits.map(({ pages, visit }) => pages.valueOf(visit, name)));
  const [objects, bytes] = [of('h3Share'), of('h3ByteShare')];
  return objects === null || bytes === null ? null : { objects, bytes };
}

/** The number of objects that the median visit over a protocol lacked; 0 if unknown. */
export const medianLost = (cell: LoadedCell, places: ReadonlyMap<number, number>, protocol: Protocol): number =>
  median0(sideOf(cell, places, protocol).visits.map(lostObjects)) ?? 0;

const median0 = (values: readonly number[]): number | null => (values.length === 0 ? null : median(values));
function sideOf({ slots }: LoadedCell, places: ReadonlyMap<number, number>, protocol: Protocol): Side {
  const side: Side = { protocol, visits: [], ofRound: new Map() };
  for (const { protocol: its, pages } of slots) {
    if (its !== protocol || pages === undefined) continue;
    for (const [visit, round] of pages.rounds.entries()) {
      const place = places.get(round);
      if (place === undefined) continue;
      side.visits.push({ pages, visit });
      if (!side.ofRound.has(place)) side.ofRound.set(place, { pages, visit });
    }
  }
  return side;
}

type LoadedPair = readonly [one: { pages: LoadedPages; visit: number }, other: { pages: LoadedPages; visit: number }, place: number];

const pairsOf = (candidate: Side, baseline: Side): LoadedPair[] =>
  [...candidate.ofRound].flatMap(([place, one]) => {
    const other = baseline.ofRound.get(place);
    return other === undefined ? [] : [[one, other, place] as const];
  });

const lostObjects = ({ pages, visit }: LoadedPair[0]): number => pages.valueOf(visit, 'failedRequests');

/** Indexes of the rounds in which one side lost more objects than the other. */
interface LostAlone {
  candidate: number[];
  baseline: number[];
  /** Rounds in which both loaded. */
  rounds: number;
}

/** The rounds in which one side lost more objects than the other; objects that fail for both are the page's fault. */
export function lostAlone(
  cell: LoadedCell,
  places: ReadonlyMap<number, number>,
  { candidate, baseline }: { candidate: Protocol; baseline: Protocol },
): LostAlone {
  return lostAloneIn(pairsOf(sideOf(cell, places, candidate), sideOf(cell, places, baseline)));
}

function lostAloneIn(pairs: readonly LoadedPair[]): LostAlone {
  const lost: LostAlone = { candidate: [], baseline: [], rounds: pairs.length };
  for (const [one, other, place] of pairs) {
    if (lostObjects(one) > lostObjects(other)) lost.candidate.push(place);
    if (lostObjects(other) > lostObjects(one)) lost.baseline.push(place);
  }
  return lost;
}

export const lostWords = (protocol: Protocol, count: number, rounds: number): string =>
  `More objects failed over ${protocolName(protocol)} in ${count} of ${counted(rounds, 'round')}: a page with missing objects loads faster.`;

/** What visits of a page may have more of over one protocol, and how much more is none. */
const quantities: readonly { what: string; column: NumberOf; slack: (requests: number) => number }[] = [
  { what: 'made more requests', column: 'requests', slack: () => 1 },
  { what: 'got more bytes', column: 'finishedBytes', slack: (requests) => headerBytes * requests },
  { what: 'got more bytes of content', column: 'bodyBytes', slack: () => 0 },
];

/** What visits over one protocol may differ in from discovery more often, as the end of "In 3 of 10 rounds, visits over HTTP/3 …". */
const differences: readonly { words: (other: string) => string; column: NumberOf; from?: number }[] = [
  {
    column: 'otherAnswers',
    words: (other) => `had other answers than discovery for more of the page’s objects than over ${other}: they did not load the same page`,
  },
  {
    column: 'otherEncodings',
    words: (other) => `got more objects in another encoding than at discovery than over ${other}: they did not load the same page`,
  },
  {
    column: 'edgeMisses',
    words: (other) => `found fewer of the page’s objects in the edge cache than over ${other}: a cache was compared, not a protocol`,
  },
  {
    column: 'picture',
    from: maxPicture,
    words: (other) => `ended with another picture than discovery, but not over ${other}: they did not show the same page`,
  },
];

function unlikeWords(candidate: Side, baseline: Side, margin: number): string | null {
  const pairs = pairsOf(candidate, baseline);
  const max = maxUnlike(pairs.length);
  const [name, otherName] = [protocolName(candidate.protocol), protocolName(baseline.protocol)];
  const roundsWords = counted(pairs.length, 'round');
  for (const { what, column, slack } of quantities) {
    /** The rounds in which one had more than the other, by over a share. */
    const oneWay = (tolerated: number, isTooMuch: (more: number, less: number) => boolean): string | null => {
      let [more, less] = [0, 0];
      for (const [a, b] of pairs) {
        const [its, other] = [a.pages.valueOf(a.visit, column), b.pages.valueOf(b.visit, column)];
        const difference = Math.abs(its - other);
        if (!(difference > tolerated * Math.max(its, other))) continue;
        if (difference <= slack(Math.max(a.pages.valueOf(a.visit, 'requests'), b.pages.valueOf(b.visit, 'requests')))) continue;
        if (its > other) more++;
        else less++;
      }
      if (!isTooMuch(more, less)) return null;
      const [first, second, count] = more > less ? [name, otherName, more] : [otherName, name, less];
      return `${first} ${what} than ${second} in ${count} of ${roundsWords}, by over ${percent(tolerated, 2)}: they did not load the same page.`;
    };
    const tolerated = Math.min(maxDifference, shareOfMargin * margin);
    const words =
      oneWay(maxDifference, (more, less) => isOneWay(more, less, pairs.length)) ??
      oneWay(tolerated, (more, less) => Math.abs(more - less) > maxUnlike(pairs.length) && isNoChance(more, less));
    if (words !== null) return words;
  }
  for (const { words, column, from } of differences) {
    const [ofCandidate, ofBaseline] = [1, -1].map(
      (sign) =>
        pairs.filter(([a, b]) => {
          const [its, other] = [a, b].map(({ pages, visit }) => pages.valueOf(visit, column)) as [number, number];
          return Math.sign(from === undefined ? its - other : Number(its > from) - Number(other > from)) === sign;
        }).length,
    ) as [number, number];
    // They vary on most pages, without tolerance: only what goes one way more often than chance counts.
    if (Math.abs(ofCandidate - ofBaseline) <= minOneWayShare * pairs.length || !isNoChance(ofCandidate, ofBaseline)) continue;
    const [first, second, count] = ofCandidate > ofBaseline ? [name, otherName, ofCandidate] : [otherName, name, ofBaseline];
    return `In ${count} of ${roundsWords}, visits over ${first} ${words(second)}.`;
  }
  const lost = lostAloneIn(pairs);
  if (isOneWay(lost.candidate.length, lost.baseline.length, pairs.length)) {
    const loser = lost.candidate.length > lost.baseline.length ? candidate : baseline;
    return lostWords(loser.protocol, Math.max(lost.candidate.length, lost.baseline.length), pairs.length);
  }
  const cutOf = ({ pages, visit }: LoadedPair[0]) => pages.valueOf(visit, 'cutShort');
  const [cut, otherCut] = [1, -1].map((sign) => pairs.filter(([one, other]) => cutOf(one) - cutOf(other) === sign).length) as [
    number,
    number,
  ];
  if (isOneWay(cut, otherCut, pairs.length)) {
    const [slower, count] = cut > otherCut ? [name, cut] : [otherName, otherCut];
    return `Only visits over ${slower} ended before the page did, in ${count} of ${counted(pairs.length, 'round')}: later activity is in none of their numbers.`;
  }
  const elsewhere = pairs.filter(([a, b]) => {
    const [from, other] = [a.pages.addresses[a.visit], b.pages.addresses[b.visit]];
    return typeof from === 'string' && typeof other === 'string' && from !== other;
  }).length;
  if (elsewhere > max) {
    return `In ${elsewhere} of ${counted(pairs.length, 'round')} the document came from another address over ${name} than over ${otherName}: the servers may differ.`;
  }
  const otherFamily = pairs.filter(
    ([a, b]) => Math.abs(a.pages.valueOf(a.visit, 'ipv6Share') - b.pages.valueOf(b.visit, 'ipv6Share')) > maxDifference,
  ).length;
  if (otherFamily > max) {
    return `In ${otherFamily} of ${counted(pairs.length, 'round')} ${name} and ${otherName} used IPv6 to different extents: two paths, not two protocols.`;
  }
  return thinWords(candidate, baseline) ?? thinWords(baseline, candidate) ?? unusualWords(candidate) ?? unusualWords(baseline);
}

/** Visits that got much less than discovery did: of a block page or a thinned one, which the page's own median may be. */
function thinWords(side: Side, other: Side): string | null {
  const { protocol, visits } = side;
  const few = thinOf(side);
  if (few <= maxUnlike(visits.length)) return null;
  const also = thinOf(other);
  const alsoWords = also === 0 ? '' : ` (and ${also} of ${other.visits.length} over ${protocolName(other.protocol)})`;
  return `${few} of ${counted(visits.length, 'visit')} over ${protocolName(protocol)}${alsoWords} got much less than discovery did, by requests or bytes: the site may have answered with another page, such as one for robots.`;
}

const thinOf = ({ visits }: Side): number =>
  visits.filter(({ pages, visit }) => {
    const share = Math.min(...ofDiscovery.map((column) => pages.valueOf(visit, column)).filter((value) => !Number.isNaN(value)));
    return share < (pages.valueOf(visit, 'picture') > otherPicture ? thinner : thin);
  }).length;

const ofDiscovery = ['requestShare', 'bodyShare'] as const;

/** Tolerated number of rounds or visits; a single odd one is noise, however few there are. */
const maxUnlike = (count: number): number => Math.max(1, maxUnlikeShare * count);

/** @param more and @param less rounds that went one way and the other. */
function isOneWay(more: number, less: number, rounds: number): boolean {
  const net = Math.abs(more - less);
  return net > maxUnlike(rounds) || (net > minOneWayShare * rounds && isNoChance(more, less));
}

const isNoChance = (more: number, less: number): boolean => (signTestP(more, less) ?? 1) <= chance;

function unusualWords({ protocol, visits }: Side): string | null {
  const requests = visits.map(({ pages, visit }) => pages.valueOf(visit, 'requests'));
  const usual = median0(requests);
  if (usual === null) return null;
  const few = requests.filter((count) => count < unusual * usual).length;
  if (few <= maxUnlike(requests.length)) return null;
  return `${few} of ${counted(requests.length, 'visit')} over ${protocolName(protocol)} made less than half of the usual ${Math.round(usual)} requests: some may have loaded another page.`;
}
