// One command of browsertime, timed from outside, with proof that it measured the page.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { protocolFlags } from '../../../packages/runner/src/chrome/flags.ts';
import { startCpuGauge } from '../../../packages/runner/src/machine/cpu-gauge.ts';
import { findChrome, tools } from '../../../packages/runner/src/machine/find.ts';
import type { Mode } from './modes.ts';
import { runCommand } from './run-command.ts';
import type { Page, TestedProtocol } from './site.ts';

/** The cost of a command of `loadMs.length` visits. */
export interface Command {
  wallMs: number;
  /** loadEventEnd of each visit. */
  loadMs: number[];
  /** Of each visit; empty for a mode without video. */
  speedIndexMs: number[];
  /** Share of the machine's CPU time that other programs took meanwhile. */
  foreignCpuShare: number;
}

const timeoutMs = 180_000;

/**
 * Runs browsertime for some visits of a page.
 *
 * @throws Error that says what was wrong with the run: it failed, a visit has no plausible load time, spoke another
 *   protocol, or lacks the SpeedIndex that its mode promises
 */
export async function runBrowsertime(
  mode: Mode,
  page: Page,
  protocol: TestedProtocol,
  visits: number,
  signal: AbortSignal,
): Promise<Command> {
  const folder = mkdtempSync(join(tmpdir(), 'visit-overhead-'));
  try {
    mkdirSync(join(folder, 'tmp'));
    const gauge = startCpuGauge();
    const { wallMs, exitCode, said } = await runCommand(
      [
        process.execPath,
        join(tools(), 'browsertime/node_modules/browsertime/bin/browsertime.js'),
        ...['--iterations', `${visits}`, '--resultDir', join(folder, 'results')],
        ...['--chrome.binaryPath', findChrome('chrome'), '--chrome.chromedriverPath', process.env.CHROMEDRIVER ?? '/usr/bin/chromedriver'],
        ...['--xvfbParams.display', `${freeDisplay()}`],
        ...chromeFlags(page, protocol).flatMap((flag) => ['--chrome.args', flag]),
        ...mode.options,
        page.url,
      ],
      { cwd: folder, env: environment(folder), mark: folder, timeoutMs: timeoutMs * visits, signal },
    );
    const { foreignShare } = gauge();
    if (exitCode !== 0) throw new Error(`browsertime ended with ${exitCode}: ${lastError(said)}`);
    return { wallMs, ...readResults(join(folder, 'results/browsertime.json'), mode, protocol, visits), foreignCpuShare: foreignShare };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** As browsertime takes them: without the leading dashes. */
function chromeFlags({ url, trust }: Page, protocol: TestedProtocol): string[] {
  const { hostname, port } = new URL(url);
  const flags = [
    ...protocolFlags({ protocol, discovery: 'forced', forced: [`${hostname}:${port === '' ? 443 : port}`] }),
    `--host-resolver-rules=${trust.hostRules}`,
    `--ignore-certificate-errors-spki-list=${trust.spki}`,
    '--no-proxy-server',
  ];
  // Chrome refuses its sandbox as root. It costs a little: what browsertime saves by it counts in its favour.
  if (process.getuid?.() === 0) flags.push('--no-sandbox');
  return flags.map((flag) => flag.slice(2));
}

/** Nothing of the caller's desktop or proxies, and no file outside the run's folder. */
function environment(folder: string): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    LANG: 'C.UTF-8',
    HOME: folder,
    TMPDIR: join(folder, 'tmp'),
    PYTHON: join(tools(), 'browsertime-python/bin/python'),
  };
}

/** browsertime always takes display 99, and records whatever another Xvfb shows there. */
function freeDisplay(): number {
  for (let display = 99; display < 200; display++) {
    if (!existsSync(`/tmp/.X${display}-lock`) && !existsSync(`/tmp/.X11-unix/X${display}`)) return display;
  }
  throw new Error('All X displays from 99 to 199 are taken: look at /tmp/.X*-lock for what holds them.');
}

function readResults(path: string, mode: Mode, protocol: TestedProtocol, visits: number): Pick<Command, 'loadMs' | 'speedIndexMs'> {
  const [result] = JSON.parse(readFileSync(path, 'utf8')) as {
    browserScripts: { timings: { loadEventEnd?: number }; pageinfo: { nextHopProtocol?: string } }[];
    visualMetrics?: { SpeedIndex?: number }[];
  }[];
  const scripts = result?.browserScripts ?? [];
  const loadMs = scripts.map(({ timings }) => timings.loadEventEnd ?? 0);
  const speedIndexMs = mode.speedIndex ? (result?.visualMetrics ?? []).map(({ SpeedIndex }) => SpeedIndex ?? 0) : [];
  const spoken = scripts.map(({ pageinfo }) => pageinfo.nextHopProtocol ?? 'nothing known');

  if (loadMs.length !== visits) throw new Error(`browsertime has results of ${loadMs.length} visits, expected ${visits}`);
  if (!loadMs.every((ms) => ms > 0)) throw new Error(`loadEventEnd is ${loadMs.join(', ')} ms, expected above 0`);
  if (!spoken.every((name) => name === protocol)) throw new Error(`the document came over ${spoken.join(', ')}, expected ${protocol}`);
  if (mode.speedIndex && (speedIndexMs.length !== visits || !speedIndexMs.every((ms) => ms > 0))) {
    throw new Error(`SpeedIndex is ${speedIndexMs.join(', ') || 'missing'}, expected above 0 for each of ${visits} visits`);
  }
  return { loadMs, speedIndexMs };
}

function lastError(said: string): string {
  const lines = said.trim().split('\n');
  return (lines.filter((line) => /error/i.test(line)).at(-1) ?? lines.at(-1) ?? 'it said nothing').slice(0, 300);
}
