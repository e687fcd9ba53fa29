// Runners with a link, killed at many moments of their start.
import { after, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { asBefore, backends, killRunners, onMachine, startRunner } from '../../killed-links.ts';

after(killRunners);

/** From before the first namespace to well into the work; most while it starts one process after the other. */
const killedAfterMs = [180, 220, 260, 300, 350, 400, 500, 800, 1_400, 2_500];

for (const backend of backends) {
  test(
    `ten runners with the link ${backend}, each killed at some moment, leave nothing behind once the next has started`,
    proves('link'),
    async () => {
      const before = onMachine();
      for (const afterMs of killedAfterMs) {
        const killed = startRunner(backend);
        await new Promise((resolve) => setTimeout(resolve, afterMs));
        await killed.kill();
      }
      const next = startRunner(backend);
      await next.works();
      await next.stop();
      await asBefore(before);
    },
  );
}
