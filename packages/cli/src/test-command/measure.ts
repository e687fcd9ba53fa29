// Loaded before a test file (`node --import`): when its process ends, it writes how long that took and how much CPU time, with that of the
// programs it started and waited for. Chrome's own processes are missing where Chrome was killed.
import { appendFileSync, readFileSync } from 'node:fs';

const { PRONGHORN_TEST_TIMES: times, NODE_TEST_CONTEXT: context } = process.env;
const [, file = ''] = process.argv;
if (times !== undefined && context?.startsWith('child') && file.includes('.test.')) {
  // What it starts measures nothing: only test files do.
  delete process.env.PRONGHORN_TEST_TIMES;
  process.on('exit', () => {
    appendFileSync(times, `${JSON.stringify({ batch: file, seconds: performance.now() / 1e3, cpuSeconds: cpuSeconds() })}\n`);
  });
}

/** proc_pid_stat(5): utime, stime, cutime and cstime, in ticks of 10 ms. */
function cpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const ticks = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15);
  return ticks.reduce((sum, one) => sum + Number(one), 0) / 100;
}
