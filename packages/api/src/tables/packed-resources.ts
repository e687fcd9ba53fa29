// All resources of a visit in one value: column after column, since what is alike stands together then, as differences, compressed. Why:
// docs/decisions/0008-resource-storage.md.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Resource } from '@pronghorn/core/schemas';

/**
 * How each field is stored: texts as ids of strings, times as whole microseconds, which is as fine as Chrome's clock. The order of the
 * columns is a part of the format.
 */
export const columns = {
  seq: 'number',
  url: 'text',
  host: 'text',
  method: 'text',
  type: 'text',
  initiatorType: 'text',
  initiatorUrl: 'text',
  linked: 'flag',
  protocol: 'text',
  connectionId: 'number',
  connectionReused: 'flag',
  remoteAddress: 'text',
  alternateProtocolUsage: 'text',
  startMs: 'time',
  queueingMs: 'phase',
  dnsMs: 'phase',
  connectMs: 'phase',
  tlsMs: 'part',
  sendMs: 'phase',
  waitMs: 'phase',
  receiveMs: 'phase',
  endMs: 'end',
  bodyBytes: 'size',
  transferBytes: 'wire',
  status: 'number',
  mimeType: 'text',
  priority: 'text',
  cache: 'text',
  server: 'text',
  altSvc: 'text',
  failure: 'text',
  blocked: 'text',
  encodedBodyBytes: 'wire',
  headerBytes: 'rest',
  headers: 'json',
} as const satisfies Record<keyof Resource, string>;

type Kind = (typeof columns)[keyof typeof columns];
const fields = Object.entries(columns) as [keyof Resource, Kind][];

/** With every field from the beginning: objects that grow field by field take four times as long to become JSON. */
const blank: Record<string, Resource[keyof Resource]> = JSON.parse(
  JSON.stringify(Object.fromEntries(fields.map(([field]) => [field, null]))),
);

/** Which format a value is in. */
const version = 1;

/**
 * @param resources in order.
 * @param idOf the id of a text in strings, which is made where there is none.
 * @returns a version byte, and what follows it deflated.
 */
export function packResources(resources: readonly Resource[], idOf: (text: string) => number): Buffer {
  const writer = new VarintWriter();
  writer.write(resources.length);
  for (const [field, kind] of fields) {
    let before = 0;
    for (const resource of resources) {
      const value = numberOf(resource[field], kind, idOf);
      writer.writeSigned(value === null ? null : value - expected(resource, kind, before));
      if (value !== null) before = value;
    }
  }
  return Buffer.concat([Buffer.of(version), deflateRawSync(writer.bytes())]);
}

/**
 * @param packed as `packResources` made it.
 * @param textOf the text of an id.
 * @throws Error when it is of an unknown version or damaged.
 */
export function unpackResources(packed: Uint8Array, textOf: (id: number) => string): Resource[] {
  const [format] = packed;
  if (format !== version) throw new Error(`resources are packed in format ${format}; this Pronghorn knows format ${version}`);
  const reader = new VarintReader(inflateRawSync(packed.subarray(1)));
  const resources = Array.from({ length: reader.read() }, () => ({ ...blank }));
  for (const [field, kind] of fields) {
    let before = 0;
    for (const resource of resources) {
      const stored = reader.readSigned();
      const value = stored === null ? null : stored + expected(resource as Resource, kind, before);
      resource[field] = value === null ? null : meant(value, kind, textOf);
      if (value !== null) before = value;
    }
  }
  return resources as Resource[];
}

/** Calls `use` with the id of each text that packed resources have, some more than once. */
export function eachTextOf(packed: Uint8Array, use: (id: number) => void): void {
  unpackResources(packed, (id) => {
    use(id);
    return 'null'; // which is JSON, too
  });
}

function numberOf(value: Resource[keyof Resource], kind: Kind, idOf: (text: string) => number): number | null {
  if (value === null || value === undefined) return null;
  switch (kind) {
    case 'text':
      return idOf(String(value));
    case 'json':
      return idOf(JSON.stringify(value));
    case 'time':
    case 'phase':
    case 'part':
    case 'end':
      return micros(Number(value));
    default:
      return Number(value);
  }
}

function meant(value: number, kind: Kind, textOf: (id: number) => string): Resource[keyof Resource] {
  switch (kind) {
    case 'text':
      return textOf(value);
    case 'json':
      return JSON.parse(textOf(value));
    case 'flag':
      return value === 1;
    case 'time':
    case 'phase':
    case 'part':
    case 'end':
      return value / 1000;
    default:
      return value;
  }
}

/** What a value is likely to be close to, from what was stored before it: the difference takes few bytes, most often none. */
function expected(resource: Resource, kind: Kind, before: number): number {
  switch (kind) {
    case 'phase':
    case 'size':
    case 'flag':
      return 0;
    case 'part': // TLS over QUIC takes the whole time of connecting
      return micros(resource.connectMs ?? 0);
    case 'end': {
      const { startMs, queueingMs, dnsMs, connectMs, sendMs, waitMs, receiveMs } = resource;
      return [startMs, queueingMs, dnsMs, connectMs, sendMs, waitMs, receiveMs].reduce<number>((sum, ms) => sum + micros(ms ?? 0), 0);
    }
    case 'wire': // a body that was not compressed, with or without headers
      return resource.bodyBytes ?? 0;
    case 'rest': // of what was transferred, but for frames
      return resource.transferBytes - (resource.encodedBodyBytes ?? resource.bodyBytes ?? 0);
    default:
      return before;
  }
}

const micros = (ms: number): number => Math.round(ms * 1000);

// Whole numbers in as few bytes as they need: seven bits in each, the lowest first, the eighth bit set on all but the last (LEB128).

/** Collects numbers; grows as they come. */
export class VarintWriter {
  #bytes = new Uint8Array(4096);
  #length = 0;

  /** @param value a whole number from 0 up to Number.MAX_SAFE_INTEGER. */
  write(value: number): void {
    if (this.#length + 8 > this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length++] = rest;
  }

  /** 0 for null; else any whole number within ±2^51, small ones of either sign in few bytes. */
  writeSigned(value: number | null): void {
    this.write(value === null ? 0 : (value < 0 ? -2 * value - 1 : 2 * value) + 1);
  }

  /** What was written so far. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

/** Reads what a VarintWriter wrote, in the same order. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #place = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** @throws RangeError at the end. */
  read(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#place++];
      if (byte === undefined) throw new RangeError(`the numbers end after ${this.#bytes.length} bytes, where one more was expected`);
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  readSigned(): number | null {
    const stored = this.read();
    if (stored === 0) return null;
    const zigzag = stored - 1;
    return zigzag % 2 === 1 ? -(zigzag + 1) / 2 : zigzag / 2;
  }
}
