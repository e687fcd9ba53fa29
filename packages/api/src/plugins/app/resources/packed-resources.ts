// All resources of a visit in one value: column after column, since what is alike stands together then, as differences, compressed. Why:
// docs/decisions/0008-resource-storage.md.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Resource } from '@pronghorn/core/schemas';
import { VarintReader, VarintWriter } from './varints.ts';

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

/** Which of the formats a value is in. */
const version = 3;
/** Fields that the first format did not have: null in what is stored in an older one. */
const since: Partial<Record<keyof Resource, number>> = { blocked: 2, headerBytes: 3, encodedBodyBytes: 3, headers: 3 };
const fieldsOf = (format: number): typeof fields => fields.filter(([field]) => (since[field] ?? 1) <= format);

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
  const [format = 0] = packed;
  if (format < 1 || format > version)
    throw new Error(`resources are packed in format ${format}; this Pronghorn knows formats up to ${version}`);
  const reader = new VarintReader(inflateRawSync(packed.subarray(1)));
  const resources = Array.from({ length: reader.read() }, () => ({ ...blank }));
  for (const [field, kind] of fieldsOf(format)) {
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
