import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distributionOf } from '@pronghorn/core/campaign';
import { rowPlace, slotCount, spreadRows, spreadTable, stepped } from './rows.ts';

const slot = (protocol: 'h2' | 'h3', values: number[]) => ({
  protocol,
  values: values.map((value, i) => ({ value, visitId: `${protocol}-${i}` })),
  distribution: values.length === 0 ? null : distributionOf(values),
});
const groups = [
  { label: 'native', slots: [slot('h2', [450, 430, 470]), slot('h3', [])] },
  { label: '4g', slots: [slot('h2', [900, 940]), slot('h3', [800, 810, 990])] },
];

test('rows fill the plot from the top without touching', () => {
  const counts = { groups: 2, slots: slotCount(groups) };
  const places = spreadRows(groups, 'violin', 'linear').map((row) => rowPlace(row, counts, { top: 10, bottom: 210 }));
  assert.ok(places[0] && places[0].middle - places[0].half > 10);
  assert.ok(places[3] && places[3].middle + places[3].half < 210);
  places.slice(1).forEach(({ middle, half }, i) => {
    assert.ok(middle - half > (places[i]?.middle ?? 0) + (places[i]?.half ?? 0));
  });
});

test('keys go through the visits of a row by value, and past rows without visits', () => {
  const rows = spreadRows(groups, 'box', 'linear');
  assert.deepEqual(stepped('ArrowRight', null, rows), { row: 0, index: 1 });
  assert.deepEqual(stepped('End', { row: 0, index: 0 }, rows), { row: 0, index: 2 });
  assert.deepEqual(stepped('ArrowDown', { row: 0, index: 2 }, rows), { row: 2, index: 0 });
  assert.deepEqual(stepped('ArrowDown', { row: 2, index: 1 }, rows), { row: 3, index: 2 });
  assert.deepEqual(stepped('ArrowUp', { row: 0, index: 1 }, rows), { row: 0, index: 1 });
});

test('the table has the percentiles that the API gave, and says where there are none', () => {
  const { rows } = spreadTable(groups, 'ms');
  assert.deepEqual(rows[0], ['native', 'HTTP/2', 3, 434, 440, 450, 460, 466]);
  assert.deepEqual(rows[1], ['native', 'HTTP/3', 0, null, null, null, null, null]);
});
