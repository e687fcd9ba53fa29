// Where the time of a run goes, and where it went in the last one.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { duration, table } from '../program/terminal.ts';
import { cpuSeconds } from './cpu-seconds.ts';
import { root, tools } from './steps.ts';

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
    const { steps, files } = JSON.parse(readFileSync(fileOf(tier), 'utf8'));
    return { steps: sound(steps), files: sound(files) };
  } catch {
    return { steps: {}, files: {} };
  }
}

/** What a file that was damaged has of it. */
const sound = (times: object): Record<string, Took> =>
  Object.fromEntries(Object.entries(times).filter(([, took]) => Number.isFinite(took?.seconds) && Number.isFinite(took?.cpuSeconds)));

/** Keeps what this run measured. A file or step that it left out keeps its older times. */
export function keepTimes(tier: 'first' | 'thorough', { steps, files }: Times): void {
  const last = lastTimes(tier);
  const there = Object.entries({ ...last.files, ...files }).filter(([file]) => existsSync(join(root, file)));
  const path = fileOf(tier);
  try {
    mkdirSync(tools, { recursive: true });
    writeFileSync(`${path}.new`, JSON.stringify({ steps: { ...last.steps, ...steps }, files: Object.fromEntries(there) }, null, 1));
    renameSync(`${path}.new`, path);
  } catch (error) {
    console.error(`The times of this run can't be kept for the next: ${(error as Error).message}`);
  }
}

/** The CPU time of all programs that this process started and waited for. */
export const childrenCpuSeconds = (): number => cpuSeconds(['cutime', 'cstime']);

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
  return `${line}\n${table(['slowest files', 'seconds', 'CPU s', 'before', 'CPU s before'], rows)}`;
}
