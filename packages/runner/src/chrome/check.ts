import type { ChromeBuild } from './find.ts';
import { launchChrome } from './launch.ts';

/**
 * Starts a build of Chrome once and ends it.
 *
 * @throws Error with the cause when it can't be started here
 */
export async function checkChrome(browser: ChromeBuild): Promise<{ product: string; executable: string; sandbox: boolean }> {
  const chrome = await launchChrome({ protocol: 'h2', discovery: 'forced', forced: [], browser, lab: undefined });
  const { product, executable, sandbox } = chrome;
  await chrome.close();
  return { product, executable, sandbox };
}
