// A QUIC connection as Chrome logged it: packets, acknowledgements, frames of responses, signalled priorities.
import { countOf, type Logged, textOf, UnknownShape } from './events.ts';

export interface StreamFrame {
  atMs: number;
  stream: number;
  offset: number;
  length: number;
  /** Number of the server's packet that it came in. */
  packet: number;
}

/** A response's priority as Chrome signalled it, in the terms of RFC 9218. */
export interface Signal {
  atMs: number;
  stream: number;
  value: string;
  /** The server's packets from this number on were sent by one that knew the signal: it had acknowledged it. Infinity: it never did. */
  knownFrom: number;
}

export interface QuicConnection {
  host: string;
  /** From Chrome's first packet to the first in which it could send a request; null: there is none. */
  handshakeMs: number | null;
  /** True if that packet was sent before the server had answered anything (0-RTT). */
  early: boolean;
  /** The shortest time between a packet and its acknowledgement; null: there is none. */
  rttMs: number | null;
  /** Frames of responses, in the order of their arrival. */
  frames: StreamFrame[];
  /** Numbers of the server's packets since the handshake, ascending. */
  packets: number[];
  signals: Signal[];
  urls: Map<number, string>;
  /** By stream of a response: the server's packets from this number on were sent by one that had the request. */
  requested: Map<number, number>;
  /** By the same: the newest of the server's packets that had arrived when Chrome asked; −1: none had. */
  askedAfter: Map<number, number>;
  reset: Set<number>;
  /** True if the server said that Chrome's flow control held it back. */
  blocked: boolean;
  /** An event that is not known here: what it means for the others isn't either. */
  unknownType: string | null;
}

type Level = 'initial' | 'handshake' | 'data';

/** A packet of Chrome's, and the server's packet that acknowledged it first. */
interface Sent {
  atMs: number;
  /** The newest of the server's packets that had arrived by then; −1: none. */
  after: number;
  acknowledgedIn: number;
}

/** Data that Chrome wrote into a stream and has not yet put into a packet. */
interface Written {
  /** Stream that carries it: the control stream or that of the request. */
  stream: number;
  signal?: Signal;
}

/** Streams of requests are the client's bidirectional ones (RFC 9000 §2.1). */
const isRequest = (stream: number) => stream % 4 === 0;

/**
 * @param events of one QUIC_SESSION, as they were logged
 * @throws UnknownShape
 */
export function readQuic(events: readonly Logged[]): QuicConnection {
  const reader = new QuicReader();
  for (const event of events) reader.read(event);
  return reader.connection();
}

class QuicReader {
  readonly #sent: Record<Level, Map<number, Sent>> = { initial: new Map(), handshake: new Map(), data: new Map() };
  readonly #frames: StreamFrame[] = [];
  readonly #packets = new Set<number>();
  #newest = -1;
  readonly #signals: Signal[] = [];
  readonly #urls = new Map<number, string>();
  readonly #reset = new Set<number>();
  /** Written, but not yet in a frame; in a frame, but not yet in a packet; in these packets. */
  #written: Written[] = [];
  #framed: Written[] = [];
  readonly #carried: { written: Written; sent: Sent }[] = [];
  #host = '';
  #controlStream: number | undefined;
  #firstSentMs: number | undefined;
  #firstDataMs: number | undefined;
  #early = false;
  #answered = false;
  #rttMs = Number.POSITIVE_INFINITY;
  #blocked = false;
  #unknownType: string | null = null;
  #packet: { level: Level; number: number } | undefined;

  read(event: Logged): void {
    const { atMs, type, phase, params } = event;
    switch (type) {
      case 'QUIC_SESSION':
        if (phase === 'begin') this.#host = `${textOf(event, 'host')}:${countOf(event, 'port')}`;
        break;
      case 'QUIC_SESSION_PACKET_SENT':
        this.#packetSent(atMs, levelSent(event), countOf(event, 'packet_number'));
        break;
      case 'QUIC_SESSION_UNAUTHENTICATED_PACKET_HEADER_RECEIVED':
        this.#answered = true;
        this.#packet = { level: levelReceived(event), number: countOf(event, 'packet_number') };
        if (this.#packet.level === 'data') {
          this.#packets.add(this.#packet.number);
          this.#newest = Math.max(this.#newest, this.#packet.number);
        }
        break;
      case 'QUIC_SESSION_ACK_FRAME_RECEIVED':
        this.#acknowledged(atMs, event);
        break;
      case 'QUIC_SESSION_STREAM_FRAME_RECEIVED': {
        const frame = { atMs, stream: countOf(event, 'stream_id'), offset: countOf(event, 'offset'), length: countOf(event, 'length') };
        if (isRequest(frame.stream)) this.#frames.push({ ...frame, packet: this.#dataPacket(type) });
        break;
      }
      case 'QUIC_SESSION_STREAM_FRAME_SENT': {
        const stream = countOf(event, 'stream_id');
        this.#framed.push(...this.#written.filter((one) => one.stream === stream));
        this.#written = this.#written.filter((one) => one.stream !== stream);
        break;
      }
      case 'HTTP3_LOCAL_CONTROL_STREAM_CREATED':
        this.#controlStream = countOf(event, 'stream_id');
        break;
      case 'HTTP3_HEADERS_SENT': {
        const stream = countOf(event, 'stream_id');
        this.#urls.set(stream, textOf(event, ':url'));
        const signal = params[':priority'] === undefined ? undefined : this.#signal(atMs, stream, textOf(event, ':priority'));
        this.#written.push({ stream, ...(signal === undefined ? {} : { signal }) });
        break;
      }
      case 'HTTP3_PRIORITY_UPDATE_SENT': {
        if (this.#controlStream === undefined) throw new UnknownShape(`${type} came before a control stream.`);
        if ((params.type ?? 'request_stream') !== 'request_stream') throw new UnknownShape(`${type} is of a ${params.type}.`);
        const signal = this.#signal(atMs, countOf(event, 'prioritized_element_id'), textOf(event, 'priority_field_value'));
        this.#written.push({ stream: this.#controlStream, signal });
        break;
      }
      case 'QUIC_SESSION_RST_STREAM_FRAME_SENT':
      case 'QUIC_SESSION_RST_STREAM_FRAME_RECEIVED':
      case 'QUIC_SESSION_STOP_SENDING_FRAME_SENT':
        this.#reset.add(countOf(event, 'stream_id'));
        break;
      case 'QUIC_SESSION_ZERO_RTT_REJECTED':
        // Early data has to be sent again.
        this.#early = false;
        this.#firstDataMs = undefined;
        break;
      case 'QUIC_SESSION_BLOCKED_FRAME_RECEIVED':
        this.#blocked = true;
        break;
      default:
        this.#unknownType ??= type;
    }
  }

  connection(): QuicConnection {
    const [requested, askedAfter] = [new Map<number, number>(), new Map<number, number>()];
    for (const { written, sent } of this.#carried) {
      if (written.signal !== undefined) written.signal.knownFrom = Math.min(written.signal.knownFrom, sent.acknowledgedIn);
      if (!isRequest(written.stream)) continue;
      requested.set(written.stream, Math.min(requested.get(written.stream) ?? Infinity, sent.acknowledgedIn));
      askedAfter.set(written.stream, Math.min(askedAfter.get(written.stream) ?? Infinity, sent.after));
    }
    return {
      host: this.#host,
      handshakeMs: this.#firstSentMs === undefined || this.#firstDataMs === undefined ? null : this.#firstDataMs - this.#firstSentMs,
      early: this.#early,
      rttMs: Number.isFinite(this.#rttMs) ? this.#rttMs : null,
      frames: this.#frames,
      packets: [...this.#packets].sort((a, b) => a - b),
      signals: this.#signals,
      urls: this.#urls,
      requested,
      askedAfter,
      reset: this.#reset,
      blocked: this.#blocked,
      unknownType: this.#unknownType,
    };
  }

  #packetSent(atMs: number, level: Level, number: number): void {
    this.#firstSentMs ??= atMs;
    const sent = { atMs, after: this.#newest, acknowledgedIn: Number.POSITIVE_INFINITY };
    this.#sent[level].set(number, sent);
    if (level !== 'data') return;
    this.#firstDataMs ??= atMs;
    if (!this.#answered) this.#early = true;
    this.#carried.push(...this.#framed.map((written) => ({ written, sent })));
    this.#framed = [];
  }

  #acknowledged(atMs: number, event: Logged): void {
    const { level, number } = this.#packet ?? { level: 'data', number: Number.POSITIVE_INFINITY };
    const [from, to] = [countOf(event, 'smallest_observed'), countOf(event, 'largest_observed')];
    const missing = new Set(event.params.missing_packets as readonly number[] | undefined);
    for (let packet = to; packet >= from; packet--) {
      const sent = this.#sent[level].get(packet);
      if (sent === undefined || missing.has(packet) || Number.isFinite(sent.acknowledgedIn)) continue;
      sent.acknowledgedIn = level === 'data' ? number : 0;
      // Others may have waited for this acknowledgement.
      if (packet === to) this.#rttMs = Math.min(this.#rttMs, atMs - sent.atMs);
    }
  }

  /** A repetition of the last signal for a response is the same signal. */
  #signal(atMs: number, stream: number, value: string): Signal {
    const last = this.#signals.findLast((signal) => signal.stream === stream);
    if (last?.value === value) return last;
    const signal = { atMs, stream, value, knownFrom: Number.POSITIVE_INFINITY };
    this.#signals.push(signal);
    return signal;
  }

  #dataPacket(type: string): number {
    if (this.#packet?.level === 'data') return this.#packet.number;
    throw new UnknownShape(`${type} belongs to no packet after the handshake.`);
  }
}

function levelSent(event: Logged): Level {
  const level = textOf(event, 'encryption_level');
  switch (level) {
    case 'ENCRYPTION_INITIAL':
      return 'initial';
    case 'ENCRYPTION_HANDSHAKE':
      return 'handshake';
    case 'ENCRYPTION_ZERO_RTT':
    case 'ENCRYPTION_FORWARD_SECURE':
      return 'data';
    default:
      throw new UnknownShape(`${event.type} has an encryption level ${level}.`);
  }
}

function levelReceived(event: Logged): Level {
  const [format, type] = [textOf(event, 'header_format'), event.params.long_header_type];
  if (format === 'IETF_QUIC_SHORT_HEADER_PACKET') return 'data';
  switch (type) {
    case 'INITIAL':
      return 'initial';
    case 'HANDSHAKE':
      return 'handshake';
    default:
      throw new UnknownShape(`${event.type} has a header ${format} ${type}.`);
  }
}
