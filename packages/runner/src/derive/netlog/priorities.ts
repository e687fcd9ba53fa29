// Checks if a server sent responses in the order that Chrome requested: compares the signals of RFC 9218 with the order of the server's packets.
import type { PriorityOrder, PriorityRule } from '@pronghorn/core/schemas';
import { UnknownShape } from './events.ts';
import type { QuicConnection, Signal, StreamFrame } from './quic.ts';

/** Bytes that a server may have handed to its socket in one batch when it receives a signal. */
const toleranceBytes = 16_384;
/** Bytes of each other response on the connection that may pass before a response has its turn. */
const turnBytes = 65_536;
const maxListed = 5;
/** Responses × packets: a shop's page has 130,000, and five millions take two seconds. */
const maxCompared = 5_000_000;

/**
 * The order is that of the server's packet numbers, which loss and reordering on the way don't change. A response is passed by the bytes of a packet where
 * - these are new bytes of another response: repetitions of lost ones don't count;
 * - the server has the request, and more of the response comes in a later packet;
 * - all packets between the response's last bytes, or before it began the last packet before its request, and this one arrived: a missing one may have
 *   carried what is awaited;
 * - the server knows the newest signal of both, and no later one is on its way;
 * - and by these signals the response goes first.
 *
 * @throws UnknownShape for a signal that can't be read, an event that is not known, too large a page, or where the server waited for a window of Chrome's
 */
export function priorityOrder(connection: QuicConnection): PriorityOrder {
  const { frames, packets, signals, requested, askedAfter, blocked, unknownType } = connection;
  if (unknownType !== null) throw new UnknownShape(`${unknownType} is an unknown event.`);
  if (requested.size * packets.length > maxCompared) throw new UnknownShape('There are too many responses and packets to compare.');
  if (blocked) throw new UnknownShape('Chrome’s flow control held the server back.');
  const signalled = Map.groupBy(signals.map(readSignal), ({ signal }) => signal.stream);
  const carried = Map.groupBy(newPieces(frames), ({ stream }) => stream);
  const inPacket = Map.groupBy([...carried.values()].flat(), ({ packet }) => packet);
  const firstMissing = missingAfter(packets);
  const priorityAt = (piece: Piece, stream = piece.stream) => knownAt(signalled.get(stream) ?? [], stream, piece);

  const tallies = new Map(signals.map((signal) => [signal, { ...noTally }]));
  const add = (signal: Signal | null, rule: PriorityRule, when: 'underWay' | 'before', bytes: number) => {
    const tally = signal === null ? undefined : tallies.get(signal);
    if (tally === undefined) return;
    tally[when] += bytes;
    tally[rule] += bytes;
  };
  for (const [stream, pieces] of carried) {
    const places = [requested.get(stream) ?? Number.POSITIVE_INFINITY, ...pieces.map(({ packet }) => packet)];
    for (const [index, from] of places.slice(0, -1).entries()) {
      const when = index === 0 ? 'before' : 'underWay';
      const surely = index === 0 ? (askedAfter.get(stream) ?? -1) : from;
      const end = Math.min(places[index + 1] as number, firstMissing.get(surely) ?? from);
      const turns = new Map<number, { signal: Signal | null; bytes: number }>();
      for (let packet = from + 1; packet < end; packet++) {
        for (const other of inPacket.get(packet) ?? []) {
          const [mine, theirs] = [priorityAt(other, stream), priorityAt(other)];
          if (mine === undefined || theirs === undefined) continue;
          const rule = precedence(mine, theirs);
          if (rule === 'sharing') {
            const turn = turns.get(other.stream) ?? { signal: mine.signal, bytes: 0 };
            turns.set(other.stream, { ...turn, bytes: turn.bytes + other.bytes });
          } else if (rule !== null) add(mine.signal, rule, when, other.bytes);
        }
      }
      for (const { signal, bytes } of turns.values()) if (bytes > turnBytes) add(signal, 'sharing', when, bytes - turnBytes);
    }
  }

  const followed = followedSignals(carried, requested, priorityAt);
  const outcomes = signals.map((signal) => {
    const tally = tallies.get(signal) ?? noTally;
    if (tally.underWay > toleranceBytes) return { signal, tally, outcome: 'notFollowed' } as const;
    if (tally.before > toleranceBytes) return { signal, tally, outcome: 'passedBefore' } as const;
    return { signal, tally, outcome: followed.has(signal) ? 'followed' : 'undecided' } as const;
  });
  const count = (wanted: (typeof outcomes)[number]['outcome']) => outcomes.filter(({ outcome }) => outcome === wanted).length;
  return {
    signals: signals.length,
    ...{
      notFollowed: count('notFollowed'),
      passedBefore: count('passedBefore'),
      followed: count('followed'),
      undecided: count('undecided'),
    },
    worst: outcomes
      .filter(({ outcome }) => outcome === 'notFollowed' || outcome === 'passedBefore')
      .sort((a, b) => b.tally.underWay + b.tally.before - a.tally.underWay - a.tally.before)
      .slice(0, maxListed)
      .map(({ signal: { stream, value }, tally }) => ({
        ...{ stream, value, passedBytes: tally.underWay, passedBeforeBytes: tally.before },
        rule: rules.reduce((winner, rule) => (tally[rule] > tally[winner] ? rule : winner)),
      })),
  };
}

const rules: readonly PriorityRule[] = ['urgency', 'order', 'sharing'];
/** Bytes that passed a response: by when, and by which rule. */
const noTally = { underWay: 0, before: 0, urgency: 0, order: 0, sharing: 0 };

/** Signals by which a piece of a response was sent before one of higher priority that was requested and incomplete. */
function followedSignals(
  carried: ReadonlyMap<number, readonly Piece[]>,
  requested: ReadonlyMap<number, number>,
  priorityAt: (piece: Piece, stream?: number) => Priority | undefined,
): Set<Signal> {
  const followed = new Set<Signal>();
  const waits = [...carried].map(([stream, pieces]) => ({
    ...{ stream, from: requested.get(stream) ?? Number.POSITIVE_INFINITY, to: pieces.at(-1)?.packet ?? 0 },
  }));
  for (const piece of [...carried.values()].flat()) {
    const mine = priorityAt(piece);
    if (mine === undefined || mine.signal === null || followed.has(mine.signal)) continue;
    const isBefore = waits.some(({ stream, from, to }) => {
      if (stream === piece.stream || piece.packet < from || piece.packet >= to) return false;
      const theirs = priorityAt(piece, stream);
      const rule = theirs === undefined ? null : precedence(mine, theirs);
      return rule === 'urgency' || rule === 'order';
    });
    if (isBefore) followed.add(mine.signal);
  }
  return followed;
}

/** By packet, the first number after it that did not arrive. */
function missingAfter(packets: readonly number[]): Map<number, number> {
  const missing = new Map<number, number>();
  for (const packet of packets.toReversed()) missing.set(packet, missing.get(packet + 1) ?? packet + 1);
  return missing;
}

interface Priority {
  stream: number;
  /** 0 to 7, 0 first. */
  urgency: number;
  incremental: boolean;
  /** Null: no signal, so the default applies. */
  signal: Signal | null;
}

/** Rule by which `a` goes before `b`, or takes turns with it; null: none of these rules. */
function precedence(a: Priority, b: Priority): PriorityRule | null {
  if (a.urgency !== b.urgency) return a.urgency < b.urgency ? 'urgency' : null;
  // The RFC has no rule for a mix.
  if (a.incremental !== b.incremental) return null;
  if (a.incremental) return 'sharing';
  return a.stream < b.stream ? 'order' : null;
}

/** @returns what the server surely went by when it sent a piece; undefined where a signal may just have reached it, or not */
function knownAt(signalled: readonly (Priority & { signal: Signal })[], stream: number, { packet, atMs }: Piece): Priority | undefined {
  const known = signalled.findLastIndex(({ signal }) => signal.knownFrom <= packet);
  if (signalled.slice(known + 1).some(({ signal }) => signal.atMs < atMs)) return undefined;
  return signalled[known] ?? { stream, urgency: defaultUrgency, incremental: false, signal: null };
}

/** RFC 9218 §4.1. */
const defaultUrgency = 3;
/** A dictionary of structured fields (RFC 8941 §3.2), as far as priorities are written: `u=2, i`. */
const member = /^\s*([a-z*][a-z0-9_.*-]*)(?:=([^,;]+))?(?:;[^,]*)?\s*$/;

function readSignal(signal: Signal): Priority & { signal: Signal } {
  let [urgency, incremental] = [defaultUrgency, false];
  for (const text of signal.value.trim() === '' ? [] : signal.value.split(',')) {
    const [, key, value] = member.exec(text) ?? [];
    if (key === undefined) throw new UnknownShape(`The priority ${JSON.stringify(signal.value)} can't be read.`);
    // Parameters that are not known, and values out of range, are ignored (§4).
    if (key === 'u' && /^[0-7]$/.test(value ?? '')) urgency = Number(value);
    if (key === 'i' && (value === undefined || /^\?[01]$/.test(value))) incremental = value !== '?0';
  }
  return { stream: signal.stream, urgency, incremental, signal };
}

interface Piece {
  stream: number;
  packet: number;
  atMs: number;
  /** Bytes sent for the first time. */
  bytes: number;
}

/** In the order in which the server sent them. */
function newPieces(frames: readonly StreamFrame[]): Piece[] {
  const ends = new Map<number, number>();
  return [...frames]
    .sort((a, b) => a.packet - b.packet)
    .flatMap(({ stream, packet, atMs, offset, length }) => {
      const end = ends.get(stream) ?? 0;
      const bytes = offset + length - Math.max(end, offset);
      if (bytes <= 0) return [];
      ends.set(stream, offset + length);
      return [{ stream, packet, atMs, bytes }];
    });
}
