// Runners with a link that are killed, and what of them is left on the machine.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextOutput } from '@pronghorn/core/testing';
import { surveyBackends } from '../src/link/backends.ts';
import { processIdentity } from '../src/machine/processes.ts';
import { toolPath } from '../src/machine/run.ts';
import { until } from './until.ts';

/** Links of this machine that have anything to leave behind. */
export const backends = (await surveyBackends()).filter(({ name, can }) => name !== 'direct' && can === true).map(({ name }) => name);

const program = join(import.meta.dirname, 'link-to-kill.ts');
const running = new Set<ChildProcess>();
/** Of the control groups that they may have. */
const names = new Set<string>();

export interface Runner {
  /** Its link is open and works: it said so once more. */
  works(): Promise<unknown>;
  /** Kills it. @returns when all that it started has ended */
  kill(): Promise<void>;
  /** Asks it to end. */
  stop(): Promise<void>;
}

export function startRunner(backend: string): Runner {
  const child = spawn(process.execPath, [program, backend], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  names.add(`pronghorn-${processIdentity(child.pid as number)}`);
  const exited = once(child, 'exit');
  return {
    works: () => nextOutput(child),
    kill: async () => {
      const started = family(child.pid as number);
      child.kill('SIGKILL');
      await exited;
      const left = () => started.filter(isAlive);
      await until(
        () => left().length === 0,
        () => `the end of the killed runner's processes ${left()}`,
      );
    },
    stop: async () => {
      child.kill('SIGTERM');
      assert.deepEqual(await exited, [0, null], 'it closes its link and ends well');
    },
  };
}

export const killRunners = () => {
  for (const child of running) child.kill('SIGKILL');
};

/** Everything that a runner started, itself included: a pid can be used again, a pid with its start time can't. */
function family(pid: number): string[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), entry]);
    } catch {
      // It ended while we looked.
    }
  }
  const below = (one: number): number[] => [one, ...(children.get(one) ?? []).flatMap(below)];
  return below(pid).flatMap((one) => processIdentity(one) ?? []);
}

const isAlive = (identity: string) => processIdentity(Number.parseInt(identity, 10)) === identity;

/** What of a link stands outside its namespaces: devices and tables of this network, and control groups of the runners that were started here. */
export function onMachine(): string[] {
  const list = (program: string, ...args: string[]) => execFileSync(toolPath(program), args, { encoding: 'utf8' });
  const devices = (JSON.parse(list('ip', '-j', 'link')) as { ifname: string }[]).map(({ ifname }) => `device ${ifname}`);
  const tables = list('nft', 'list', 'tables')
    .split('\n')
    .filter((line) => line.includes('pronghorn'));
  const cgroups = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup']
    .flatMap((root) => (existsSync(root) ? readdirSync(root) : []))
    .filter((name) => names.has(name));
  return [...devices, ...tables, ...cgroups].sort();
}

/** Waits until nothing more is there than before: the kernel takes a moment to take a namespace down. */
export const asBefore = (before: readonly string[]) =>
  until(
    () => onMachine().join() === before.join(),
    () => `what was there before: ${before}; there is ${onMachine()}`,
  );
