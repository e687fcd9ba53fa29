// Starts a Firefox of our own: fresh profile, unprivileged, sandboxed, and gone when this process is gone.
import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { evidenceForms } from '@pronghorn/core/schemas';
import { type Discovery, type Protocol, version } from '@pronghorn/core/vocabulary';
import { BidiConnection } from 'puppeteer-core/internal/bidi/Connection.js';
import { createIncrementalIdGenerator } from 'puppeteer-core/internal/util/incremental-id-generator.js';
import WebSocket from 'ws';
import { type OriginTrust, viewport } from '../chrome/flags.ts';
import { findFirefox } from '../machine/find.ts';
import { discardFolder, filledFolder, readWithoutLinks } from '../machine/run-folder.ts';
import { cleanEnvironment, command, endBrowser, unprivilegedUid } from '../machine/unprivileged.ts';
import { type Inside, openInside } from './inside.ts';
import { firefoxPreferences, type Preferences, userJs } from './preferences.ts';

const startMs = 120_000;

interface FirefoxChoices {
  protocol: Protocol;
  discovery: Discovery;
  /** host:port of all hosts that must speak HTTP/3 from the first request. */
  forced: readonly string[];
  lab: OriginTrust | undefined;
  /** Writes a qlog of each QUIC connection. */
  qlog?: boolean;
}

/** A running Firefox, controlled only over WebDriver BiDi. */
export interface Firefox {
  product: string;
  executable: string;
  flags: string[];
  preferences: Preferences;
  sandbox: boolean;
  pid: number;
  bidi: Bidi;
  inside: Inside;
  /** Ends its QUIC connections, and returns their logs, joined; null: there is none, or too much. */
  qlog(): Promise<string | null>;
  connected(): boolean;
  /** Called once, when it went away or was closed. */
  onDisconnected(listener: () => void): void;
  /** Ends Firefox and removes its profile. Never throws, and never takes longer than a few seconds. */
  close(): Promise<void>;
}

/**
 * Starts Firefox.
 *
 * @param enter put before the program that is started: brings it into a namespace, gives it priority
 * @throws Error with Firefox's own last words when it doesn’t start within two minutes
 */
export async function launchFirefox(choices: FirefoxChoices, enter: readonly string[] = []): Promise<Firefox> {
  const executable = findFirefox();
  const preferences = firefoxPreferences({ ...choices, lab: choices.lab !== undefined });
  const asOther = process.getuid?.() === 0;
  const profile = filledFolder('firefox', asOther ? unprivilegedUid : undefined, (folder) => {
    const file = join(folder, 'user.js');
    writeFileSync(file, userJs(preferences));
    return [file];
  });
  // System access: its own code reports connections and takes host names and authorities, which BiDi does not.
  const flags = ['--headless', '--no-remote', '--remote-debugging-port=0', '--remote-allow-system-access'];
  const { executablePath, args } = command(executable, [...flags, '--profile', profile, 'about:blank'], asOther, enter);
  const child = spawn(executablePath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...cleanEnvironment(),
      ...{ HOME: profile, TMPDIR: profile, MOZ_CRASHREPORTER_DISABLE: '1', MOZ_REMOTE_SETTINGS_DEVTOOLS: '1' },
      ...{ MOZ_HEADLESS_WIDTH: `${viewport.width}`, MOZ_HEADLESS_HEIGHT: `${viewport.height + 100}` },
      ...(process.env.PRONGHORN_NO_SANDBOX === '1' ? { MOZ_DISABLE_CONTENT_SANDBOX: '1' } : {}),
    },
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()).once('error', () => resolve()));
  const disconnected = Promise.withResolvers<void>();
  let isConnected = true;
  const close = async () => {
    await endBrowser(child, exited);
    await discardFolder(profile);
  };
  try {
    const port = await portOf(child, executable);
    const bidi = await connectBidi(port, enter, () => {
      isConnected = false;
      disconnected.resolve();
    });
    const { result } = await bidi.send('session.new', {
      // A dialog would hold the page forever.
      capabilities: { alwaysMatch: { acceptInsecureCerts: false, unhandledPromptBehavior: { default: 'accept' as never } } },
    });
    const { browserName, browserVersion } = result.capabilities;
    const inside = await openInside(bidi, choices.lab);
    const userAgent = await inside.run<string>(ownUserAgent);
    return {
      product: `${browserName === 'firefox' ? 'Firefox' : browserName}/${browserVersion}`,
      executable,
      flags,
      preferences: { ...preferences, 'general.useragent.override': userAgent },
      sandbox: inside.sandbox,
      pid: child.pid as number,
      bidi,
      inside,
      qlog: async () => {
        // A connection's log is complete once it has closed.
        await inside.run("void Services.obs.notifyObservers(null, 'net:cancel-all-connections')");
        return await qlogBelow(profile);
      },
      connected: () => isConnected,
      onDisconnected: (listener) => void disconnected.promise.then(listener),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** All that ends as a log of neqo's, once none of it grows any more. */
async function qlogBelow(profile: string): Promise<string | null> {
  const texts = () =>
    globSync('**/*.{sqlog,qlog}', { cwd: profile })
      .sort()
      .map((name) => readWithoutLinks(join(profile, name), evidenceForms.qlog.maxBytes)?.toString() ?? '')
      .join('');
  let seen = texts();
  for (let look = 0; look < 20; look++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = texts();
    if (now !== '' && now === seen) break;
    seen = now;
  }
  return seen === '' ? null : seen;
}

/** Firefox's own, with our name behind it, as Chrome's visits have it: in force from the next request. */
const ownUserAgent = `(() => {
  const { userAgent } = Cc['@mozilla.org/network/protocol;1?name=http'].getService(Ci.nsIHttpProtocolHandler);
  Services.prefs.setStringPref('general.useragent.override', userAgent + ' Pronghorn/${version}');
  return userAgent + ' Pronghorn/${version}';
})()`;

/** Firefox chooses it, on its own loopback. */
async function portOf(child: ChildProcess, executable: string): Promise<number> {
  let lastWords = '';
  if (child.stderr === null) throw new Error('Firefox was started without its standard error.');
  const lines = createInterface({ input: child.stderr });
  return await new Promise<number>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`Firefox (${executable}) did not start: ${why} ${lastWords.trim()}`.trim()));
    const timer = setTimeout(() => fail(`it printed no port within ${startMs / 1_000} s.`), startMs);
    // Reads to the end: a full pipe would block Firefox.
    lines.on('line', (line) => {
      lastWords = `${lastWords}\n${line}`.slice(-2_000);
      const port = /WebDriver BiDi listening on ws:\/\/[^:]+:(\d+)/.exec(line)?.[1];
      if (port === undefined) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code, signal) => fail(`it ended (${signal ?? code}).`));
  });
}

// WebDriver BiDi with a Firefox that may stand in another network namespace.
export type Bidi = BidiConnection;

const connectMs = 60_000;
const answerMs = 60_000;
const maxBytes = 256 * 2 ** 20;

/**
 * Connects to the port of a Firefox on its own loopback.
 *
 * @param enter what the Firefox itself was started behind: a program there opens the connection, and hands it to this process
 * @param onClosed called when the connection ends
 * @throws Error if nothing answers there
 */
export async function connectBidi(port: number, enter: readonly string[], onClosed: () => void): Promise<Bidi> {
  const socket = await socketBehind(enter, port);
  const url = `ws://127.0.0.1:${port}/session`;
  const webSocket = new WebSocket(url, {
    createConnection: () => socket,
    perMessageDeflate: false,
    maxPayload: maxBytes,
    handshakeTimeout: connectMs,
  });
  await new Promise<void>((resolve, reject) => webSocket.once('open', resolve).once('error', reject));
  // An error that breaks the connection also closes it.
  webSocket.on('error', () => {});
  const transport = {
    send: (message: string) => webSocket.send(message),
    close: () => webSocket.terminate(),
    onmessage: (_message: string) => {},
    onclose: () => {},
  };
  webSocket.on('message', (message) => transport.onmessage(String(message)));
  webSocket.on('close', () => {
    transport.onclose();
    onClosed();
  });
  return new BidiConnection(url, transport, createIncrementalIdGenerator(), 0, answerMs, () => undefined);
}

/** A socket stays in the namespace in which it was made. */
async function socketBehind(enter: readonly string[], port: number): Promise<Socket> {
  const [program = '', ...args] = [
    ...enter,
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    fileURLToPath(new URL('./connect-program.ts', import.meta.url)),
    `${port}`,
  ];
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], timeout: connectMs });
  try {
    return await new Promise<Socket>((resolve, reject) => {
      child.once('message', (_, socket) => resolve(socket as Socket));
      child.on('error', reject);
      // The program's exit may be reported before its message, and the channel's end only after it.
      child.once('disconnect', () => reject(new Error(`Firefox does not answer at port ${port}.`)));
    });
  } finally {
    if (child.connected) child.disconnect();
  }
}
