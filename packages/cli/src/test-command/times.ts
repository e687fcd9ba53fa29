// Where the time of a run goes, and where it went in the last one.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { duration, table } from '../program/terminal.ts';
import { tools } from './steps.ts';

export interface Took {
  seconds: number;
  /** Of all cores, with the programs that it started. */
  cpuSeconds: number;
}

/** Of a tier's newest runs. Paths are from the repository's root. */
export interface Times {
  steps: Record<string, Took>;
  files: Record<string, Took>;
}

const fileOf = (tier: string) => join(tools, `test-times-${tier}.json`);

/** @returns those of the last run; none where it kept none */
export function lastTimes(tier: 'first' | 'thorough'): Times {
  try {
    return JSON.parse(readFileSync(fileOf(tier), 'utf8'));
  } catch {
    return { steps: {}, files: {} };
  }
}

/** Keeps what this run measured. A file or step that it left out keeps its older times. */
export function keepTimes(tier: 'first' | 'thorough', { steps, files }: Times): void {
  const last = lastTimes(tier);
  mkdirSync(tools, { recursive: true });
  writeFileSync(fileOf(tier), JSON.stringify({ steps: { ...last.steps, ...steps }, files: { ...last.files, ...files } }, null, 1));
}

/** The CPU time of all programs that this process started and waited for: proc_pid_stat(5), cutime and cstime, in ticks of 10 ms. */
export function childrenCpuSeconds(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(13, 15);
  return (Number(user) + Number(system)) / 100;
}

/** A step's line, and the ten files that took longest. */
export function timesText(step: string, took: Took, files: Readonly<Record<string, Took>>, last: Times): string {
  const before = last.steps[step];
  const compared = before === undefined ? '' : `; last run ${duration(before.seconds)}, CPU ${duration(before.cpuSeconds)}`;
  const line = `${step}: ${duration(took.seconds)}, CPU ${duration(took.cpuSeconds)}${compared}`;
  const slowest = Object.entries(files)
    .sort(([, a], [, b]) => b.seconds - a.seconds)
    .slice(0, 10);
  if (slowest.length === 0) return line;
  const seconds = (value: number | undefined) => (value === undefined ? '–' : value.toFixed(1));
  const rows = slowest.map(([file, { seconds: wall, cpuSeconds }]) => [
    file,
    seconds(wall),
    seconds(cpuSeconds),
    seconds(last.files[file]?.seconds),
    seconds(last.files[file]?.cpuSeconds),
  ]);
  return `${line}\n${table(['slowest files', 'seconds', 'CPU', 'last run', 'CPU'], rows)}`;
}
