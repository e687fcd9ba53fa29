// Findings from Chrome's network log in words, row by row, so that two visits can stand beside each other. docs/netlog.md explains them.
import type { ConnectionFindings, Finding, NetlogFindings, PriorityRule, QuicFindings, Visit, WhyNotH3 } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import { many, number, quantity } from '../../text/format.ts';
import { protocolNames } from '../../text/vocabulary.ts';

/** An extra visit with its log's findings. */
export type NetlogVisit = Pick<Visit, 'id' | 'protocol' | 'attempt' | 'slot' | 'finalUrl' | 'outcome' | 'netlog'>;

export type NetlogRow = {
  name: string;
  /** Lines of each visit; empty: the visit has no such connection. */
  cells: string[][];
};
/** The visits' connections to a host, side by side. */
export type NetlogGroup = { host: string; rows: NetlogRow[] };

/** The visit, and an extra visit of its attempt over another protocol: `h3` if there is one, then `h2`. */
export function besideEachOther<Of extends NetlogVisit>(visit: Of, extras: readonly Of[]): Of[] {
  const wanted: readonly Protocol[] = ['h3', 'h2', 'h1'];
  const others = extras.filter(({ id, attempt, slot }) => id !== visit.id && attempt === visit.attempt && slot !== visit.slot);
  return [visit, ...others.sort((a, b) => wanted.indexOf(a.protocol) - wanted.indexOf(b.protocol)).slice(0, 1)];
}

/** The cell's extra visit over a protocol: of the last attempt. */
export const extraOf = <Of extends NetlogVisit>(protocol: Protocol, extras: readonly Of[]): Of | null =>
  extras.filter((extra) => extra.protocol === protocol).sort((a, b) => b.attempt - a.attempt)[0] ?? null;

/** The page's own host first; each host's connections in their order, but those over the visit's protocol first. */
export function netlogGroups(visits: readonly NetlogVisit[]): NetlogGroup[] {
  const connections = visits.map((visit) => {
    const its = visit.netlog?.findings?.connections ?? [];
    const isOfProtocol = ({ protocol }: ConnectionFindings) => 'found' in protocol && protocol.found === visit.protocol;
    return [...its.filter(isOfProtocol), ...its.filter((connection) => !isOfProtocol(connection))];
  });
  const own = visits.flatMap(({ finalUrl }) => (finalUrl === null ? [] : [URL.parse(finalUrl)?.hostname]));
  const hosts = [...new Set(connections.flat().map(({ host }) => host))].sort((a, b) => Number(isOf(b, own)) - Number(isOf(a, own)));
  return hosts.flatMap((host) => {
    const ofHost = connections.map((its) => its.filter((connection) => connection.host === host));
    const most = Math.max(...ofHost.map(({ length }) => length));
    return Array.from({ length: most }, (_, index) => ({ host: nameOf(host), rows: rowsOf(ofHost.map((its) => its[index])) }));
  });
}

const nameOf = (host: string) => host.replace(/:443$/, '');
const isOf = (host: string, hostnames: readonly (string | undefined)[]) => hostnames.includes(host.replace(/:\d+$/, ''));

function rowsOf(connections: readonly (ConnectionFindings | undefined)[]): NetlogRow[] {
  const row = (name: string, words: (connection: ConnectionFindings) => string[]): NetlogRow => ({
    name,
    cells: connections.map((connection) => (connection === undefined ? [] : words(connection))),
  });
  const ofQuic = (words: (quic: QuicFindings) => string[]) => (connection: ConnectionFindings) =>
    connection.quic === null ? [hidden] : words(connection.quic);
  return [
    row('Protocol', ({ protocol }) => findingWords(protocol, (found) => [protocolNames[found]])),
    row('Round trip', ({ rttMs }) => findingWords(rttMs, (found) => [quantity(found, 'ms')])),
    row('Ready to send', ({ handshake }) => findingWords(handshake, handshakeWords)),
    row('kB in each round trip', ({ bytesByRoundTrip }) =>
      findingWords(bytesByRoundTrip, (sums) => [
        sums.length === 0 ? 'nothing came' : sums.map((bytes) => number(bytes, 'bytes')).join(' · '),
      ]),
    ),
    row('Holes', ofQuic(holeWords)),
    row('Priorities', ofQuic(priorityWords)),
    row('Capped streams', ofQuic(cappedWords)),
  ];
}

const hidden = 'not seen: over TCP the kernel hides it';
const findingWords = <T>(finding: Finding<T>, words: (found: T) => string[]): string[] =>
  'found' in finding ? words(finding.found) : [`unknown: ${finding.unknown}`];

function handshakeWords({ ms, roundTrips }: { ms: number; roundTrips: number }): string[] {
  if (roundTrips === 0) return ['at once: the first request went out with the first packet'];
  return [`after ${roundTrips} round trip${roundTrips === 1 ? '' : 's'} (${quantity(ms, 'ms')})`];
}

function holeWords({ holes, urls }: QuicFindings): string[] {
  return findingWords(holes, ({ count, longest: [longest] }) => {
    if (longest === undefined) return ['none: no byte was missing while later ones were there'];
    const meanwhile = `${quantity(longest.foreignBytes, 'bytes')} of other responses came meanwhile`;
    return [
      `${many(count, 'time')}, bytes were missing while later ones were there.`,
      `The longest: ${quantity(longest.ms, 'ms')} in ${nameOfStream(longest.stream, urls)}; ${meanwhile}.`,
    ];
  });
}

const ruleWords: Readonly<Record<PriorityRule, string>> = {
  urgency: 'of less urgent responses went first',
  order: 'of responses to later requests went first',
  sharing: 'of others went while it had no turn',
};
/** The number of streams to name. */
const maxNamed = 3;

function priorityWords({ priorities, urls }: QuicFindings): string[] {
  return findingWords(priorities, ({ signals, notFollowed, passedBefore, followed, undecided, worst }) => [
    `${many(signals, 'signal')}: ${notFollowed} not followed, ${followed} followed, ${undecided} undecided${passedBefore === 0 ? '.' : `; ${passedBefore} passed before the response began.`}`,
    ...worst
      .slice(0, maxNamed)
      .map(
        ({ stream, value, passedBytes, passedBeforeBytes, rule }) =>
          `${nameOfStream(stream, urls)} (${value}): ${quantity(passedBytes + passedBeforeBytes, 'bytes')} ${ruleWords[rule]}.`,
      ),
  ]);
}

function cappedWords({ capped, urls }: QuicFindings): string[] {
  return findingWords(capped, (streams) =>
    streams.length === 0
      ? ['none']
      : streams.map(
          ({ stream, windowBytes, roundTrips }) =>
            `${nameOfStream(stream, urls)} got ${quantity(windowBytes, 'bytes')} in each of ${roundTrips} round trips, and nothing in between.`,
        ),
  );
}

function nameOfStream(stream: number, urls: QuicFindings['urls']): string {
  const url = URL.parse(urls[stream] ?? '');
  return url === null ? `stream ${stream}` : `${url.pathname}${url.search}`;
}

const whyWords: Readonly<Record<WhyNotH3, string>> = {
  cached: 'from a cache',
  'not-offered': 'to hosts that offer no HTTP/3',
  'not-known-yet': 'begun before the host had offered HTTP/3',
  broken: 'to hosts whose HTTP/3 Chrome had given up',
  'race-lost': 'for which TCP was there before QUIC',
  'quic-failed': 'for which no QUIC connection came about',
};

/** Why a visit that may use HTTP/3 made requests without it, in lines. */
export function notOverH3Words({ notOverH3 }: NetlogFindings): string[] {
  const reasons = Map.groupBy(notOverH3, ({ why }) => ('found' in why ? whyWords[why.found] : `for an unknown reason (${why.unknown})`));
  return [...reasons].map(([words, requests]) => `${many(requests.length, 'request')} ${words}, such as ${requests[0]?.url}`);
}

/** Why there are no findings; null: there are some. */
export function noFindingsWords({ netlog, outcome }: NetlogVisit): string | null {
  if (netlog?.findings) return null;
  return outcome.verdict === 'invalid'
    ? 'Nothing was logged: the page was not loaded, or Chrome gave no log.'
    : 'There is no log: Chrome gave none, or lost some of it.';
}
