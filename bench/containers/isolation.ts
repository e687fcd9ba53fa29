// Length and CPU time of visits in a Chrome or a container of their own, beside visits in a context: the demo's shop over h2 and h3.
// Takes 10 minutes, as root, where dockerd runs. node bench containers/isolation [ROUNDS, default 12] [--any-load]
import { cpus } from 'node:os';
import { documentedVisitCommand } from '../../docker/e2e/visit-command.ts';
import { median } from '../../packages/core/src/math/index.ts';
import type { CampaignRequest } from '../../packages/core/src/schemas/index.ts';
import { ratio } from '../shared/figures.ts';
import { openForwarding, startNativeRunner } from '../shared/native-runner.ts';
import { images, Stack, shop } from '../shared/stack.ts';

const rounds = Number(process.argv.slice(2).find((word) => !word.startsWith('--')) ?? 12);
if (!Number.isInteger(rounds) || rounds < 2) throw new Error('The number of rounds is expected as a whole number of 2 or more.');
if (process.getuid?.() !== 0) throw new Error('The runner makes network namespaces: start this as root.');
/** Permits a trial run on a busy machine; the times of such a run mean nothing. */
const limits = process.argv.includes('--any-load') ? { foreignCpuShare: 1 } : {};
const limitMs = 600_000;

await using stack = await Stack.up({ PRONGHORN_LOCATION: 'container' });
await using closing = new AsyncDisposableStack();
await openForwarding(stack, closing);
await startNativeRunner(stack, closing, ['--visit-command', documentedVisitCommand(stack.project, images)]);

console.log('| isolation | condition | visits | median visit, s | ÷ context | CPU time of the machine for each, s | ÷ context |');
console.log('| --- | --- | --: | --: | --: | --: | --: |');
for (const condition of ['native', 'latency-50']) {
  let context: { visit: number; cpu: number } | undefined;
  for (const isolation of ['context', 'process', 'container'] as const) {
    const wanted: CampaignRequest = {
      sites: [{ url: shop }],
      protocols: ['h2', 'h3'],
      conditions: [condition],
      rounds,
      limits,
      isolation,
      location: 'native',
    };
    const { id } = await stack.outside.ask('POST /campaigns', { body: wanted });
    // Discovery and the check of the link precede the first round.
    const before = await made('round', id);
    const after = await made('done', id);
    const each = (after.busySeconds - before.busySeconds) / (after.visits - before.visits);
    const seconds = (await stack.outside.visits(id))
      .filter(({ outcome }) => outcome.verdict === 'valid')
      .map(({ wallMs }) => wallMs / 1_000);
    const visit = median(seconds);
    context ??= { visit, cpu: each };
    const cells = [
      isolation,
      condition,
      seconds.length,
      visit.toFixed(1),
      ratio(visit, context.visit),
      each.toFixed(1),
      ratio(each, context.cpu),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}

/** How many visits were made until then, and what all cores had worked for them and beside them. */
async function made(until: 'round' | 'done', id: string): Promise<{ visits: number; busySeconds: number }> {
  const campaign = await stack.outside.waitFor(until, id, limitMs);
  const busy = busySeconds();
  if (campaign?.progress === undefined) throw new Error(`A campaign took more than ${limitMs / 60_000} minutes.`);
  return { visits: campaign.progress.visitsValid + campaign.progress.visitsInvalid, busySeconds: busy };
}

/** Of all cores, whatever worked. */
function busySeconds(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1_000;
}
