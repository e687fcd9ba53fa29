import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { randomSource } from '@pronghorn/core/math';
import { Resource } from '@pronghorn/core/schemas';
import { Compile } from 'typebox/compile';
import { sampleResource } from '../../../testing/samples.ts';
import { packResources, unpackResources } from './packed-resources.ts';

/** Gives ids as the database would. */
function texts() {
  const known: string[] = ['unused'];
  return {
    idOf: (text: string) => (known.includes(text) ? known.indexOf(text) : known.push(text) - 1),
    textOf: (id: number) => known[id] ?? '',
  };
}

test('resources of every kind of content come back as they were, to the microsecond', () => {
  const random = randomSource(5);
  const check = Compile(Resource);
  const maybe = <T>(value: T): T | null => (random() < 0.3 ? null : value);
  const ms = (most: number) => Math.round(random() * most * 1000) / 1000;
  const resources = Array.from({ length: 500 }, (_, seq) =>
    sampleResource(seq, {
      url: `https://site.example/${Math.floor(random() * 1e9)}`,
      initiatorUrl: maybe('https://site.example/ü?é'),
      connectionId: maybe(Math.floor(random() * 1e15)),
      connectionReused: maybe(random() < 0.5),
      startMs: ms(1e9),
      queueingMs: maybe(ms(1e9)),
      dnsMs: maybe(ms(1e9)),
      connectMs: maybe(ms(1e9)),
      tlsMs: maybe(ms(1e9)),
      sendMs: maybe(ms(1e9)),
      waitMs: maybe(ms(1e9)),
      receiveMs: maybe(ms(1e9)),
      endMs: maybe(ms(1e9)),
      transferBytes: Math.floor(random() * 1e15),
      bodyBytes: maybe(Math.floor(random() * 1e15)),
      status: maybe(Math.floor(random() * 999)),
      server: maybe(''),
      blocked: maybe('csp'),
      headerBytes: maybe(Math.floor(random() * 1e15)),
      encodedBodyBytes: maybe(Math.floor(random() * 1e15)),
      headers: maybe(
        random() < 0.2 ? {} : { 'content-type': 'text/html; charset="ü"', 'content-length': String(Math.floor(random() * 1e9)) },
      ),
    }),
  );
  for (const resource of resources) assert.ok(check.Check(resource));
  const { idOf, textOf } = texts();
  assert.deepEqual(unpackResources(packResources(resources, idOf), textOf), resources);
});

test('a value in a format of the future is refused, and so is half a value', () => {
  const { idOf, textOf } = texts();
  const packed = packResources([sampleResource(0)], idOf);
  assert.throws(() => unpackResources(Buffer.concat([Buffer.of(9), packed.subarray(1)]), textOf), /format 9.*knows formats up to 3/);
  assert.throws(() => unpackResources(packed.subarray(0, 10), textOf));
});

test('values of older formats are read, and what these did not have is not known', () => {
  const { idOf, textOf } = texts();
  const unknown = { headerBytes: null, encodedBodyBytes: null, headers: null };
  const resources = [sampleResource(0, unknown), sampleResource(1, unknown)];
  const content = inflateRawSync(packResources(resources, idOf).subarray(1));
  // Columns stand one after the other, and null takes a byte: without those of the last ones it is what older formats were.
  for (const [format, columns] of [
    [1, 4],
    [2, 3],
  ] as const) {
    const old = Buffer.concat([Buffer.of(format), deflateRawSync(content.subarray(0, -columns * resources.length))]);
    assert.deepEqual(unpackResources(old, textOf), resources);
  }
});
