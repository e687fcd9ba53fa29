// Requests of the runner to the two processes that measure a link, and their answers; Node's IPC carries them.

/** Times are CLOCK_MONOTONIC in nanoseconds, which is one clock for all namespaces of a machine. */
export interface Stamps {
  /** Numbers of packets, in the order of the times. */
  numbers: Uint32Array;
  ns: Float64Array;
}

export interface Departures {
  ns: Float64Array;
  /** Packets that the sender's own kernel refused, and its first reason. */
  refused: number;
  reason: string | null;
}

export interface Arrivals extends Stamps {
  /** Packets that reached this machine's socket and did not fit into its buffer; not the link's doing. */
  dropped: number;
}

export interface Pings {
  rttMs: Float64Array;
  /** Why a ping could not be sent. */
  reason: string | null;
}

export interface Bytes {
  ns: Float64Array;
  total: Float64Array;
}

export interface Target {
  from: string;
  to: string;
  port: number;
}

/** Every task by name. A task that opens a socket answers with its handle, and `close` ends it. */
export interface Tasks {
  /** Opens a UDP socket that stamps what comes with this mark (0…255), by which it knows strays of a measurement before. */
  'receive-udp': { asks: { address: string; mark: number; packets: number }; answers: { handle: number; port: number } };
  /** Waits for that many different packets, at the longest until a time or until none came for so long, and closes the socket. */
  'collect-udp': { asks: { handle: number; expected: number; untilNs: number; quietMs: number }; answers: Arrivals };
  /** Sends evenly spaced packets, within a time limit. */
  'send-udp': {
    asks: Target & { mark: number; packets: number; intervalUs: number; payloadBytes: number; forMs: number };
    answers: Departures;
  };
  /** Opens a UDP socket that sends back what comes, with its own two stamps. */
  'echo-udp': { asks: { address: string }; answers: { handle: number; port: number } };
  /** Waits for the echoes about as long as expected; when few came by then, until `timeoutMs` after the last ping. */
  'ping-udp': { asks: Target & { packets: number; intervalMs: number; expectedMs: number; timeoutMs: number }; answers: Pings };
  /** Listens for one TCP connection and counts what it brings. */
  'receive-tcp': { asks: { address: string }; answers: { handle: number; port: number } };
  /** Waits for the connection's end, until a time at the longest. */
  'collect-tcp': { asks: { handle: number; untilNs: number }; answers: Bytes };
  /** Connects and sends as fast as the connection takes it. */
  'send-tcp': { asks: Target & { forMs: number; connectMs: number }; answers: { connected: boolean } };
  close: { asks: { handle: number }; answers: null };
}

export type Task = keyof Tasks;

export type Request = { [K in Task]: { id: number; task: K; ask: Tasks[K]['asks'] } }[Task];

export type Reply = { id: number; answer: unknown } | { id: number; error: string };

/** A packet of a measurement begins with its mark (1 byte) and its number (3 bytes): the least that distinguishes packets. */
export const headerBytes = 4;
export const maxPackets = 2 ** 24;
