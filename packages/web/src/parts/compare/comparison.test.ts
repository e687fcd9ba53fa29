import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CellComparison, LeadChange, ProtocolChange } from '@pronghorn/core/schemas';
import { intervalText, leadAnswer, leadsOf, medianRange, medianWords, setupWords, sizeWords } from './comparison.ts';

test('a difference is said in the metric’s unit and per cent; without a ratio in its unit alone', () => {
  const change = { difference: { value: -96, low: -120, high: -70 }, shift: { value: -0.09, low: -0.112, high: -0.08 } };
  assert.deepEqual([sizeWords(change, 'ms'), intervalText(change, 'ms')], ['−96 ms (−9 %)', '−11 % to −8 %']);
  assert.deepEqual(
    [sizeWords({ ...change, shift: null }, 'ms'), intervalText({ ...change, shift: null }, 'ms')],
    ['−96 ms', '−120 to −70 ms'],
  );
  assert.deepEqual([sizeWords({ difference: null, shift: null }, 'ms'), intervalText({ difference: null, shift: null }, 'ms')], ['–', '']);
});

test('the axis begins at 0 unless that takes half of its room', () => {
  const cells = (...medians: number[]) =>
    [{ protocols: medians.map((median) => ({ baseline: { median }, campaign: null })) }] as unknown as CellComparison[];
  assert.equal(medianRange(cells(400, 1400))?.[0], 0);
  assert.ok((medianRange(cells(900, 1000))?.[0] ?? 0) > 800);
  assert.equal(medianRange([]), null);
});

test('a campaign’s medians are set side by side, and no winner is named from them; H3-Delta is a share of the higher one', () => {
  assert.equal(medianWords({ value: -0.25, low: -0.3, high: -0.2 }), 'HTTP/3’s median 25 % lower');
  assert.equal(medianWords({ value: 0.1, low: 0.05, high: 0.2 }), 'HTTP/2’s median 10 % lower');
  assert.equal(medianWords({ value: -0.05, low: -0.1, high: 0.01 }), 'HTTP/3’s median 5 % lower, unclear');
  assert.equal(medianWords({ value: 0.1, low: null, high: null }), 'HTTP/2’s median 10 % lower, unclear');
  assert.equal(medianWords({ value: 0, low: 0, high: 0 }), 'equal medians');
  assert.equal(medianWords(null), 'not measured');
});

test('changes of the lead are counted in words, and clear ones come first', () => {
  assert.equal(leadAnswer({ lower: 3, higher: 1, undecided: 4 }), 'HTTP/3 gained on HTTP/2 in 3 of 8 and lost ground to HTTP/2 in 1 of 8.');
  assert.equal(leadAnswer({ lower: 2, higher: 0, undecided: 0 }), 'HTTP/3 gained on HTTP/2 everywhere.');
  assert.equal(leadAnswer({ lower: 0, higher: 0, undecided: 4 }), 'The difference between HTTP/3 and HTTP/2 has not clearly changed.');
  const cell = (condition: string, outcome: ProtocolChange['outcome'] | null) =>
    ({ condition, lead: outcome === null ? null : ({ outcome } as LeadChange) }) as CellComparison;
  assert.deepEqual(
    leadsOf([cell('1', 'undecided'), cell('2', null), cell('3', 'higher')]).map(({ cell: { condition } }) => condition),
    ['3', '1'],
  );
});

test('one line says whether the setups differ, and what may explain a difference', () => {
  assert.equal(setupWords([]), 'Same settings in both');
  assert.equal(setupWords([{ what: 'rounds', consequence: 'precision' }]), 'Same settings, except rounds');
  assert.equal(
    setupWords([
      { what: 'sites', consequence: 'left-out' },
      { what: 'browser', consequence: 'confounded' },
    ]),
    'Different browser: this alone may explain the numbers',
  );
});
