// All resources of a visit in one value: column after column, since what is alike stands together then, as differences, compressed. Why:
// docs/decisions/0008-resource-storage.md.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Resource } from '@pronghorn/core';
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
  blocked: 'text', // since format 2
} as const satisfies Record<keyof Resource, string>;

type Kind = (typeof columns)[keyof typeof columns];
const fields = Object.entries(columns) as [keyof Resource, Kind][];

/** With every field from the beginning: objects that grow field by field take four times as long to become JSON. */
const blank: Record<string, string | number | boolean | null> = JSON.parse(
  JSON.stringify(Object.fromEntries(fields.map(([field]) => [field, null]))),
);

/** Which of the formats a value is in. Format 1 had no `blocked`. */
const version = 2;
const fieldsOf: Readonly<Record<number, typeof fields>> = { 1: fields.filter(([field]) => field !== 'blocked'), 2: fields };

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
  const columnsOfFormat = fieldsOf[packed[0] ?? 0];
  if (columnsOfFormat === undefined)
    throw new Error(`resources are packed in format ${packed[0]}; this Pronghorn knows formats up to ${version}`);
  const reader = new VarintReader(inflateRawSync(packed.subarray(1)));
  const resources = Array.from({ length: reader.read() }, () => ({ ...blank }));
  for (const [field, kind] of columnsOfFormat) {
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

function numberOf(value: Resource[keyof Resource], kind: Kind, idOf: (text: string) => number): number | null {
  if (value === null) return null;
  switch (kind) {
    case 'text':
      return idOf(String(value));
    case 'time':
    case 'phase':
    case 'part':
    case 'end':
      return micros(Number(value));
    default:
      return Number(value);
  }
}

function meant(value: number, kind: Kind, textOf: (id: number) => string): string | number | boolean {
  switch (kind) {
    case 'text':
      return textOf(value);
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
    case 'wire': // a body that was not compressed, and headers
      return resource.bodyBytes;
    default:
      return before;
  }
}

const micros = (ms: number): number => Math.round(ms * 1000);
