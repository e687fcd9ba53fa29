// What a netlog says of a visit: its connections, one by one, and why requests were not over HTTP/3.
import type { ConnectionFindings, Finding, NetlogFindings, Resource } from '@pronghorn/core/schemas';
import type { Protocol } from '@pronghorn/core/vocabulary';
import type { Asked } from '../../gather/evidence.ts';
import type { Netlog } from '../../gather/netlog.ts';
import { hostWithPort } from '../host-with-port.ts';
import { cappedStreams } from './capped.ts';
import { finding, type Logged, readEvents, UnknownShape } from './finding.ts';
import { holesOf } from './holes.ts';
import { notOverH3 } from './not-over-h3.ts';
import { priorityOrder } from './priorities.ts';
import { type QuicConnection, readQuic } from './quic.ts';
import { bytesByRoundTrip, handshakeOf, roundTrip } from './round-trips.ts';
import { readTcp, type TcpConnection } from './tcp.ts';

/** Of many, those that are told. */
const mostHoles = 5;

/** @param resources of the same visit */
export function deriveNetlog(netlog: Netlog, resources: readonly Resource[], asked: Pick<Asked, 'protocol'>): NetlogFindings {
  const hosts = new Set(resources.flatMap(({ url }) => (url.startsWith('http') ? [hostWithPort(url)] : [])));
  const events = readEvents(netlog);
  const bySource = Map.groupBy(events, ({ source }) => source);
  const connections = [...bySource.values()].flatMap((ofSource) => {
    if (ofSource.some(({ type }) => type === 'QUIC_SESSION')) return [overQuic(ofSource)];
    if (ofSource.some(({ type }) => type === 'TCP_CONNECT')) return [overTcp(ofSource, resources)];
    return [];
  });
  return {
    connections: connections.filter(({ host }) => hosts.has(host)),
    notOverH3: asked.protocol === 'h3' ? notOverH3(events, resources) : [],
  };
}

function overQuic(events: readonly Logged[]): ConnectionFindings {
  const read = finding(() => readQuic(events));
  const of = <T>(derive: (connection: QuicConnection) => T): Finding<T> => ('unknown' in read ? read : finding(() => derive(read.found)));
  return {
    host: hostOfSession(events),
    protocol: { found: 'h3' },
    rttMs: of(({ rttMs }) => roundTrip(rttMs)),
    handshake: of(handshakeOf),
    bytesByRoundTrip: of(({ frames, rttMs }) =>
      bytesByRoundTrip(
        frames.map(({ atMs, length }) => ({ atMs, bytes: length })),
        rttMs,
      ),
    ),
    quic: {
      urls: 'unknown' in read ? {} : Object.fromEntries(read.found.urls),
      holes: of((connection) => {
        const holes = holesOf(connection);
        return { count: holes.length, longest: holes.sort((a, b) => b.ms - a.ms).slice(0, mostHoles) };
      }),
      priorities: of(priorityOrder),
      capped: of((connection) => cappedStreams(connection, roundTrip(connection.rttMs))),
    },
  };
}

function overTcp(events: readonly Logged[], resources: readonly Resource[]): ConnectionFindings {
  const read = finding(() => readTcp(events));
  const of = <T>(derive: (connection: TcpConnection) => T): Finding<T> => ('unknown' in read ? read : finding(() => derive(read.found)));
  // The log of a socket has no name.
  const host = resources.find(({ remoteAddress }) => 'found' in read && remoteAddress === read.found.address)?.url;
  return {
    host: host === undefined ? '' : hostWithPort(host),
    protocol: of(({ alpn }) => protocolOf(alpn)),
    rttMs: of(({ rttMs }) => roundTrip(rttMs)),
    handshake: of(handshakeOf),
    bytesByRoundTrip: of(({ reads, rttMs }) => bytesByRoundTrip(reads, rttMs)),
    quic: null,
  };
}

/** A server that does not negotiate speaks HTTP/1.1. */
function protocolOf(alpn: string | null): Protocol {
  if (alpn === 'h2') return 'h2';
  if (alpn === null || alpn === 'http/1.1' || alpn === 'unknown') return 'h1';
  throw new UnknownShape(`TLS agreed on ${alpn}.`);
}

function hostOfSession(events: readonly Logged[]): string {
  const params = events.find(({ type }) => type === 'QUIC_SESSION')?.params;
  return `${params?.host}:${params?.port}`;
}
