// Starts a Chrome of our own: fresh profile, unprivileged, sandboxed, and gone when this process is gone.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CDPSession, type Connection, launch, type Browser as PuppeteerBrowser } from 'puppeteer-core';
import { type ChromeBuild, findChrome } from '../machine/find.ts';
import { discardFolder, filledFolder, removeFolder } from '../machine/run-folder.ts';
import { cleanEnvironment, command, endBrowser, type LaunchContext, unprivilegedUid } from '../machine/unprivileged.ts';
import { chromeFlags, type FlagChoices, preferencesOf } from './flags.ts';
import { prepareProfile } from './visitor-profile.ts';

const nowhere: LaunchContext = { enter: [] };

/** A running Chrome, controlled only over the DevTools protocol. */
export interface Chrome {
  product: string;
  executable: string;
  flags: string[];
  preferences: Record<string, unknown>;
  sandbox: boolean;
  pid: number;
  /** The session of the browser itself. */
  session: CDPSession;
  connection: Connection;
  connected(): boolean;
  /** @returns what takes the listener away: until then it keeps all that it refers to */
  onDisconnected(listener: () => void): () => void;
  /** Ends Chrome and removes its profile. Never throws, and never takes longer than a few seconds. */
  close(): Promise<void>;
}

/**
 * Starts Chrome.
 *
 * @param vantagePoint where it is started
 * @throws Error with Chrome's own last words when it doesn't start within two minutes; VisitorError where it can't be the visitor's
 */
export async function launchChrome(choices: FlagChoices, { enter, fence }: LaunchContext = nowhere): Promise<Chrome> {
  const executable = findChrome(choices.browser);
  const flags = chromeFlags(choices);
  const sandbox = process.env.PRONGHORN_NO_SANDBOX !== '1';
  if (!sandbox) flags.push('--no-sandbox');
  const asOther = process.getuid?.() === 0;
  const preferences = preferencesOf(choices);
  const profile = freshProfile(choices, asOther ? unprivilegedUid : undefined, preferences);

  let browser: PuppeteerBrowser;
  try {
    browser = await launch({
      ...command(executable, [...flags, `--user-data-dir=${profile}`, '--remote-debugging-pipe'], asOther, enter, fence?.around),
      ignoreDefaultArgs: true,
      pipe: true,
      waitForInitialPage: false,
      defaultViewport: null,
      // Puppeteer starts and ends Chrome; pages are driven by the visit itself, without the sessions and listeners
      // that puppeteer adds to each page.
      targetFilter: () => false,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      protocolTimeout: 120_000,
      timeout: 120_000,
      env: { ...cleanEnvironment(), HOME: profile, TMPDIR: profile },
    });
  } catch (error) {
    removeFolder(profile);
    throw new Error(launchFailure(executable, error, fence !== undefined));
  }

  const child = browser.process();
  const session = await browser.target().createCDPSession();
  const connection = session.connection();
  if (child?.pid === undefined || connection === undefined) throw new Error('Chrome started without a process or connection.');
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  // Puppeteer stops listening when it disconnects, and the reset of a killed Chrome's pipe may come after: no real error, and the end of
  // this process unless somebody hears it.
  for (const pipe of child.stdio) pipe?.on('error', () => {});
  // A page that is measured in the profile itself may not write files into it; contexts have their own setting.
  await session.send('Browser.setDownloadBehavior', { behavior: 'deny', eventsEnabled: false });

  return {
    product: await browser.version(),
    executable,
    flags,
    preferences,
    sandbox,
    pid: child.pid,
    session,
    connection,
    connected: () => browser.connected,
    onDisconnected: (listener) => {
      browser.on('disconnected', listener);
      return () => void browser.off('disconnected', listener);
    },
    close: async () => {
      await endBrowser(child, exited);
      await browser.disconnect().catch(() => {});
      await discardFolder(profile);
    },
  };
}

function freshProfile({ visitor, browser }: FlagChoices, owner: number | undefined, preferences: object): string {
  return filledFolder('chrome', owner, (profile) => {
    const settings = join(profile, 'Default');
    mkdirSync(settings);
    writeFileSync(join(settings, 'Preferences'), JSON.stringify(preferences));
    return [settings, join(settings, 'Preferences'), ...prepareProfile(visitor, browser, profile)];
  });
}

/** True if Chrome's user may make a user namespace here. Chrome's own message about it is lost when it is driven through a pipe. */
function hasUserNamespaces(): boolean {
  const user = process.getuid?.() === 0 ? { uid: unprivilegedUid, gid: unprivilegedUid } : {};
  return spawnSync('unshare', ['--user', 'true'], { ...user, stdio: 'ignore' }).status === 0;
}

function launchFailure(executable: string, error: unknown, isFenced: boolean): string {
  const message = error instanceof Error ? error.message : String(error);
  if (/sandbox/i.test(message) || !hasUserNamespaces()) {
    return (
      `Chrome (${executable}) found no usable sandbox here. The kernel must allow unprivileged user namespaces ` +
      `(sysctl kernel.unprivileged_userns_clone=1 or kernel.apparmor_restrict_unprivileged_userns=0), or install the ` +
      `package chromium-sandbox${isFenced ? ' and start the runner with --no-fence, which lets the sandbox gain its privileges' : ''}; a container must be started as docker/README.md says. PRONGHORN_NO_SANDBOX=1 starts Chrome without: only for pages that you trust.`
    );
  }
  return `Chrome (${executable}) did not start: ${message.slice(0, 2_000)}`;
}

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
