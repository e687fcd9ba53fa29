import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './deadline.ts';

test('a deadline is never early, and other work goes on while it is near', async () => {
  const never = new AbortController().signal;
  for (const aheadMs of [0.4, 3.7, 12.3]) {
    const deadline = performance.now() + aheadMs;
    let turns = 0;
    const busy = setInterval(() => turns++, 1);
    await until(deadline, never);
    clearInterval(busy);
    assert.ok(performance.now() >= deadline);
    if (aheadMs > 3) assert.ok(turns > 0, 'the event loop went on turning');
  }
});

test('a deadline that has passed does not wait', async () => {
  const before = performance.now();
  await until(before - 1000, new AbortController().signal);
  assert.ok(performance.now() - before < 500);
});

test('whoever goes away is not waited for', async () => {
  const gone = new AbortController();
  const waiting = until(performance.now() + 60_000, gone.signal);
  gone.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
});
