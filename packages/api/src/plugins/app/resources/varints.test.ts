import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '@pronghorn/core/math';
import { VarintReader, VarintWriter } from './varints.ts';

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
