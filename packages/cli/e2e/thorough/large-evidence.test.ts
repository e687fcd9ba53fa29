// Evidence over the api's limit ends no command: `measure`, `demo`, `gate` and `resume` go on as a runner does.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { runAgent } from '@pronghorn/runner';
import { bulkyEngine } from '../../../runner/src/testing/stand-in-engine.ts';
import { openWorld } from '../service/world.ts';

test('a visit whose evidence the api refuses for its size counts, and the campaign goes on', proves('evidence'), async (t) => {
  const world = await openWorld(t);
  await world.startApiProcess();
  await world.submit(2, { protocols: ['h2'] });
  // Random bytes don't shrink: 66 MB when compressed, where 64 MiB are taken.
  const bulk = randomBytes(68_000_000).toString('base64');
  const warned: string[] = [];
  await runAgent({
    apiUrl: world.url,
    name: 'here',
    engine: bulkyEngine({ loadMs: 1, resources: 2 }, 2, bulk),
    link: { prepare: async () => null, clear: async () => {}, watch: () => async () => null },
    keepEvidence: true,
    events: { warned: (message) => warned.push(message) },
    signal: new AbortController().signal,
  });
  assert.equal(warned.length, 1, warned.join('\n'));
  assert.match(warned[0] ?? '', /evidence of a visit is dropped, \d+ MB compressed: .*413 .*expected at most 67108864/);
  assert.deepEqual(
    (await world.visits()).map(({ counted }) => counted),
    [true, true],
  );
  const kept = await Promise.all(
    (await world.visits()).map(async ({ id }) => (await fetch(`${world.url}/api/v1/visits/${id}/evidence`)).status),
  );
  assert.deepEqual(kept.sort(), [200, 404]);
});
