// Starts Chrome as visits do, loads { url }, and evaluates { expression } in the page until it is not null. Prints its value.
import { setTimeout as delay } from 'node:timers/promises';
import type { FlagChoices } from '../../../packages/runner/src/chrome/flags.ts';

const { choices, url, expression } = JSON.parse(process.argv[2] ?? '') as { choices: FlagChoices; url: string; expression: string };
const program: string = '/opt/pronghorn/packages/runner/src/chrome/launch.ts';
const { launchChrome } = (await import(program)) as typeof import('../../../packages/runner/src/chrome/launch.ts');
const chrome = await launchChrome(choices);
try {
  const { targetId } = await chrome.session.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await chrome.session.send('Target.attachToTarget', { targetId, flatten: true });
  const page = chrome.connection.session(sessionId);
  if (page === null) throw new Error('Chrome has no session of the page.');
  const loaded = new Promise((resolve) => page.once('Page.loadEventFired', resolve));
  await page.send('Page.enable');
  const { errorText } = await page.send('Page.navigate', { url });
  if (errorText !== undefined) throw new Error(`${url}: ${errorText}`);
  await loaded;
  for (;;) {
    const { result, exceptionDetails } = await page.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    if (result.value !== null) {
      console.log(JSON.stringify(result.value));
      break;
    }
    await delay(100);
  }
} finally {
  await chrome.close();
}
