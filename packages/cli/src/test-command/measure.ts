// Loaded before a test file (`node --import`): when its process ends, it writes how long that took and how much CPU time, with that of the
// programs it started and waited for. Chrome's own processes are missing where Chrome was killed.
import { appendFileSync } from 'node:fs';
import { cpuSeconds } from './cpu-seconds.ts';

const { PRONGHORN_TEST_TIMES: times, NODE_TEST_CONTEXT: context } = process.env;
const [, file = ''] = process.argv;
if (times !== undefined && context?.startsWith('child') && file.includes('.test.')) {
  // What it starts measures nothing: only test files do.
  delete process.env.PRONGHORN_TEST_TIMES;
  process.on('exit', () => {
    appendFileSync(times, `${JSON.stringify({ batch: file, seconds: performance.now() / 1e3, cpuSeconds: cpuSeconds() })}\n`);
  });
}
