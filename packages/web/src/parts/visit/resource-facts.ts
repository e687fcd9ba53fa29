// All that is known of a resource, in words.
import type { Resource } from '@pronghorn/core/schemas';
import { many, quantity } from '../../text/format.ts';
import { protocolNames, protocolOf } from '../../text/vocabulary.ts';
import type { Connection } from './connections.ts';
import { phaseNames, phasesOf } from './phases.ts';

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

/** The protocol in words; of what came over no connection, where it came from. */
export function protocolWords({ protocol, cache, failure, blocked }: Resource): string {
  const known = protocolOf(protocol);
  if (cache !== 'none') return cacheNames[cache];
  if (known !== 'other') return protocolNames[known];
  return protocol ?? (failure !== null ? 'failed' : blocked === null ? 'unknown' : 'blocked');
}
const cacheNames: Readonly<Record<Resource['cache'], string>> = {
  none: 'network',
  memory: 'memory cache',
  disk: 'disk cache',
  prefetch: 'prefetch cache',
  'service-worker': 'service worker',
};

/** The status, or why there is none. */
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
    ['Linked', resource.linked ? 'yes: no script asked for it' : 'no: a script asked for it'],
  ];
  return facts.filter((fact): fact is Fact => fact[1] !== null);
}

function receivedWords({ transferBytes, bodyBytes }: Resource): string {
  const body = bodyBytes === null ? 'not known' : quantity(bodyBytes, 'bytes');
  return `${quantity(transferBytes, 'bytes')}; body after decompression ${body}`;
}

const reuseWords = (reused: boolean | null) => (reused === null ? 'new or not' : reused ? 'open already' : 'opened for this');

function phaseName(phase: Parameters<typeof nameOf>[0], { protocol }: Resource): string {
  return phase === 'tls' && protocolOf(protocol) === 'h3' ? 'QUIC and TLS handshake' : nameOf(phase);
}
const nameOf = (phase: keyof typeof phaseNames) => phaseNames[phase].replace(/^./, (letter) => letter.toUpperCase());
