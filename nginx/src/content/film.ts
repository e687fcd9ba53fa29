// The hero film: four seconds of hills, recorded from a canvas by Chrome (VP8 in WebM, sites/web/hero.webm), repeated until it has the
// size that such films have.
import { readFile } from 'node:fs/promises';

interface Element {
  id: number;
  start: number;
  from: number;
  to: number;
}

const ids = { segment: 0x18538067, info: 0x1549a966, tracks: 0x1654ae6b, cluster: 0x1f43b675, timecode: 0xe7, duration: 0x4489 } as const;
/** A segment of unknown length, as live recorders write it: the demuxer reads on to the end. */
const unknownLength = Buffer.from('01ffffffffffffff', 'hex');

/** @returns WebM of at least `sizeBytes` */
export async function film(sizeBytes: number): Promise<Buffer> {
  return stretch(await readFile(new URL('../../sites/web/hero.webm', import.meta.url)), sizeBytes);
}

/** Repeats the one cluster of a WebM file at later and later times. It leaves out indexes: they would be wrong, and no page seeks. */
function stretch(webm: Buffer, sizeBytes: number): Buffer {
  const [segment] = childrenOf(webm, 0, webm.length).filter(({ id }) => id === ids.segment);
  if (!segment) throw new Error('hero.webm has no segment: record it again as WebM');
  const children = childrenOf(webm, segment.from, segment.to);
  const only = (id: number): Element => {
    const matches = children.filter((element) => element.id === id);
    if (matches.length !== 1) throw new Error(`hero.webm has ${matches.length} elements ${id.toString(16)}, expected one: record it again`);
    return matches[0] as Element;
  };
  const [info, tracks, cluster] = [only(ids.info), only(ids.tracks), only(ids.cluster)];
  const duration = childrenOf(webm, info.from, info.to).find(({ id }) => id === ids.duration) as Element;
  const clusterMs = Math.ceil(duration.to - duration.from === 4 ? webm.readFloatBE(duration.from) : webm.readDoubleBE(duration.from));
  const frames = childrenOf(webm, cluster.from, cluster.to).filter(({ id }) => id !== ids.timecode);
  const blocks = webm.subarray(frames[0]?.start, cluster.to);
  const times = Math.ceil(sizeBytes / blocks.length);
  const head = Buffer.from(webm.subarray(info.start, info.from));
  const facts = Buffer.from(webm.subarray(info.from, info.to));
  if (duration.to - duration.from === 4) facts.writeFloatBE(times * clusterMs, duration.from - info.from);
  else facts.writeDoubleBE(times * clusterMs, duration.from - info.from);
  return Buffer.concat([
    webm.subarray(0, segment.start + 4),
    unknownLength,
    ...[head, facts, webm.subarray(tracks.start, tracks.to)],
    ...Array.from({ length: times }, (_, n) => clusterAt(n * clusterMs, blocks)),
  ]);
}

function clusterAt(ms: number, blocks: Buffer): Buffer {
  const timecode = Buffer.alloc(6);
  timecode.writeUInt16BE(0xe784); // a Timecode of four bytes
  timecode.writeUInt32BE(ms, 2);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(ids.cluster);
  head.writeUInt32BE(0x10000000 | (timecode.length + blocks.length), 4);
  return Buffer.concat([head, timecode, blocks]);
}

/** The elements between two places: an id and a length of variable size each (RFC 8794 §4). */
function childrenOf(bytes: Buffer, from: number, to: number): Element[] {
  const elements: Element[] = [];
  for (let start = from; start < to; ) {
    const idLength = widthOf(bytes[start] as number);
    const lengthAt = start + idLength;
    const width = widthOf(bytes[lengthAt] as number);
    const length = Number(BigInt(`0x${bytes.subarray(lengthAt, lengthAt + width).toString('hex')}`) & ((1n << BigInt(7 * width)) - 1n));
    const content = lengthAt + width;
    elements.push({ id: bytes.readUIntBE(start, idLength), start, from: content, to: content + length });
    start = content + length;
  }
  return elements;
}

/** Bytes of a number: one more than the zero bits before its first one bit. */
const widthOf = (first: number) => Math.clz32(first) - 23;
