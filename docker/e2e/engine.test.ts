// Tests clean up after those that were killed, and leave alone what is not theirs.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { proves } from '../../packages/core/src/testing/proves.ts';
import { docker, label, ownName, prefix, removeLeftovers } from './engine.ts';
import { reasonToSkip } from './passed.ts';

/** No process has ever been it. */
const nobody = '4194305-1';
const names = { left: `${prefix}${nobody}`, elsewhere: `pronghorn-test-00000000-${nobody}`, alive: ownName };

describe('what killed tests left on an engine', { ...proves('containers'), skip: await reasonToSkip(import.meta.filename) }, () => {
  before(async () => {
    for (const name of Object.values(names)) await docker(['volume', 'create', '--label', `${label}=${name}`, name]);
  });
  after(async () => {
    await docker(['volume', 'rm', '--force', ...Object.values(names)]);
  });

  it('is removed by the next ones, but for what tests of another machine or a running process have there', async () => {
    await removeLeftovers();
    const { stdout } = await docker(['volume', 'ls', '--quiet', '--filter', 'name=pronghorn-test-']);
    const kept = new Set(stdout.split('\n'));
    assert.deepEqual([kept.has(names.left), kept.has(names.elsewhere), kept.has(names.alive)], [false, true, true]);
  });
});
