// A killed runner leaves nothing of its link behind. At many moments: e2e/thorough/apart/link-killed.test.ts.
import { after, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { asBefore, backends, killRunners, onMachine, startRunner } from '../killed-links.ts';

const skip = backends.length === 0 ? 'needs root' : false;
after(killRunners);

test('of two runners with links of their own one is killed, and leaves nothing; the other goes on', {
  ...proves('link'),
  skip,
}, async () => {
  const before = onMachine();
  // The last has the most that may be left; the others do less work.
  const [least, most] = [backends[0], backends.at(-1)] as [string, string];
  const [one, other] = [startRunner(most), startRunner(least)];
  await Promise.all([one.works(), other.works()]);
  await one.kill();
  await other.works();
  await other.stop();
  // What no kernel takes down with its process, the next runner does.
  const next = startRunner(least);
  await next.works();
  await next.stop();
  await asBefore(before);
});
