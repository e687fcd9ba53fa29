// Chrome as these tests need it: from a fresh profile, trusting the origin's key, limited to one protocol.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Protocol } from '@pronghorn/core/vocabulary';
import puppeteer, { type Browser } from 'puppeteer-core';
import type { Origin } from '../src/index.ts';
import { isExecutable } from '../src/servers/find-server.ts';

/** Of a start, and of a page: as long as the busiest machine takes. */
export const timeout = 120_000;

const candidates = [process.env.PRONGHORN_CHROME, '/usr/bin/chromium', '/usr/bin/google-chrome-stable', '/usr/bin/chromium-browser'];

/** @param enter what starts a program in the visit's network namespace, where it isn't this one */
export async function launchChrome(
  { sites, trust }: Pick<Origin, 'sites' | 'trust'>,
  protocol: Protocol,
  enter: readonly string[] = [],
): Promise<Browser> {
  const executablePath = candidates.find((path): path is string => path !== undefined && isExecutable(path));
  if (!executablePath) throw new Error('no Chrome found: let PRONGHORN_CHROME name one');
  const forced = new Set(sites.flatMap(({ hosts }) => hosts.filter(({ protocols }) => protocols.includes('h3')).map(({ host }) => host)));
  const limits = {
    h1: ['--disable-quic', '--disable-http2'],
    h2: ['--disable-quic'],
    h3: [`--origin-to-force-quic-on=${[...forced].join(',')}`],
  };
  // puppeteer starts one program: here a script that enters first.
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-test-'));
  const script = join(folder, 'chrome');
  writeFileSync(script, `#!/bin/sh\nexec ${enter.join(' ')} '${executablePath}' "$@"\n`);
  chmodSync(script, 0o755);
  const browser = await puppeteer.launch({
    executablePath: script,
    timeout,
    pipe: true, // reaches into a namespace, as a port would not
    defaultViewport: { width: 1366, height: 768 },
    args: [
      // These tests load our own pages only; Chrome refuses its sandbox to root.
      ...(process.geteuid?.() === 0 ? ['--no-sandbox'] : []),
      `--ignore-certificate-errors-spki-list=${trust.spki}`,
      `--host-resolver-rules=${trust.hostRules}`,
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...limits[protocol],
    ],
  });
  browser.once('disconnected', () => rmSync(folder, { recursive: true, force: true }));
  return browser;
}
