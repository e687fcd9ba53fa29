import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '@pronghorn/core/math';
import { Resource } from '@pronghorn/core/schemas';
import { Compile } from 'typebox/compile';
import { sampleResource } from '../testing/samples.ts';
import { packResources, unpackResources, VarintReader, VarintWriter } from './packed-resources.ts';

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
  assert.throws(() => unpackResources(Buffer.concat([Buffer.of(9), packed.subarray(1)]), textOf), /format 9.*knows format 1/);
  assert.throws(() => unpackResources(packed.subarray(0, 10), textOf));
});

test('every whole number and null comes back as it was written, whatever its size and sign', () => {
  const random = randomSource(3);
  const edges = [0, 1, -1, 63, -63, 64, -64, 127, 128, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 51 - 1, -(2 ** 51) + 1];
  const numbers = [null, ...edges, ...Array.from({ length: 5000 }, () => Math.round((random() - 0.5) * 2 ** (random() * 51)))];
  const writer = new VarintWriter();
  for (const number of numbers) writer.writeSigned(number);
  const reader = new VarintReader(writer.bytes());
  assert.deepEqual(
    numbers.map(() => reader.readSigned()),
    numbers.map((number) => (number === null ? null : number + 0)),
  );
  assert.throws(() => reader.read(), /the numbers end after \d+ bytes/);
});

test('a small number takes one byte, of either sign', () => {
  for (const number of [null, 0, 1, -1, 63, -62]) {
    const writer = new VarintWriter();
    writer.writeSigned(number);
    assert.equal(writer.bytes().length, 1, String(number));
  }
});
