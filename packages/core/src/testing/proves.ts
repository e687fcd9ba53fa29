// How end-to-end tests declare what they prove, and in which tier. `./pronghorn test` runs the first tier: each capability once, end to end.
// `./pronghorn test --thorough` repeats what only many samples show. docs/tests.md is made of these declarations, which it finds by their text:
// `proves(` and `thoroughly(` are called with names in quotes, as the options of a test or suite.
import { networkInterfaces } from 'node:os';
import type { CapabilityName } from './capabilities.ts';

export { nextOutput, sayAtOnce } from './output.ts';

/** Whether this is a run of the thorough tier. */
export const isThorough = process.env.PRONGHORN_THOROUGH === '1';

/** IPv6's loopback, where a server for `localhost` may listen alone; IPv4's on a machine without it, where nothing of that is proven. */
export const loopback6: '::1' | '127.0.0.1' = Object.values(networkInterfaces()).some((those) =>
  those?.some(({ address }) => address === '::1'),
)
  ? '::1'
  : '127.0.0.1';

/**
 * The browser of tests that prove something else: pages and networks are the same to the headless shell, which costs a third less CPU time. In the
 * thorough tier it is all of Chrome.
 */
export const quickBrowser: 'chrome' | 'headless-shell' = isThorough ? 'chrome' : 'headless-shell';

/**
 * Options of a test or suite of the first tier: `test('…', proves('link'), …)`, or `{ ...proves('link'), timeout: 60_000 }`. In a file of
 * e2e/thorough/ it proves the same thoroughly.
 */
export const proves = (..._names: [CapabilityName, ...CapabilityName[]]): object => ({});

/** Options of a test or suite that runs in the thorough tier alone, in a file that also has others. A whole file of such tests goes to e2e/thorough/. */
export const thoroughly = (..._names: [CapabilityName, ...CapabilityName[]]): { skip: false | string } => ({
  skip: isThorough ? false : 'only by ./pronghorn test --thorough',
});

/** How many samples a test takes: few prove that a thing works at all, many how often. */
export const samples = (first: number, thorough: number): number => (isThorough ? thorough : first);

/** The CPU time that something takes in this process, milliseconds, to which other programs add nothing: for what must not take long. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e3;
}
