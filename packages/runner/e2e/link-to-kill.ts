// A runner's link in a separate process, for tests that kill it: opens the link named by its argument, then measures it for ever. Whether it is
// within its tolerance doesn't matter.
import { conditionNamed, needsShaping } from '@pronghorn/core/network';
import type { LinkChoice } from '../src/link/backends.ts';
import { openLink } from '../src/link/link.ts';

const choice = process.argv[2] as LinkChoice;
const condition = conditionNamed(choice === 'veth' ? 'native' : 'latency-50');
if (condition === undefined) throw new Error('There is no such preset.');
if (needsShaping(condition) === (choice === 'veth')) throw new Error(`The link ${choice} can't do ${condition.name}.`);

const link = await openLink({ choice, conditions: [condition], outside: false, origin: { addresses: ['10.115.2.11'], ports: [4433] } });
let stopping = false;
process.once('SIGTERM', () => {
  stopping = true;
});
while (!stopping) {
  const { faults } = await link.measure(condition, 'rtt');
  console.log(`measured ${faults.join('; ')}`);
}
await link.close();
