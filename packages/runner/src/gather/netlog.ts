// Records what Chrome's network stack logs while a page loads: the trace category `netlog`, which the browser's own target has and a page's has not.
import type { Chrome } from '../chrome/launch.ts';
import { inTime } from '../machine/in-time.ts';
import { slimUrl } from './network-log.ts';

/** An event as tracing reports it. `ts` is in microseconds of the monotonic clock that CDP's timestamps count in seconds. */
export interface TraceEvent {
  cat: string;
  name: string;
  ph: string;
  ts: number;
  pid: number;
  id?: string;
  id2?: { local?: string; global?: string };
  args: { source_type?: string; params?: Record<string, unknown> };
}

const endMs = 20_000;
/** Scripts, layout, paint, and the page's own marks. No pictures. */
const traceCategories = ['devtools.timeline', 'blink.user_timing', 'loading', 'rail'];
/** Characters of a trace that is kept. */
const maxTrace = 48_000_000;
/** Both share it; of what does not fit Chrome loses the end. */
const bufferKb = 400_000;

/**
 * Begins to record. Tracing is of the whole browser, once at a time: nothing else may load in it.
 *
 * @returns `end`, which ends it within about a tenth of a second and returns what was logged since, and the trace where it was asked for and is
 *   not too long to keep; null: Chrome lost some of it
 */
export async function recordNetlog({ session }: Pick<Chrome, 'session'>, withTrace: boolean) {
  const [netlog, traced]: [TraceEvent[], string[]] = [[], []];
  let length = 0;
  // Chrome sends everything after the end.
  const collect = ({ value }: { value: unknown[] }) => {
    for (const event of value as TraceEvent[]) {
      if (event.cat === 'netlog') netlog.push(event);
      else if (withTrace && length <= maxTrace) {
        const text = JSON.stringify(event);
        traced.push(text);
        length += text.length;
      }
    }
  };
  session.on('Tracing.dataCollected', collect);
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      recordMode: 'recordUntilFull',
      traceBufferSizeInKb: bufferKb,
      includedCategories: ['netlog', ...(withTrace ? traceCategories : [])],
      excludedCategories: ['*'],
    },
  });
  return {
    end: async (): Promise<{ netlog: TraceEvent[]; trace?: string } | null> => {
      const { promise: complete, resolve } = Promise.withResolvers<boolean>();
      session.once('Tracing.tracingComplete', ({ dataLossOccurred }) => resolve(!dataLossOccurred));
      const ended = session.send('Tracing.end').then(() => complete);
      try {
        if (!(await inTime(endMs, ended, () => new Error(`Chrome did not end its trace within ${endMs} ms.`)))) return null;
        return { netlog, ...(withTrace && length <= maxTrace ? { trace: `{"traceEvents":[\n${traced.join(',\n')}\n]}\n` } : {}) };
      } finally {
        session.off('Tracing.dataCollected', collect);
      }
    },
  };
}

/** The events from which findings are derived, in the order in which they were logged. `startUs` is of the clock that CDP's timestamps count in seconds. */
export interface Netlog {
  version: 1;
  startUs: number;
  events: NetlogEvent[];
}

/**
 * `sinceUs` is the time since the event before, which says the same in fewer digits.
 *
 * `source` numbers what logged it, a connection or a request: the same for all of its events, and no number of Chrome's. The parameters of an
 * event's end are with its beginning, as tracing reports them.
 */
export type NetlogEvent = readonly [
  sinceUs: number,
  source: number,
  type: string,
  phase: 'begin' | 'end' | 'instant',
  params?: Readonly<Record<string, string | number | boolean | readonly number[]>>,
];

/**
 * Events that are kept, with their parameters that are. `:url` and `:priority` are all that is taken of headers: others may hold secrets.
 */
const recordedParams: Readonly<Record<string, readonly string[]>> = {
  HTTP_STREAM_JOB_CONTROLLER: ['url', 'is_preconnect'],
  HTTP_STREAM_JOB_CONTROLLER_ALT_SVC_FOUND: ['is_broken', 'broken'],
  TCP_CONNECT: ['remote_address', 'net_error'],
  TCP_CONNECT_ATTEMPT: ['net_error', 'os_error'],
  SSL_CONNECT: ['version', 'next_proto', 'net_error'],
  SSL_SOCKET_BYTES_RECEIVED: ['byte_count'],
  QUIC_SESSION_POOL_JOB: ['host', 'port', 'net_error'],
  QUIC_SESSION: ['host', 'port', 'net_error'],
  QUIC_SESSION_PACKET_SENT: ['packet_number', 'encryption_level'],
  QUIC_SESSION_UNAUTHENTICATED_PACKET_HEADER_RECEIVED: ['packet_number', 'header_format', 'long_header_type'],
  QUIC_SESSION_ACK_FRAME_RECEIVED: ['smallest_observed', 'largest_observed', 'missing_packets'],
  QUIC_SESSION_STREAM_FRAME_RECEIVED: ['stream_id', 'offset', 'length', 'fin'],
  QUIC_SESSION_STREAM_FRAME_SENT: ['stream_id'],
  QUIC_SESSION_BLOCKED_FRAME_RECEIVED: [],
  QUIC_SESSION_ZERO_RTT_REJECTED: [],
  QUIC_SESSION_RST_STREAM_FRAME_SENT: ['stream_id'],
  QUIC_SESSION_RST_STREAM_FRAME_RECEIVED: ['stream_id'],
  QUIC_SESSION_STOP_SENDING_FRAME_SENT: ['stream_id'],
  HTTP3_LOCAL_CONTROL_STREAM_CREATED: ['stream_id'],
  HTTP3_HEADERS_SENT: ['stream_id', ':url', ':priority'],
  HTTP3_PRIORITY_UPDATE_SENT: ['type', 'prioritized_element_id', 'priority_field_value'],
};

/** Events of QUIC connections that findings don't need. An event that is neither here nor above is unknown, and is kept without parameters. */
const unneeded: readonly RegExp[] = [
  /^QUIC_SESSION_(?:PACKET_(?:RECEIVED|AUTHENTICATED|RETRANSMITTED|LOST)|DUPLICATE_PACKET_RECEIVED|COALESCED_PACKET_SENT|VERSION_NEGOTIATED)$/,
  /^QUIC_SESSION_(?:ACK|PING|PADDING|CRYPTO|WINDOW_UPDATE|BLOCKED|STREAMS_BLOCKED|MAX_STREAMS|NEW_CONNECTION_ID|RETIRE_CONNECTION_ID)_FRAME_SENT$/,
  /^QUIC_SESSION_(?:PING|PADDING|CRYPTO|WINDOW_UPDATE|STREAMS_BLOCKED|MAX_STREAMS|NEW_CONNECTION_ID|RETIRE_CONNECTION_ID|NEW_TOKEN|HANDSHAKE_DONE)_FRAME_RECEIVED$/,
  /^QUIC_SESSION_(?:STOP_SENDING_FRAME_RECEIVED|STREAM_FRAME_COALESCED|CONNECTION_CLOSE_FRAME_SENT|CONNECTION_CLOSE_FRAME_RECEIVED|CLOSED|CLOSE_ON_ERROR)$/,
  /^QUIC_SESSION_(?:TRANSPORT_PARAMETERS_(?:SENT|RECEIVED|RESUMED)|CERTIFICATE_VERIF(?:IED|Y_FAILED)|CRYPTO_HANDSHAKE_(?:COMPLETE|MESSAGE_SENT|MESSAGE_RECEIVED))$/,
  /^QUIC_SESSION_(?:ZERO_RTT_STATE|KEY_UPDATE|MTU_DISCOVERY_FRAME_SENT|POOL_ATTACH_HTTP_STREAM_JOB_TO_EXISTING_SESSION)$/,
  /^QUIC_SESSION_(?:BUFFERED_UNDECRYPTABLE_PACKET|DROPPED_UNDECRYPTABLE_PACKET|ATTEMPTING_TO_PROCESS_UNDECRYPTABLE_PACKET)$/,
  /^QUIC_(?:PORT_MIGRATION|CONNECTION_MIGRATION|CONNECTIVITY_PROBING_MANAGER|SESSION_PATH_(?:CHALLENGE|RESPONSE)_FRAME)_[A-Z_]+$/,
  /^QUIC_(?:SESSION_CONNECTIVITY_PROBING_FINISHED|CONGESTION_CONTROL_CONFIGURED|CHROMIUM_CLIENT_STREAM_[A-Z_]+|ACCEPT_CH_FRAME_RECEIVED)$/,
  /^HTTP3_(?:LOCAL|PEER)_(?:CONTROL|QPACK_ENCODER|QPACK_DECODER)_STREAM_CREATED$/,
  /^HTTP3_(?:SETTINGS_(?:SENT|RECEIVED|RESUMED)|HEADERS_(?:RECEIVED|DECODED)|DATA_(?:SENT|FRAME_RECEIVED)|GOAWAY_(?:SENT|RECEIVED)|MAX_PUSH_ID_SENT)$/,
  /^HTTP3_(?:UNKNOWN_FRAME_RECEIVED|STREAM_TYPE_SENT)$/,
  /^CERT_VERIFIER_[A-Z_]+$/,
];

/**
 * Reduces a log to what is kept with a visit. Leaves out events of earlier visits in the same Chrome: all that began before the recording.
 *
 * @param events in the order in which they were reported
 */
export function slimNetlog(events: readonly TraceEvent[]): Netlog {
  const logged = inOrder(events);
  const startUs = logged[0]?.event.ts ?? 0;
  const quic = new Set(logged.flatMap(({ event, source }) => (event.args.source_type === 'QUIC_SESSION' ? [source] : [])));
  const numbers = new Map<string, number>();
  const slim: NetlogEvent[] = [];
  let lastUs = startUs;
  for (const { event, source, startedMs } of logged) {
    // To the millisecond.
    const isOwn = startedMs >= Math.floor(startUs / 1_000);
    const names = recordedParams[event.name];
    const isUnknown = names === undefined && quic.has(source) && !unneeded.some((type) => type.test(event.name));
    if (!isOwn || (names === undefined && !isUnknown)) continue;
    const number = numbers.get(source) ?? numbers.size + 1;
    numbers.set(source, number);
    const place = [event.ts - lastUs, number, event.name, phaseOf(event)] as const;
    const params = paramsOf(event, names ?? []);
    slim.push(params === undefined ? place : [...place, params]);
    lastUs = event.ts;
  }
  return { version: 1, startUs, events: slim };
}

export interface LoggedEvent {
  event: TraceEvent;
  /** The request, connection, … that logged it. */
  source: string;
  /** When that came to be, on the events' clock; NaN: before the recording. */
  startedMs: number;
}

/**
 * Sorts a log, and distinguishes its sources: tracing gives the track of an ended source to the next. All events but ends name when theirs came to be.
 *
 * @param events in the order in which they were reported
 */
export function inOrder(events: readonly TraceEvent[]): LoggedEvent[] {
  const open = new Map<string, LoggedEvent[]>();
  return [...events]
    .sort((a, b) => a.ts - b.ts)
    .map((event) => {
      const track = `${event.pid} ${event.id ?? event.id2?.local ?? event.id2?.global ?? ''}`;
      const key = `${track} ${event.name}`;
      const begun = phaseOf(event) === 'end' ? open.get(key)?.pop() : undefined;
      if (begun !== undefined) return { ...begun, event };
      const startedMs = Number(event.args.params?.source_start_time ?? Number.NaN);
      const logged = { event, source: `${track} ${startedMs}`, startedMs };
      if (phaseOf(event) === 'begin') open.set(key, [...(open.get(key) ?? []), logged]);
      return logged;
    });
}

export function phaseOf({ ph }: TraceEvent): NetlogEvent[3] {
  if (ph === 'b' || ph === 'B') return 'begin';
  return ph === 'e' || ph === 'E' ? 'end' : 'instant';
}

function paramsOf({ args: { params = {} } }: TraceEvent, names: readonly string[]): NetlogEvent[4] {
  const entries = names.flatMap((name) => {
    const value = name.startsWith(':') ? ofHeaders(params.headers, name) : params[name];
    if (typeof value === 'string') return [[name, slimUrl(value)]];
    const isPlain = typeof value === 'number' || typeof value === 'boolean';
    return isPlain || (Array.isArray(value) && value.every((one) => typeof one === 'number')) ? [[name, value]] : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** @param headers such as `:path: /` */
function ofHeaders(headers: unknown, name: string): string | undefined {
  if (!Array.isArray(headers)) return undefined;
  const value = (of: string) => headers.find((line) => typeof line === 'string' && line.startsWith(`${of}: `))?.slice(of.length + 2);
  if (name === ':priority') return value('priority');
  const [scheme, authority, path] = [value(':scheme'), value(':authority'), value(':path')];
  return scheme === undefined || authority === undefined || path === undefined ? undefined : `${scheme}://${authority}${path}`;
}
