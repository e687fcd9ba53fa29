import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DeltaRow, deltaNumbers, deltaReach, deltaSentence, deltaTable, dotLook, layRows, place } from './rows.ts';

const row = (value: number | null, low: number | null = null, high: number | null = null): DeltaRow => ({
  label: 'native',
  value,
  low,
  high,
});

test('the axis reaches beyond the borders of the classes, however small the differences are', () => {
  assert.ok(deltaReach([row(0.01, 0, 0.02)], 0.1) >= 0.19);
  assert.ok(deltaReach([], 0.1) >= 0.19);
});

test('the axis holds every value of a few, and no more than can be', () => {
  assert.ok(deltaReach([row(0.62, 0.5, 0.7)], 0.1) >= 0.62);
  assert.equal(deltaReach([row(0.99, 0.9, 1)], 0.1), 1);
});

test('one site far away does not squeeze all others', () => {
  const rows = [...Array.from({ length: 50 }, (_, i) => row(0.05 - i / 500)), row(0.95)];
  assert.ok(deltaReach(rows, 0.1) < 0.3);
  assert.deepEqual(place(0.95, [-0.2, 0.2]), { at: 0.2, beyond: 'high' });
});

test('an interval that is far wider than the values ends in an arrow', () => {
  const reach = deltaReach([row(-0.03, -0.9, 0.8)], 0.1);
  assert.ok(reach < 0.3);
  assert.equal(place(-0.9, [-reach, reach]).beyond, 'low');
  assert.equal(place(-0.03, [-reach, reach]).beyond, null);
});

test('a group’s name stands above its first row alone', () => {
  const laid = layRows(
    [
      { ...row(0), group: 'a' },
      { ...row(0), group: 'a' },
      { ...row(0), group: 'b' },
    ],
    { top: 40, rowHeight: 30, groupHeight: 34 },
  );
  assert.deepEqual(
    laid.map(({ heading, from }) => [heading?.text ?? null, from]),
    [
      ['a', 74],
      [null, 104],
      ['b', 168],
    ],
  );
});

test('a row without an interval says so, a verdict decides the mark and is named', () => {
  assert.equal(deltaNumbers(row(-0.08)), '−8 % (too few rounds)');
  assert.equal(deltaNumbers(row(-0.08, -0.11, 0.02)), '−8 % (−11 to +2 %)');
  assert.equal(dotLook(row(-0.08)), 'open');
  assert.equal(dotLook({ outcome: 'not-shown-yet' }), 'open');
  assert.equal(dotLook({ outcome: 'h3-faster' }), 'h3-faster');
  assert.equal(deltaSentence(row(null)), 'native: no H3-Delta.');
  const sentence = deltaSentence({ ...row(-0.2, -0.3, -0.1), group: 'Shop', outcome: 'h3-faster' });
  assert.equal(sentence, 'Shop, native: H3-Delta −20 %, interval −30 to −10 %; verdict: HTTP/3 faster.');
});

test('the table has columns only for what the rows have', () => {
  assert.deepEqual(
    deltaTable([row(0.1)]).columns.map(({ name }) => name),
    ['row', 'H3-Delta', 'low', 'high'],
  );
  const full = deltaTable([
    { ...row(0.1), group: 'Shop', class: 'within', classIsSure: true, outcome: 'equivalent' },
    { ...row(0.1), class: 'above' },
  ]);
  assert.deepEqual(full.rows[0], ['Shop', 'native', 0.1, null, null, 'about the same', 'equivalent']);
  assert.equal(full.rows[1]?.[5], 'HTTP/2 lower, not sure');
});
