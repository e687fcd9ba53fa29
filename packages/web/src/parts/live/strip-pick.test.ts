import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LiveVisit } from './live-campaign.ts';
import { type Dot, nearest, stepped, stripRows } from './strip.ts';

const conditions = [{ name: 'native', up: {}, down: {} }];
const { rows } = stripRows({ conditions, views: ['cold'], protocols: ['h2', 'h3'] });
const dot = (id: string, slot: number, x: number, isInvalid = false): Dot => ({
  ...{ x, y: slot + 0.5, isInvalid },
  visit: { id, condition: 'native', view: 'cold', slot } as LiveVisit,
});
const dots = [dot('slow', 0, 500), dot('quick', 0, 300), dot('failed', 0, 0.5, true), dot('other', 1, 480), dot('another', 1, 100)];
const name = (dot: Dot | null) => dot?.visit.id ?? null;

test('the nearest dot within reach is meant', () => {
  const placeOf = ({ x, y }: Dot) => ({ x: x / 10, y: y * 10 });
  assert.equal(name(nearest(dots, { x: 49, y: 6 }, 9, placeOf)), 'slow');
  assert.equal(nearest(dots, { x: 40, y: 6 }, 9, placeOf), null);
});

test('arrow keys go along a row by value, with what is invalid at its end, and from row to row', () => {
  const step = (key: string, from: string | null) => name(stepped(key, dots.find(({ visit }) => visit.id === from) ?? null, dots, rows));
  assert.deepEqual(
    [step('ArrowRight', null), step('ArrowRight', 'quick'), step('ArrowRight', 'slow'), step('ArrowRight', 'failed')],
    ['quick', 'slow', 'failed', 'failed'],
  );
  assert.deepEqual([step('ArrowDown', 'slow'), step('ArrowUp', 'other'), step('ArrowUp', 'slow')], ['other', 'slow', 'slow']);
  assert.equal(step('Enter', 'slow'), null);
  assert.equal(stepped('ArrowRight', null, [], rows), null);
});
