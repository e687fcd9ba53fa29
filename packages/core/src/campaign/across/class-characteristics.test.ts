import assert from 'node:assert/strict';
import { test } from 'node:test';
import { characteristics } from '../../schemas/across.ts';
import { classCharacteristics, type PageCharacteristics } from './class-characteristics.ts';

const page = (given: Partial<PageCharacteristics> = {}): PageCharacteristics => ({
  connections: 1,
  hosts: 1,
  requests: 10,
  transferBytes: 1000,
  h3Share: 1,
  h3ByteShare: 1,
  largestConnectionShare: 1,
  ...given,
});

test('each class has the box of its own sites, in the unit of all sites’ deviation too', () => {
  const site = (delta: number, connections: number) => ({ delta, characteristics: page({ connections }) });
  const [below, within, above] = classCharacteristics([site(-0.5, 1), site(-0.2, 3), site(0, 6), site(0.5, 10)]);
  assert.deepEqual([below?.class, within?.class, above?.class], ['below', 'within', 'above']);
  assert.deepEqual([below?.sites, within?.sites, above?.sites], [2, 1, 1]);
  const box = below?.characteristics.connections;
  assert.deepEqual(box?.box, { whiskerLow: 1.2, lowerQuartile: 1.5, median: 2, upperQuartile: 2.5, whiskerHigh: 2.8 });
  // All four have mean 5 and squared deviations 16 + 4 + 1 + 25 = 46, of n − 1 = 3.
  assert.ok(Math.abs((box?.standardised?.median ?? 0) - (2 - 5) / Math.sqrt(46 / 3)) < 1e-15);
  assert.ok(Math.abs((above?.characteristics.connections?.standardised?.median ?? 0) - 5 / Math.sqrt(46 / 3)) < 1e-15);
});

test('what does not vary has no unit of variance', () => {
  const [, within] = classCharacteristics([
    { delta: 0, characteristics: page({ hosts: 2 }) },
    { delta: 0.05, characteristics: page({ hosts: 4 }) },
  ]);
  assert.equal(within?.characteristics.connections?.standardised, null);
  assert.equal(within?.characteristics.hosts?.standardised?.median, 0);
  const [, alone] = classCharacteristics([{ delta: 0, characteristics: page() }]);
  assert.equal(alone?.characteristics.hosts?.standardised, null);
});

test('sites without a Delta or without visits over h3 are left out, and an empty class has no numbers', () => {
  const classes = classCharacteristics([
    { delta: null, characteristics: page() },
    { delta: 0.4, characteristics: null },
    { delta: 0.4, characteristics: page() },
  ]);
  assert.deepEqual(
    classes.map(({ sites, characteristics: found }) => [sites, Object.keys(found)]),
    [
      [0, []],
      [0, []],
      [1, characteristics],
    ],
  );
});
