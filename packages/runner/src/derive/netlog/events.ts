// A finding, or the reason for its absence: an unknown event accuses no server.
import type { Finding } from '@pronghorn/core/schemas';
import type { Netlog, NetlogEvent } from '../../gather/netlog.ts';

export interface Logged {
  /** Milliseconds since the log began. */
  atMs: number;
  source: number;
  type: string;
  phase: NetlogEvent[3];
  params: NonNullable<NetlogEvent[4]>;
}

export function readEvents({ events }: Netlog): Logged[] {
  let atUs = 0;
  return events.map(([sinceUs, source, type, phase, params = {}]) => {
    atUs += sinceUs;
    return { atMs: atUs / 1_000, source, type, phase, params };
  });
}

/** The log has an event or a form that this code doesn't know. */
export class UnknownShape extends Error {}

/** @returns what is derived; unknown where that meets an event or a shape that is not known */
export function finding<T>(derive: () => T): Finding<T> {
  try {
    return { found: derive() };
  } catch (error) {
    if (error instanceof UnknownShape) return { unknown: error.message };
    throw error;
  }
}

/** @throws UnknownShape where the parameter is missing or no whole number from 0 on */
export function countOf({ type, params }: Logged, name: string): number {
  const value = Number(params[name] ?? Number.NaN);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new UnknownShape(`${type} has ${JSON.stringify(params[name])} as ${name}; expected a count.`);
}

/** @throws UnknownShape where the parameter is missing or no text */
export function textOf({ type, params }: Logged, name: string): string {
  const value = params[name];
  if (typeof value === 'string') return value;
  throw new UnknownShape(`${type} has ${JSON.stringify(value)} as ${name}; expected a text.`);
}
