import assert from 'node:assert/strict';
import { test } from 'node:test';
import { truthPages } from '../hosts/truth.ts';
import { rememberedMs, renderTruthPage, until, Visits } from './truth-server.ts';

test('a page asks for each of its objects once, by the visit’s id, and shows nothing by itself', () => {
  for (const page of truthPages) {
    const html = renderTruthPage(page, 'the-id');
    const urls = [...html.matchAll(/\/visit\/the-id\/(\d+)/g)].map(([, number]) => Number(number));
    const asked = [...page.objects.entries()].flatMap(([number, { kind }]) => (kind === 'timer-band' ? [] : [number]));
    assert.deepEqual(urls, asked, page.name);
    assert.doesNotMatch(
      html.replace(/<title>.*<\/title>|<style>.*<\/style>|<script>.*<\/script>|<[^>]*>/gs, ''),
      /\S/,
      'no text that would paint',
    );
    assert.match(html, /<link rel="icon" href="data:,">/);
  }
});

test('a deadline is never early, and other work goes on while it is near', async () => {
  const never = new AbortController().signal;
  for (const aheadMs of [0.4, 3.7, 12.3]) {
    let turns = 0;
    // A process that the machine keeps waiting may find its deadline passed, and rightly does not wait then: there is another.
    for (let tries = 0; tries < 100 && turns === 0; tries++) {
      const deadline = performance.now() + aheadMs;
      const busy = setInterval(() => turns++, 1);
      await until(deadline, never);
      clearInterval(busy);
      assert.ok(performance.now() >= deadline);
    }
    if (aheadMs > 3) assert.ok(turns > 0, 'the event loop went on turning');
  }
});

test('a deadline that has passed does not wait', async () => {
  let hasTurned = false;
  setImmediate(() => {
    hasTurned = true;
  });
  await until(performance.now() - 1000, new AbortController().signal);
  assert.equal(hasTurned, false);
});

test('a client that disconnects ends the wait', async () => {
  const gone = new AbortController();
  const waiting = until(performance.now() + 60_000, gone.signal);
  gone.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
});

test('a visit is found by its id, and forgotten after a minute', () => {
  const visits = new Visits();
  const first = visits.start('steps', 0);
  assert.deepEqual(visits.find(first), { page: 'steps', arrivedMs: 0 });
  const second = visits.start('single', rememberedMs - 1);
  assert.ok(visits.find(first));
  visits.start('single', rememberedMs);
  assert.equal(visits.find(first), undefined);
  assert.ok(visits.find(second));
});

test('memory is bounded however many visits begin at once', () => {
  const visits = new Visits();
  for (let n = 0; n < 100_500; n++) visits.start('single', 0);
  assert.equal(visits.size, 100_000);
});
