// What a request spends its time on, as bars on a time line.
import type { Resource } from '@pronghorn/core/schemas';
import { quantity } from '../../text/format.ts';

/** `whole`: something took that time, and no phase of it is known. */
export type Phase = 'queueing' | 'dns' | 'connect' | 'tls' | 'send' | 'wait' | 'receive' | 'whole';
export type Segment = { phase: Phase; startMs: number; endMs: number };

/** As a reader calls them, in their order. */
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

/** One after the other from the start on. What took no time is left out. */
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

/** Connecting without its TLS handshake, which stands apart; of QUIC the two are one, and told as the handshake. */
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

/** Milliseconds since navigation start; of a request that never ended, when its last known phase did. */
export const endOf = (resource: Resource): number => resource.endMs ?? segmentsOf(resource).at(-1)?.endMs ?? resource.startMs;

/** Such as: start 46 ms, waiting 31 ms, receiving 12 ms. */
export function phaseWords(resource: Resource): string {
  const known = phasesOf(resource).flatMap(([phase, ms]) => (ms ? [`${phaseNames[phase]} ${quantity(ms, 'ms')}`] : []));
  return [`start ${quantity(resource.startMs, 'ms')}`, ...known].join(', ');
}
