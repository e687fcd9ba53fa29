// The `pronghorn` command, in this process or as one of its own, and what it leaves behind.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Campaign, CampaignResults, SiteDiscovery, Visit } from '@pronghorn/core/schemas';
import { quickBrowser } from '@pronghorn/core/testing';
import { processIdentity } from '@pronghorn/runner';
import type { SlotCalibration } from '../src/measure/calibrations.ts';
import { type Ended, runHere } from '../src/testing/in-process.ts';

export type { Ended };

export const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export interface Running {
  pid: number;
  child: ChildProcess;
  /** Its output so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when its output contains the text. */
  says(text: string | RegExp, deadlineMs?: number): Promise<void>;
  ended: Promise<Ended>;
}

// A test that failed leaves its command running, and that would keep this process alive.
const started = new Set<ChildProcess>();
after(() => {
  for (const child of started) child.kill('SIGKILL');
});

/** For tests of commands that open a link, where this machine can make one. */
export const behindLink = { PRONGHORN_LINK: 'auto' };

/** For tests that don't judge numbers: other work on the machine makes no visit invalid, and a visit ends soon after its page. */
export const quickLimits = { foreignCpuShare: 1, quietMs: 100 };
export const quick = ['--busy', '1', '--quiet', '100'];

/** The same where the browser is not what is proven. */
export const quickShell = [...quick, '--browser', quickBrowser];

/** Without a terminal, on the machine's own network. */
const usual = { CI: 'true', PRONGHORN_LINK: 'direct' };

/** This process's environment without what is for tests, and with what is given. */
function inherited(given: Record<string, string | undefined>): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, PRONGHORN_DATA: __, FORCE_COLOR: ___, ...kept } = process.env;
  // Where a test is run by itself, too: without what the launcher keeps, a start compiles everything anew.
  const NODE_COMPILE_CACHE = fileURLToPath(new URL('../../../.tools/cache/node', import.meta.url));
  return Object.fromEntries(Object.entries({ NODE_COMPILE_CACHE, ...kept, ...given }).filter(([, value]) => value !== undefined));
}

/** Starts the command as a process of its own: for signals, output while it runs, and what remains of it. It ends with the test at the latest. */
export function start(args: readonly string[], environment: Record<string, string> = {}): Running {
  return startProgram(process.execPath, [main, ...args], { ...usual, ...environment });
}

export function startProgram(program: string, args: readonly string[], environment: Record<string, string | undefined>): Running {
  const child = spawn(program, args, { env: inherited(environment), stdio: ['pipe', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  started.add(child);
  const ended = once(child, 'close').then(([code]): Ended => {
    started.delete(child);
    return { code, ...output };
  });
  return {
    pid: child.pid ?? 0,
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    says: (text, deadlineMs = 300_000) => {
      const has = () => {
        const isOver = child.exitCode !== null && child.stdout.closed && child.stderr.closed;
        const all = output.stdout + output.stderr;
        const isSaid = typeof text === 'string' ? all.includes(text) : text.test(all);
        if (isOver && !isSaid) throw new Error(`It ended without saying ${text}: ${all}`);
        return isSaid;
      };
      return until(has, deadlineMs, () => `the command to say ${text}; it said: ${output.stdout}${output.stderr}`);
    },
    ended,
  };
}

/** Runs the command to its end, in this process. */
export function run(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  return runHere(args, inherited({ ...usual, ...environment }));
}

/** Polls until it is so. @throws Error that names `what`, after the deadline */
export async function until(isSo: () => boolean, deadlineMs: number, what: string | (() => string)): Promise<void> {
  const giveUp = performance.now() + deadlineMs;
  while (!isSo()) {
    if (performance.now() > giveUp) throw new Error(`Waited ${deadlineMs} ms for ${typeof what === 'string' ? what : what()}`);
    await delay(20);
  }
}

/** A temporary data folder, removed with the test. */
export async function temporaryData(whenDone: (remove: () => Promise<void>) => void): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pronghorn-cli-test-'));
  whenDone(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  return folder;
}

/**
 * Runs a command behind a link to its end, with a data folder of its own. A link that other work delays during three whole checks is refused, and so
 * is a probe that was kept waiting: the command is asked anew then, as its error says.
 */
export async function runOnSoundLink(
  t: TestContext,
  args: (data: string) => readonly string[],
  environment: Record<string, string>,
): Promise<Ended & { data: string }> {
  for (let left = 4; ; left--) {
    const data = await temporaryData((remove) => t.after(remove));
    const ended = await run(args(data), environment);
    const [refusal] = /[^\n]*(?:does not match condition .*even after|The probe’s own receiver)[^\n]*/s.exec(ended.stderr) ?? [];
    if (left === 0 || refusal === undefined) return { ...ended, data };
    t.diagnostic(`asked anew, since the link was refused: ${refusal}`);
  }
}

/** The identities of all descendants of a process: its Chromes, nginx and their own. */
export function descendants(pid: number): string[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It ended while we looked.
    }
  }
  const isBelow = (one: number): boolean => {
    const parent = parents.get(one);
    return parent !== undefined && (parent === pid || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow).flatMap((one) => processIdentity(one) ?? []);
}

export const alive = (identities: readonly string[]) =>
  identities.filter((identity) => processIdentity(Number.parseInt(identity, 10)) === identity);

/** The folder in which a process keeps the profiles of its Chromes; call it while the process lives. */
export const profilesOf = (pid: number) => join(tmpdir(), `pronghorn-${process.getuid?.() ?? 0}`, processIdentity(pid) ?? 'gone');

/** Nothing of a process remains: no profile folder, and no descendant. */
export async function leavesNothing(profiles: string, below: readonly string[]): Promise<void> {
  await until(
    () => alive(below).length === 0 && !existsSync(profiles),
    60_000,
    () => `processes ${alive(below)} to end and ${profiles} to go (${existsSync(profiles) ? 'there' : 'gone'})`,
  );
}

export interface Exported {
  campaign: Campaign;
  results: CampaignResults;
  calibrations: SlotCalibration[];
  discoveries: SiteDiscovery[];
  visits: Visit[];
}

/** The export of `results --json`. */
export async function exported(data: string, campaignId = '1'): Promise<Exported> {
  const file = join(data, 'exported.json');
  const { code, stderr } = await run(['results', campaignId, '--data', data, '--json', file]);
  if (code !== 0) throw new Error(`results ended with ${code}: ${stderr}`);
  return JSON.parse(readFileSync(file, 'utf8'));
}
