import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition, Shape } from '@pronghorn/core/schemas';
import { tcLines } from './tc.ts';

const devices = { up: 'far', down: 'near' };

function lines(up: Shape, down: Shape = {}, baseRttMs?: number): string[] {
  const condition: Condition = { name: 'tried', up, down, ...(baseRttMs === undefined ? {} : { baseRttMs }) };
  return tcLines(condition, devices);
}

/** The words of netem beyond its limit. */
function netem(shape: Shape): string | undefined {
  return /^qdisc add dev far root handle 1: netem limit \d+ (.*)$/.exec(lines(shape)[0] ?? '')?.[1];
}

test('native has no line at all, nor has a condition that asks for nothing', () => {
  assert.deepEqual(lines({}), []);
  assert.deepEqual(lines({ delayMs: 0, loss: { model: 'independent', share: 0 }, duplicateShare: 0, reorder: { share: 0 } }, {}, 0), []);
});

test('what the visit sends is shaped where it leaves to the far side, what it receives where it leaves to the near side', () => {
  const [up = '', down = '', ...more] = lines({ delayMs: 1 }, { delayMs: 2 });
  assert.match(up, /^qdisc add dev far root handle 1: netem .*delay 1000us$/);
  assert.match(down, /^qdisc add dev near root handle 1: netem .*delay 2000us$/);
  assert.deepEqual(more, []);
});

test('half of the base RTT is delay in each direction', () => {
  const [up = '', down = ''] = lines({ delayMs: 5 }, {}, 25);
  assert.match(up, /delay 17500us$/);
  assert.match(down, /delay 12500us$/);
});

test('a rate alone needs no netem, a rate with anything else is netem’s child', () => {
  assert.deepEqual(lines({ rateKbps: 1_000, queueBytes: 32_768 }), [
    'qdisc add dev far root handle 10: tbf rate 1000000bit burst 1764b limit 32768b',
  ]);
  const [root = '', child] = lines({ rateKbps: 1_000, queueBytes: 32_768, loss: { model: 'independent', share: 0.01 } });
  assert.match(root, /^qdisc add dev far root handle 1: netem limit \d+ loss random 1%$/);
  assert.equal(child, 'qdisc add dev far parent 1:1 handle 10: tbf rate 1000000bit burst 1764b limit 32768b');
});

test('a bottleneck without a given queue holds 100 ms at its rate, and 32 KB at least', () => {
  assert.match(lines({ rateKbps: 20_000 })[0] ?? '', / limit 250000b$/);
  assert.match(lines({ rateKbps: 100 })[0] ?? '', / limit 32768b$/);
});

test('tbf’s bucket holds a frame and two milliseconds of the rate', () => {
  assert.match(lines({ rateKbps: 100 })[0] ?? '', / rate 100000bit burst 1539b /);
  assert.match(lines({ rateKbps: 1_000_000 })[0] ?? '', / rate 1000000000bit burst 251514b /);
  assert.match(lines({ rateKbps: 0.5 })[0] ?? '', / rate 500bit burst 1515b /);
});

test('shares become percentages, however small, never with an exponent', () => {
  const share = (value: number) => netem({ loss: { model: 'independent', share: value } });
  assert.equal(share(0.02), 'loss random 2%');
  assert.equal(share(0.005), 'loss random 0.5%');
  assert.equal(share(0.07), 'loss random 7%');
  assert.equal(share(0.1), 'loss random 10%');
  assert.equal(share(1 / 3), 'loss random 33.33333333%');
  assert.equal(share(1e-9), 'loss random 0.0000001%');
});

test('bursts of loss are Gilbert–Elliott, by default all lost in the bad state and none in the good', () => {
  assert.equal(netem({ loss: { model: 'gilbert-elliott', p: 0.01, r: 0.3 } }), 'loss gemodel 1% 30% 100% 0%');
  assert.equal(
    netem({ loss: { model: 'gilbert-elliott', p: 0.01, r: 0.3, lossBad: 0.5, lossGood: 0.001 } }),
    'loss gemodel 1% 30% 50% 0.1%',
  );
});

test('jitter names its correlation, and its distribution where that is not uniform', () => {
  assert.equal(netem({ delayMs: 50, jitter: { ms: 10 } }), 'delay 50000us 10000us 0%');
  assert.equal(netem({ delayMs: 50, jitter: { ms: 10, distribution: 'uniform' } }), 'delay 50000us 10000us 0%');
  assert.equal(
    netem({ delayMs: 50, jitter: { ms: 2.5, correlation: 0.25, distribution: 'paretonormal' } }),
    'delay 50000us 2500us 25% distribution paretonormal',
  );
});

test('packets are reordered and duplicated beside a delay', () => {
  assert.equal(netem({ delayMs: 10, duplicateShare: 0.01, reorder: { share: 0.05 } }), 'delay 10000us duplicate 1% reorder 5% 0%');
});

test('netem never is the bottleneck: it holds a full gigabit’s packets for the longest delay, and the queue behind it', () => {
  const limit = (shape: Shape) => Number(/netem limit (\d+)/.exec(lines(shape)[0] ?? '')?.[1]);
  const gigabitPackets = (ms: number) => (1e9 / 8 / 1_514) * (ms / 1_000);
  assert.ok(limit({ delayMs: 100 }) > 5 * gigabitPackets(100));
  assert.ok(limit({ delayMs: 100, jitter: { ms: 50, distribution: 'normal' } }) > 5 * gigabitPackets(250));
  assert.ok(limit({ loss: { model: 'independent', share: 0.01 } }) >= 1_000);
  const queued = { delayMs: 1, rateKbps: 100, queueBytes: 1_000_000 };
  assert.ok(limit(queued) > limit({ delayMs: 1 }) + 1_000_000 / 61);
});
