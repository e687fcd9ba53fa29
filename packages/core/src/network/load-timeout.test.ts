import assert from 'node:assert/strict';
import { test } from 'node:test';
import { autoLoadTimeoutMs } from './load-timeout.ts';
import { conditionNamed, presets } from './presets.ts';

const named = (name: string) => conditionNamed(name) ?? assert.fail(name);
const seconds = (name: string, bytes: number | null) => Math.round(autoLoadTimeoutMs(named(name), bytes) / 1_000);

test('the median home page has these limits under the presets, in seconds', () => {
  const table = Object.fromEntries(presets.map(({ name }) => [name, seconds(name, 2_600_000)]));
  assert.deepEqual(table, {
    ...{ native: 60, 'latency-50': 60, 'latency-100': 60, 'latency-200': 60, 'loss-1': 60, 'loss-2': 60, 'loss-5': 60 },
    ...{ 'bandwidth-5': 60, 'bandwidth-2': 60, 'bandwidth-1': 63, medium: 60, poor: 60, 'mobile-poor': 60 },
    ...{ 'mobile-poor-symmetric': 149, cable: 60, dsl: 60, '4g': 60, lte: 60, '3g': 60, '3g-fast': 60, '3g-slow': 173, satellite: 60 },
  });
});

test('a limit grows with the page up to ten minutes, and is a minute where the page is not known', () => {
  assert.deepEqual(
    [null, 1_000, 10_000_000, 100_000_000].map((bytes) => seconds('3g-slow', bytes)),
    [60, 60, 600, 600],
  );
  assert.equal(seconds('dsl', 10_000_000), 163);
});

test('loss counts where the data flows: what is lost upwards costs round trips', () => {
  const lossy = { delayMs: 100, loss: { model: 'independent', share: 0.1 } } as const;
  const [up, down] = [
    { name: 'up', up: lossy, down: {} },
    { name: 'down', up: {}, down: lossy },
  ];
  assert.equal(autoLoadTimeoutMs(up, 10_000_000), 60_000);
  assert.ok(autoLoadTimeoutMs(down, 10_000_000) > 600_000 / 2);
});
