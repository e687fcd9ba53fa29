// From nothing to a first result: build of all images without a cache, their sizes, the start until all is healthy, the first visits, and
// a campaign of two runners. On an engine that has the base images and nothing else it is what a newcomer waits for.
// Usage: node bench/containers/clean.ts [--cached]

import { docker } from '../../docker/e2e/engine.ts';
import type { Campaign, Comparison, RunnersWork } from '../../packages/core/src/schemas/index.ts';
import { images, Stack, shop, within } from './stack.ts';

const parts = ['api', 'runner', 'origin', 'gateway'];
const seconds = (since: number) => ((performance.now() - since) / 1_000).toFixed(1);
const campaign = { sites: [{ url: shop }], protocols: ['h2', 'h3'], limits: { foreignCpuShare: 1 } };

await using stack = await Stack.down();
const cached = process.argv.includes('--cached');
const build = performance.now();
await stack.compose('--profile', 'gateway', 'build', '--quiet', ...(cached ? [] : ['--no-cache']));
console.log(`build of ${parts.join(', ')}${cached ? ', with what is cached' : ', without cache'}: ${seconds(build)} s`);
for (const part of parts) {
  const { stdout } = await docker(['image', 'inspect', '--format', '{{.Size}}', `${images}/${part}:dev`]);
  console.log(`  ${part}: ${(Number(stdout) / 1e6).toFixed(0)} MB`);
}

const up = performance.now();
const healthy = stack.compose('up', '--detach', '--wait', '--wait-timeout', '180').then(() => seconds(up));
let why: unknown;
const signedIn = () =>
  stack.signIn().then(
    () => true,
    (error: unknown) => {
      why = error;
      return false;
    },
  );
if (!(await within(180_000, signedIn))) throw new Error('The service did not answer within 180 s.', { cause: why });
console.log(`up until the service answers and an administrator has a token: ${seconds(up)} s`);
const { id } = await stack.outside.ask<Campaign>('POST', '/campaigns', { ...campaign, conditions: ['native'], rounds: 6 });
const must = async (until: 'round' | 'done') => {
  if ((await stack.outside.waitFor(until, id, 180_000)) === null) throw new Error('The campaign took more than 180 s.');
};
await must('round');
console.log(`up until the first round is complete, so that its visits count: ${seconds(up)} s`);
await must('done');
const comparisons = await stack.outside.all<Comparison>(`/campaigns/${id}/comparisons`);
const verdict = comparisons.find(({ metric }) => metric === 'onLoad')?.verdict;
console.log(`up until the first result, of 6 rounds: ${seconds(up)} s (onLoad: ${verdict?.outcome})`);
console.log(`up until all are healthy: ${await healthy} s`);

await stack.compose('up', '--detach', '--wait', '--scale', 'runner=2');
const began = performance.now();
const { visits } = await stack.campaign({ ...campaign, conditions: ['native', 'latency-50'], rounds: 6 });
console.log(`\nTwo runners, h2 and h3, native and latency-50, 6 rounds each: ${seconds(began)} s`);
for (const condition of ['native', 'latency-50']) {
  for (const protocol of ['h2', 'h3']) {
    const found = visits.filter((visit) => visit.condition === condition && visit.protocol === protocol);
    console.log(`  ${condition}, ${protocol}: ${found.filter(({ counted }) => counted).length} of ${found.length} visits count`);
  }
}
const { runners } = await stack.outside.ask<RunnersWork>('GET', '/runners/work');
console.log(`  rounds by each runner: ${runners.map(({ roundsDone }) => roundsDone).join(' and ')}`);
const { stdout } = await stack.compose('ps', '--format', '{{.Service}}: {{.Health}}');
console.log(`  ${stdout.trim().split('\n').join('; ')}`);
