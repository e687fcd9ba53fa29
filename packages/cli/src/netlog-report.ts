// What a netlog says, in lines for a terminal.
import { styleText } from 'node:util';
import type { ConnectionFindings, Finding, WhyNotH3 } from '@pronghorn/core/schemas';
import { counted, listed, protocolName, quantityWords } from '@pronghorn/core/text';
import { metricOf } from '@pronghorn/core/vocabulary';
import type { NetlogVisit } from '@pronghorn/runner';
import { plain, wrap } from './terminal.ts';

/** @param visit of that site under that condition */
export function netlogReport(
  { site, condition }: { site: string; condition: string },
  { protocol, outcome, findings }: NetlogVisit,
): string {
  const verdict =
    outcome.verdict === 'valid'
      ? `valid, onLoad ${quantityWords('onLoad', metricOf(outcome.metrics, 'onLoad') ?? Number.NaN)} with the log`
      : `invalid: ${outcome.reason}, ${outcome.detail}`;
  const heading = `${styleText('bold', plain(site))} ${condition}, ${protocolName(protocol)}: ${plain(verdict)}`;
  if (findings === null) return `${heading}\nNo netlog: Chrome gave none, or lost some of it.`;
  const others = Map.groupBy(findings.notOverH3, ({ why }) => ('unknown' in why ? `unknown: ${why.unknown}` : words[why.found]));
  return [
    heading,
    ...findings.connections.flatMap(connectionLines),
    ...(others.size === 0 ? [] : [`Not over HTTP/3: ${counted(findings.notOverH3.length, 'request')}`]),
    ...[...others].map(([why, requests]) => wrapped(`${requests.length} ${why}, such as ${requests[0]?.url}`)),
  ].join('\n');
}

const words: Record<WhyNotH3, string> = {
  cached: 'from a cache',
  'not-offered': 'of hosts that offer none',
  'not-known-yet': 'that began before their host had offered it',
  broken: 'of hosts whose HTTP/3 Chrome had given up',
  'race-lost': 'for which the other connection was there first',
  'quic-failed': 'for which no QUIC connection came about',
};

function connectionLines({ host, protocol, rttMs, handshake, bytesByRoundTrip, quic }: ConnectionFindings): string[] {
  return [
    `${styleText('bold', plain(host))} ${told(protocol, protocolName)}, round trip ${told(rttMs, ms)}`,
    `connected in ${told(handshake, ({ ms: took, roundTrips }) => `${roundTrips} round trips (${ms(took)})`)}`,
    `kB by round trip: ${told(bytesByRoundTrip, (sums) => sums.map(kilobytes).join(' '))}`,
    ...(quic === null ? [] : quicLines(quic)),
  ].map((line, index) => (index === 0 ? line : wrapped(line)));
}

function quicLines({ urls, holes, priorities, capped }: NonNullable<ConnectionFindings['quic']>): string[] {
  const name = (stream: number) => pathOf(urls[stream]) ?? `stream ${stream}`;
  return [
    `holes: ${told(holes, ({ count, longest: [longest] }) =>
      longest === undefined
        ? 'none'
        : `${count}, the longest ${ms(longest.ms)} in ${name(longest.stream)}, in which ${kilobytes(longest.foreignBytes)} kB of other responses came`,
    )}`,
    `priorities: ${told(
      priorities,
      ({ signals, notFollowed, passedBefore, followed, undecided }) =>
        `${counted(signals, 'signal')}, ${notFollowed} not followed, ${passedBefore} passed before the response began, ${followed} followed, ${undecided} undecided`,
    )}`,
    ...('found' in priorities
      ? priorities.found.worst.map(
          ({ stream, value, passedBytes, passedBeforeBytes, rule }) =>
            `  ${kilobytes(passedBytes + passedBeforeBytes)} kB passed ${name(stream)} (${value}): ${rules[rule]}`,
        )
      : []),
    `capped: ${told(capped, (streams) =>
      streams.length === 0
        ? 'no stream'
        : listed(
            streams.map(
              ({ stream, windowBytes, roundTrips }) =>
                `${name(stream)} at ${kilobytes(windowBytes)} kB in each of ${roundTrips} round trips`,
            ),
          ),
    )}`,
  ];
}

const rules = { urgency: 'less urgent ones', order: 'of later requests', sharing: 'without a turn of its own' };

const told = <T>(one: Finding<T>, say: (found: T) => string): string => ('found' in one ? say(one.found) : `unknown (${one.unknown})`);
const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const kilobytes = (bytes: number) => (bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0);
const wrapped = (line: string) => wrap(line, Math.min(process.stdout.columns || 100, 100) - 2).replace(/^/gm, '  ');

function pathOf(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  return parsed === null ? undefined : plain(`${parsed.pathname}${parsed.search}`);
}
