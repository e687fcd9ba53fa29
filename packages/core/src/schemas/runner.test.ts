import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareVersions } from './runner.ts';

test('versions are in the order of semantic versioning', () => {
  const ascending = [
    '0.9.10',
    '0.10.0',
    '1.0.0-beta.2',
    '1.0.0-rc.1',
    '1.0.0-rc.2',
    '1.0.0-rc.10',
    '1.0.0',
    '1.0.1-rc.1',
    '1.0.1',
    '10.0.0',
  ];
  const places = ascending.map((one) => ascending.map((other) => Math.sign(compareVersions(one, other))));
  assert.deepEqual(
    places,
    ascending.map((_, i) => ascending.map((_, j) => Math.sign(i - j))),
  );
  assert.equal(compareVersions('1.0.0+build.7', '1.0.0'), 0);
});
