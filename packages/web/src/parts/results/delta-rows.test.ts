import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DeltaSource, deltaRows, disagreements } from './delta-rows.ts';

const source = (condition: string, value: number | null, p: number | null = 0.001, view: 'cold' | 'warm' = 'cold'): DeltaSource => ({
  ...{ siteId: 's', condition, view, outcome: null, deltaClass: null, deltaClassIsSure: false, p },
  delta: value === null ? null : { value, low: value - 0.05, high: value + 0.05 },
});
const conditions = (sources: readonly DeltaSource[]) => sources.map(({ condition }) => condition);

test('metrics disagree where both differ by more than chance, to opposite sides', () => {
  const onLoad = [source('opposite', 0.18), source('same', 0.1), source('noise', 0.1), source('none', 0.1), source('tiny', 0.004)];
  const speedIndex = [
    source('opposite', -0.18),
    source('same', 0.2),
    source('noise', -0.1, 0.4),
    source('none', null),
    source('tiny', -0.2),
  ];
  assert.deepEqual(conditions(disagreements(onLoad, speedIndex)), ['opposite']);
  assert.deepEqual(disagreements(onLoad, []), []);
});

test('rows of one view stand together, in their order', () => {
  const rows = deltaRows([source('a', 0.1), source('a', 0.2, 1, 'warm'), source('b', 0.3), source('b', null, null, 'warm')], {
    labelOf: ({ condition }) => condition,
    groupOf: ({ view }) => view,
    hrefOf: ({ condition, view }) => `#${condition}-${view}`,
  });
  assert.deepEqual(
    rows.map(({ group, label, value, href }) => [group, label, value, href]),
    [
      ['cold', 'a', 0.1, '#a-cold'],
      ['cold', 'b', 0.3, '#b-cold'],
      ['warm', 'a', 0.2, '#a-warm'],
      ['warm', 'b', null, '#b-warm'],
    ],
  );
});
