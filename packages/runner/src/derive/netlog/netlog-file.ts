// A recorded netlog as the file that Chrome writes with --log-net-log: what its netlog viewer, qvis and waterfall-tools open.
import type { Environment } from '@pronghorn/core/schemas';
import type { Evidence } from '../../gather/evidence.ts';
import { inOrder, type LoggedEvent, phaseOf, type TraceEvent } from '../../gather/netlog.ts';

const phases = { instant: 0, begin: 1, end: 2 } as const;
/** First id of sources that nothing names, far from Chrome's ids. */
const firstOwnId = 1_000_000_000;

/** @returns the whole log of a load, where that has it */
export function netlogFileOf({
  evidence,
  environment,
  rawNetlog,
}: {
  evidence: Evidence;
  environment: Environment;
  rawNetlog?: readonly TraceEvent[];
}): string | null {
  return rawNetlog === undefined ? null : netlogFile(rawNetlog, { epochMs: epochOf(evidence), product: environment.browser.product });
}

/** When the clock of Chrome's events was 0, milliseconds since 1970: every request has both times. */
function epochOf({ network, startedAt }: Evidence): number {
  const sent = network.find((event) => event.method === 'Network.requestWillBeSent');
  return sent === undefined ? Date.parse(startedAt) : (sent.params.wallTime - sent.params.timestamp) * 1_000;
}

/**
 * Readers go by the names of types, which the file's own constants number: the numbers needn't be Chrome's, but for those that events themselves name.
 *
 * @param epochMs when the monotonic clock of the events was 0, milliseconds since 1970
 * @param product such as Chrome/156.0.0.0
 * @returns the file's text
 */
export function netlogFile(events: readonly TraceEvent[], { epochMs, product }: { epochMs: number; product: string }): string {
  const logged = inOrder(events);
  // The end of an event doesn't repeat what its source is.
  const kinds = new Map(
    logged.flatMap(({ event, source }) => (event.args.source_type === undefined ? [] : [[source, event.args.source_type]])),
  );
  const named = namedSources(logged, kinds);
  const types = new Numbers([]);
  const sourceTypes = new Numbers(named.types);
  const lines = logged.map(({ event, source, startedMs }, index) => {
    const { source_start_time: _, ...params } = event.args.params ?? {};
    const id = named.ids.get(source) ?? firstOwnId + index;
    named.ids.set(source, id);
    const time = `${Math.floor(event.ts / 1_000)}`;
    return JSON.stringify({
      ...(Object.keys(params).length === 0 ? {} : { params }),
      phase: phases[phaseOf(event)],
      source: { id, start_time: Number.isNaN(startedMs) ? time : `${startedMs}`, type: sourceTypes.of(kinds.get(source) ?? 'NONE') },
      time,
      type: types.of(event.name),
    });
  });
  const [name, version = ''] = product.split('/');
  const constants = {
    logFormatVersion: 1,
    timeTickOffset: Math.round(epochMs),
    logEventTypes: types.all(),
    logSourceType: sourceTypes.all(),
    logEventPhase: { PHASE_BEGIN: phases.begin, PHASE_END: phases.end, PHASE_NONE: phases.instant },
    clientInfo: { name, version, command_line: '' },
    // Viewers look for these before they read on.
    ...{ loadFlag: {}, loadState: {}, netError: {}, addressFamily: {}, certStatusFlag: {}, quicError: {}, quicRstStreamError: {} },
  };
  return `{"constants": ${JSON.stringify(constants)},\n"events": [\n${lines.join(',\n')}]}\n`;
}

/**
 * Chrome's ids of sources, by which events name others, and the numbers of their types: tracing renumbers sources. Mostly both sources log what binds them, one
 * right after the other, each naming the other one: such a pair gives both ids. Sessions are only named: their order gives their ids, where as many are
 * named as there are.
 */
function namedSources(
  logged: readonly LoggedEvent[],
  kinds: ReadonlyMap<string, string>,
): { ids: Map<string, number>; types: [string, number][] } {
  const bonds = logged.flatMap(({ event, source }) => {
    const { id, type } = (event.args.params?.source_dependency ?? {}) as { id?: unknown; type?: unknown };
    const kind = kinds.get(source);
    return typeof id === 'number' && typeof type === 'number' && kind !== undefined
      ? [{ name: event.name, source, kind, other: { id, type } }]
      : [];
  });
  const pairs = bonds.flatMap((one, index) => {
    const next = bonds[index + 1];
    return next === undefined || next.source === one.source ? [] : [[one, next] as const, [next, one] as const];
  });
  const types = winners([
    ...pairs.map(([one, { other }]) => [one.kind, other.type] as const),
    ...bonds.flatMap(({ name, other }) => (sessionNamedBy[name] === undefined ? [] : [[sessionNamedBy[name], other.type] as const])),
  ]);
  const fitting = pairs.filter(([one, next]) => types.get(one.kind) === next.other.type && types.get(next.kind) === one.other.type);
  const ids = winners(fitting.map(([one, { other }]) => [one.source, other.id]));
  const known = new Set(ids.values());
  for (const kind of new Set(Object.values(sessionNamedBy))) {
    const named = [...new Set(bonds.flatMap(({ other }) => (other.type === types.get(kind) && !known.has(other.id) ? [other.id] : [])))];
    const unnamed = [...kinds].flatMap(([source, of]) => (of === kind && !ids.has(source) ? [source] : []));
    if (named.length === unnamed.length)
      for (const [index, id] of named.sort((a, b) => a - b).entries()) ids.set(unnamed[index] as string, id);
  }
  return { ids, types: [...types] };
}

/** Events that name a session, of what kind. */
const sessionNamedBy: Readonly<Record<string, string>> = {
  HTTP2_SESSION_POOL_IMPORTED_SESSION_FROM_SOCKET: 'HTTP2_SESSION',
  HTTP2_SESSION_POOL_FOUND_EXISTING_SESSION: 'HTTP2_SESSION',
  HTTP_STREAM_REQUEST_BOUND_TO_QUIC_SESSION: 'QUIC_SESSION',
};

/** @returns the number that most of a name's votes are for; a number that two names claim is that of the one with more votes */
function winners(votes: readonly (readonly [name: string, number: number])[]): Map<string, number> {
  const counts = new Map<string, { name: string; number: number; votes: number }>();
  for (const [name, number] of votes) {
    const key = `${name} ${number}`;
    counts.set(key, { name, number, votes: (counts.get(key)?.votes ?? 0) + 1 });
  }
  const [names, numbers] = [new Map<string, number>(), new Set<number>()];
  for (const { name, number } of [...counts.values()].sort((a, b) => b.votes - a.votes)) {
    if (names.has(name) || numbers.has(number)) continue;
    names.set(name, number);
    numbers.add(number);
  }
  return names;
}

class Numbers {
  readonly #byName: Map<string, number>;

  constructor(known: readonly (readonly [string, number])[]) {
    this.#byName = new Map(known);
  }

  of(name: string): number {
    const known = this.#byName.get(name) ?? Math.max(-1, ...this.#byName.values()) + 1;
    this.#byName.set(name, known);
    return known;
  }

  all(): Record<string, number> {
    return Object.fromEntries(this.#byName);
  }
}
