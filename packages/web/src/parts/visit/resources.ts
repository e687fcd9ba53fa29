// The resources of a visit: their phases, their connections, their colours, and all facts about each.
import type { Resource } from '@pronghorn/core/schemas';
import { alpnOf, type Protocol, protocolOf } from '@pronghorn/core/vocabulary';
import { many, quantity } from '../../text/format.ts';
import { protocolNames } from '../../text/vocabulary.ts';

/** `other`: a cache, a failed request, or no HTTP. */
export const wireProtocol = (alpn: string | null): Protocol | 'other' => protocolOf(alpn) ?? 'other';

/** `whole`: the time of each phase is unknown. */
export type Phase = 'queueing' | 'dns' | 'connect' | 'tls' | 'send' | 'wait' | 'receive' | 'whole';
export type Segment = { phase: Phase; startMs: number; endMs: number };

export const phaseNames: Readonly<Record<Phase, string>> = {
  queueing: 'queued',
  dns: 'DNS',
  connect: 'connecting',
  tls: 'TLS handshake',
  send: 'sending',
  wait: 'waiting',
  receive: 'receiving',
  whole: 'no phases known',
};

/** One after the other from the start on, without phases that took no time. */
export function segmentsOf(resource: Resource): Segment[] {
  const segments: Segment[] = [];
  let at = resource.startMs;
  for (const [phase, ms] of phasesOf(resource)) {
    if (ms === null || ms <= 0) continue;
    segments.push({ phase, startMs: at, endMs: at + ms });
    at += ms;
  }
  const endMs = resource.endMs ?? at;
  return segments.length === 0 && endMs > at ? [{ phase: 'whole', startMs: at, endMs }] : segments;
}

/** Connecting without its TLS handshake, which is a phase of its own; in QUIC both are one phase, the handshake. */
export function phasesOf(resource: Resource): [Exclude<Phase, 'whole'>, number | null][] {
  const { queueingMs, dnsMs, connectMs, tlsMs, sendMs, waitMs, receiveMs } = resource;
  const connecting = connectMs === null ? null : Math.max(0, connectMs - (tlsMs ?? 0));
  return [
    ['queueing', queueingMs],
    ['dns', dnsMs],
    ['connect', connecting],
    ['tls', tlsMs],
    ['send', sendMs],
    ['wait', waitMs],
    ['receive', receiveMs],
  ];
}

/** Milliseconds since navigation start; for a request that never ended, the end of its last known phase. */
export const endOf = (resource: Resource): number => resource.endMs ?? segmentsOf(resource).at(-1)?.endMs ?? resource.startMs;

/** Such as: start 46 ms, waiting 31 ms, receiving 12 ms. */
export function phaseWords(resource: Resource): string {
  const known = phasesOf(resource).flatMap(([phase, ms]) => (ms ? [`${phaseNames[phase]} ${quantity(ms, 'ms')}`] : []));
  return [`start ${quantity(resource.startMs, 'ms')}`, ...known].join(', ');
}

export interface Connection {
  /** Chrome's own. */
  id: number;
  /** From 1 on, in the order of first use. */
  number: number;
  /** Several where Chrome coalesced them. */
  hosts: string[];
  protocol: Protocol | 'other';
  requests: number;
  transferBytes: number;
}

/** The ninth connection has the first one's colour again; numbers distinguish them. */
const connectionColours = 8;
export const colourOf = ({ number }: Pick<Connection, 'number'>): number => (number - 1) % connectionColours;

/** Numbered in the order of their first use. */
export function connectionsOf(resources: readonly Resource[]): Map<number, Connection> {
  const connections = new Map<number, Connection>();
  for (const { connectionId, host, protocol, transferBytes } of resources.toSorted((a, b) => a.startMs - b.startMs || a.seq - b.seq)) {
    if (connectionId === null) continue;
    const known = connections.get(connectionId);
    if (known === undefined) {
      const number = connections.size + 1;
      connections.set(connectionId, {
        id: connectionId,
        number,
        hosts: [host],
        protocol: wireProtocol(protocol),
        requests: 1,
        transferBytes,
      });
      continue;
    }
    if (!known.hosts.includes(host)) known.hosts.push(host);
    known.requests += 1;
    known.transferBytes += transferBytes;
  }
  return connections;
}

export const colourings = ['protocol', 'connection'] as const;
export type Colouring = (typeof colourings)[number];

/** The name of a bar's CSS variable, without the dashes. */
export function barColour(resource: Resource, by: Colouring, connections: ReadonlyMap<number, Connection>): string {
  if (by === 'protocol') return wireProtocol(resource.protocol);
  const connection = resource.connectionId === null ? undefined : connections.get(resource.connectionId);
  return connection === undefined ? 'other' : `connection-${colourOf(connection)}`;
}

export type Fact = readonly [name: string, words: string];

/** Chrome's answer to "why this protocol?". https://chromedevtools.github.io/devtools-protocol/tot/Network/#type-AlternateProtocolUsage */
const usages: Readonly<Record<string, string>> = {
  alternativeJobWonWithoutRace: 'Chrome knew HTTP/3 from Alt-Svc or was forced to it, and tried nothing else.',
  alternativeJobWonRace: 'Chrome tried HTTP/3 and TCP at once; HTTP/3 was ready first.',
  mainJobWonRace: 'Chrome tried HTTP/3 and TCP at once; TCP was ready first.',
  mappingMissing: 'Chrome had no Alt-Svc of this host yet, so it did not try HTTP/3.',
  broken: 'HTTP/3 had failed with this host before, so Chrome left it out.',
  dnsAlpnH3JobWonWithoutRace: 'A DNS record (HTTPS) offered HTTP/3, and Chrome tried nothing else.',
  dnsAlpnH3JobWonRace: 'A DNS record (HTTPS) offered HTTP/3; it was ready before TCP.',
  unspecifiedReason: 'Chrome gives no reason.',
};

export function usageWords(usage: string | null): string | null {
  if (usage === null) return null;
  return Object.hasOwn(usages, usage) ? `${usages[usage]} (${usage})` : usage;
}

/** The protocol, or the source of a response without a connection. */
export function protocolWords({ protocol, cache, failure, blocked }: Resource): string {
  const known = wireProtocol(protocol);
  if (cache !== 'none') return cacheNames[cache];
  if (known !== 'other' && alpnOf[known] === protocol) return protocolNames[known];
  return protocol ?? (failure !== null ? 'failed' : blocked === null ? 'unknown' : 'blocked');
}
const cacheNames: Readonly<Record<Resource['cache'], string>> = {
  none: 'network',
  memory: 'memory cache',
  disk: 'disk cache',
  prefetch: 'prefetch cache',
  'service-worker': 'service worker',
};

/** The status, or the reason why there is none. */
export const statusWords = ({ failure, blocked, status }: Resource): string =>
  failure ?? (blocked !== null ? `blocked: ${blocked}` : status === null ? '–' : String(status));

export function resourceFacts(resource: Resource, connection: Connection | undefined): Fact[] {
  const { initiatorUrl, initiatorType, connectionReused } = resource;
  const phases = phasesOf(resource).flatMap(([phase, ms]): Fact[] =>
    ms === null ? [] : [[phaseName(phase, resource), quantity(ms, 'ms')]],
  );
  const facts: (readonly [string, string | null])[] = [
    ['Failure', resource.failure],
    ['Blocked', resource.blocked],
    ['Request', `${resource.method}, ${resource.type}${resource.mimeType === null ? '' : `, ${resource.mimeType}`}`],
    ['Status', resource.status === null ? null : String(resource.status)],
    ['Initiator', initiatorUrl === null ? initiatorType : `${initiatorType} in ${initiatorUrl}`],
    ['Protocol', protocolWords(resource)],
    ['Why this protocol', usageWords(resource.alternateProtocolUsage)],
    [
      'Connection',
      connection ? `${connection.number}, ${reuseWords(connectionReused)}, carries ${many(connection.requests, 'request')}` : null,
    ],
    ['Address', resource.remoteAddress],
    ['Priority', resource.priority],
    ['Received', receivedWords(resource)],
    ['Server', resource.server],
    ['Alt-Svc', resource.altSvc],
    ['Start', quantity(resource.startMs, 'ms')],
    ...phases,
    ['End', resource.endMs === null ? 'not within the visit' : quantity(resource.endMs, 'ms')],
    ['Linked', resource.linked ? 'yes: not requested by a script' : 'no: requested by a script'],
  ];
  return facts.filter((fact): fact is Fact => fact[1] !== null);
}

function receivedWords({ transferBytes, bodyBytes }: Resource): string {
  const body = bodyBytes === null ? 'not known' : quantity(bodyBytes, 'bytes');
  return `${quantity(transferBytes, 'bytes')}; body after decompression ${body}`;
}

const reuseWords = (reused: boolean | null) => (reused === null ? 'new or reused' : reused ? 'reused' : 'opened for this request');

function phaseName(phase: Phase, { protocol }: Resource): string {
  return phase === 'tls' && wireProtocol(protocol) === 'h3' ? 'QUIC and TLS handshake' : nameOf(phase);
}
const nameOf = (phase: Phase) => phaseNames[phase].replace(/^./, (letter) => letter.toUpperCase());
