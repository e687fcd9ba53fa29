import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chart } from 'chart.js';
import { nextTick, ref } from 'vue';
import { usePicking } from './picking.ts';

/** Things are the whole numbers that are near. */
function numbers() {
  const opened: number[] = [];
  const shown: number[] = [];
  const of = ref('onLoad');
  const picking = usePicking<number>({
    chart: () => ({}) as Chart,
    of: () => of.value,
    thingAt: ({ x }, _chart, reach) => (Math.abs(x - Math.round(x)) * 100 <= reach ? Math.round(x) : null),
    next: (key, from) => (key === 'ArrowRight' ? (from ?? 0) + 1 : null),
    show: (thing) => shown.push(thing),
    opens: (thing) => opened.push(thing),
  });
  const press = (key: string) => {
    const event = { key, isPrevented: false, preventDefault: () => Object.assign(event, { isPrevented: true }) };
    picking.on.key(event as unknown as KeyboardEvent);
    return event.isPrevented;
  };
  return { ...picking, opened, shown, of, press };
}

test('a mouse picks what it points at and opens it by a click; a finger reaches further, and only picks', () => {
  const { on, picked, opened, open } = numbers();
  on.hover({ x: 3.05, y: 0 });
  assert.equal(picked.value, 3);
  on.hover({ x: 3.2, y: 0 });
  assert.equal(picked.value, null);
  on.pick({ x: 4.05, y: 0, pointer: 'mouse' });
  on.pick({ x: 5.2, y: 0, pointer: 'touch' });
  assert.deepEqual([picked.value, opened], [5, [4]]);
  open();
  assert.deepEqual(opened, [4, 5]);
  on.hover(null);
  open();
  assert.deepEqual([picked.value, opened], [null, [4, 5]]);
});

test('keys go on from what is picked and bring it into view; Enter opens it, Escape leaves it, others are the page’s', () => {
  const { press, picked, opened, shown } = numbers();
  assert.deepEqual([press('ArrowRight'), press('ArrowRight'), press('Tab'), press('Enter')], [true, true, false, false]);
  assert.deepEqual([picked.value, shown, opened], [2, [1, 2], [2]]);
  press('Escape');
  assert.equal(picked.value, null);
});

test('what was picked of one metric is not picked of another', async () => {
  const { on, picked, of } = numbers();
  on.hover({ x: 0, y: 0 });
  assert.equal(picked.value, 0);
  of.value = 'speedIndex';
  await nextTick();
  assert.equal(picked.value, null);
});
