// What a page reaches, and what Chrome says of its sandbox: sent into a runner's container by chrome.ts, with a list of targets in TARGETS.
import { networkInterfaces } from 'node:os';
import { labOfFile } from '../../packages/cli/src/service/runner.ts';
import { conditionNamed } from '../../packages/core/src/network/index.ts';
import { type Chrome, launchChrome } from '../../packages/runner/src/chrome/launch.ts';
import { openContext, openPage } from '../../packages/runner/src/gather/page-session.ts';
import { openLink } from '../../packages/runner/src/index.ts';
import { run } from '../../packages/runner/src/machine/run.ts';

export interface Target {
  what: string;
  url: string;
}

export interface Reached extends Target {
  /** Connections of a program in the container, of one in the visit's network, and a page's load: what came of each. */
  runner: string;
  visit: string;
  page: string;
}

export interface PageReach {
  product: string;
  flags: string[];
  /** The text of chrome://sandbox. */
  sandbox: string;
  /** PNG, base64. */
  screenshot: string;
  reached: Reached[];
  /** What the egress policy says that it refused. */
  refused: string[];
}

const { lab, addresses } = labOfFile('/lab/lab.json');
const native = conditionNamed('native');
if (native === undefined) throw new Error('There is no condition native.');
const link = await openLink({ choice: 'auto', conditions: [native], outside: true, allowNet: addresses });
const chromes: Chrome[] = [];
const chromeFor = async (trust: typeof lab.trust | undefined) => {
  const choices = { protocol: 'h2', discovery: 'forced', forced: [], browser: 'chrome', lab: trust } as const;
  const chrome = await launchChrome(choices, link.vantagePoint);
  chromes.push(chrome);
  return chrome;
};

const targets: Target[] = JSON.parse(process.env.TARGETS ?? '[]');
// The container's end of the visit's way out.
for (const [device, own] of Object.entries(networkInterfaces())) {
  if (!device.startsWith('pronghorn')) continue;
  for (const { address, family, scopeid } of own ?? []) {
    if (scopeid === 0 || family === 'IPv4')
      targets.push({
        what: `the runner's end of the link, ${family}`,
        url: `http://${family === 'IPv6' ? `[${address}]` : address}:8088/`,
      });
  }
}

try {
  const [labChrome, chrome] = [await chromeFor(lab.trust), await chromeFor(undefined)];
  const sandbox = await openPage(labChrome, (await openContext(labChrome)).id, async () => {});
  await sandbox.session.send('Page.navigate', { url: 'chrome://sandbox' });
  const text = async () => String((await sandbox.session.send('Runtime.evaluate', { expression: 'document.body.innerText' })).result.value);
  let said = '';
  // The page asks the browser for its table after it has loaded.
  for (const end = performance.now() + 10_000; !/adequately|not sandboxed/i.test(said) && performance.now() < end; ) said = await text();
  const { data: screenshot } = await sandbox.session.send('Page.captureScreenshot', { format: 'png' });

  const watched = link.watch();
  const refused = await watched;
  const reached: Reached[] = [];
  for (const target of targets) {
    reached.push({
      ...target,
      runner: await connection([], target.url),
      visit: await connection(link.vantagePoint.enter, target.url),
      page: await pageLoad(target.url.includes('.pronghorn.test') ? labChrome : chrome, target.url),
    });
  }
  const result: PageReach = {
    product: labChrome.product,
    flags: labChrome.flags,
    sandbox: said,
    screenshot,
    reached,
    refused: (await refused())?.refused ?? [],
  };
  console.log(JSON.stringify(result));
} finally {
  for (const chrome of chromes) await chrome.close();
  await link.close();
}

/** A TCP connection of a program that stands where `enter` brings it. */
async function connection(enter: readonly string[], url: string): Promise<string> {
  const { hostname, port, protocol } = new URL(url);
  // The demo's names are known to its browsers alone.
  const [, mapped] = new RegExp(`MAP ${RegExp.escape(hostname)} ([^,]+)`).exec(lab.trust.hostRules) ?? [];
  const host = (mapped ?? hostname).replace(/^\[|\]$/g, '');
  const script = `
    const { lookup } = require('dns');
    const end = (answer) => { console.log(answer); process.exit(); };
    setTimeout(end, 5000, 'no answer in 5 s');
    const [, host, port] = process.argv;
    lookup(host, (error, address) => {
      if (error) return end('no address: ' + error.code);
      const at = address === host ? '' : ' at ' + address;
      require('net').connect({ host: address, port }).on('connect', () => end('yes' + at)).on('error', ({ code }) => end('no: ' + code + at));
    });`;
  return (await run([...enter, process.execPath, '-e', script, host, port || (protocol === 'https:' ? '443' : '80')])).trim();
}

async function pageLoad(chrome: Chrome, url: string): Promise<string> {
  const context = await openContext(chrome);
  const page = await openPage(chrome, context.id, async () => {});
  try {
    const { errorText } = await page.session.send('Page.navigate', { url }, { timeout: 15_000 });
    return errorText === undefined ? 'yes' : `no: ${errorText}`;
  } catch {
    return 'no answer in 15 s';
  } finally {
    await context.dispose();
  }
}
