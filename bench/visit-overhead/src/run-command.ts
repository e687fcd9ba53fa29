// A command in a session of its own, so that all it starts can be found and ended, whatever becomes of the command.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long each signal gets to end the rest of a session. */
const politeMs = 2_000;

export interface Ended {
  wallMs: number;
  exitCode: number | null;
  /** Standard output and error as they came. */
  said: string;
}

/**
 * Runs a command to its end, and ends what it left behind.
 *
 * @param mark text in the environment or command line of every process of the run, such as the path of its folder:
 *   Chrome's helpers leave the session
 * @throws Error when the command can't be started, or when `signal` aborts
 */
export async function runCommand(
  [program = '', ...args]: readonly string[],
  options: { cwd: string; env: Record<string, string>; mark: string; timeoutMs: number; signal: AbortSignal },
): Promise<Ended> {
  options.signal.throwIfAborted();
  const started = performance.now();
  const child = spawn(program, args, { cwd: options.cwd, env: options.env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const end = () => signalAll(child.pid, options.mark, 'SIGTERM');
  const timer = setTimeout(() => {
    said += `\nended after ${options.timeoutMs} ms`;
    end();
  }, options.timeoutMs);
  options.signal.addEventListener('abort', end, { once: true });
  try {
    const { exitCode, wallMs } = await new Promise<{ exitCode: number | null; wallMs: number }>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => resolve({ exitCode: code, wallMs: performance.now() - started }));
    });
    options.signal.throwIfAborted();
    return { wallMs, exitCode, said };
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', end);
    await endAll(child.pid, options.mark);
  }
}

/** Politely first: an Xvfb that is killed leaves its lock behind. */
async function endAll(session: number | undefined, mark: string): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const deadline = performance.now() + politeMs;
    while (performance.now() < deadline) {
      if (signalAll(session, mark, signal) === 0) return;
      await sleep(20);
    }
  }
}

/** @returns how many processes are in the session or carry the mark */
function signalAll(session: number | undefined, mark: string, signal: NodeJS.Signals): number {
  let found = 0;
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (!(session !== undefined && sessionOf(pid) === session) && !carries(pid, mark)) continue;
    try {
      process.kill(pid, signal);
      found += 1;
    } catch {
      // It ended by itself.
    }
  }
  return found;
}

/** proc_pid_stat(5): after the name come state, ppid, pgrp, session. A zombie is in none: it has ended. */
function sessionOf(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' ? undefined : Number(session);
}

function carries(pid: number, mark: string): boolean {
  return read(`/proc/${pid}/environ`).includes(mark) || read(`/proc/${pid}/cmdline`).includes(mark);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
