import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition, LinkCheck } from '@pronghorn/core/schemas';
import { LinkOutOfTolerance, Preparation, type Provable } from './prepare.ts';

const condition = (name: string): Condition => ({ name, up: {}, down: {} });

/** A link whose checks find the given faults, in order; then none. */
function scriptedLink(faults: string[][]) {
  const done: string[] = [];
  const check = (kind: string) => async (asked: Condition) => {
    done.push(`${kind} ${asked.name}`);
    return { faults: faults.shift() ?? [], backend: 'guest', kernel: '7.2' } as unknown as LinkCheck;
  };
  const link: Provable = {
    apply: async ({ name }) => void done.push(`apply ${name}`),
    checkFully: check('full'),
    checkRtt: check('rtt'),
    rebuild: async () => void done.push('rebuild'),
  };
  return { link, done };
}

const reports = () => {
  const reported: LinkCheck[] = [];
  return { reported, report: async (check: LinkCheck) => void reported.push(check) };
};

test('the first round of a condition pays for a full check, later ones for round trips', async () => {
  const { link, done } = scriptedLink([]);
  const preparation = new Preparation(link);
  for (const name of ['a', 'a', 'b', 'a']) await preparation.prepare(condition(name), async () => {});
  assert.deepEqual(done, ['apply a', 'full a', 'rtt a', 'apply b', 'full b', 'apply a', 'rtt a']);
});

test('a proof is good for an hour: then the next round of the condition pays for a full check again', async () => {
  const { link, done } = scriptedLink([]);
  let now = 0;
  const preparation = new Preparation(link, () => now);
  for (now of [0, 3_599_999, 3_600_000, 7_199_999]) await preparation.prepare(condition('a'), async () => {});
  assert.deepEqual(done, ['apply a', 'full a', 'rtt a', 'full a', 'rtt a']);
});

test('round trips that drift lead to a full check, which decides', async () => {
  const { link, done } = scriptedLink([[], ['RTT']]);
  const preparation = new Preparation(link);
  const { reported, report } = reports();
  await preparation.prepare(condition('a'), report);
  await preparation.prepare(condition('a'), report);
  assert.deepEqual(done, ['apply a', 'full a', 'rtt a', 'full a']);
  assert.deepEqual(
    reported.map(({ faults }) => faults.length),
    [0, 1, 0],
  );
});

test('a link out of tolerance is rebuilt, and its proofs no longer count', async () => {
  const { link, done } = scriptedLink([[], ['loss']]);
  const preparation = new Preparation(link);
  for (const name of ['a', 'b', 'a']) await preparation.prepare(condition(name), async () => {});
  assert.deepEqual(done, ['apply a', 'full a', 'apply b', 'full b', 'rebuild', 'apply b', 'full b', 'apply a', 'full a']);
});

test('after three links out of tolerance it ends with the reason', async () => {
  const { link, done } = scriptedLink([['rate 3 Mbit/s'], ['rate 3 Mbit/s'], ['rate 4 Mbit/s']]);
  const { reported, report } = reports();
  await assert.rejects(
    new Preparation(link).prepare(condition('a'), report),
    (error: Error) => error instanceof LinkOutOfTolerance && /condition a.*rate 4 Mbit\/s/.test(error.message),
  );
  assert.equal(done.filter((what) => what === 'rebuild').length, 2);
  assert.equal(reported.length, 3);
});

test('a condition that could not be put on is put on again', async () => {
  const { link, done } = scriptedLink([]);
  let failures = 1;
  const preparation = new Preparation({
    ...link,
    apply: async (asked) => {
      if (failures-- > 0) throw new Error('tc');
      await link.apply(asked);
    },
  });
  await assert.rejects(
    preparation.prepare(condition('a'), async () => {}),
    /tc/,
  );
  await preparation.prepare(condition('a'), async () => {});
  assert.deepEqual(done, ['apply a', 'full a']);
});
