// `./pronghorn test`: the steps one after the other, what failed at the end, and where the time went.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { UsageError } from '../program/errors.ts';
import { duration } from '../program/terminal.ts';
import { type Batch, lastTest, writeBatches } from './batches.ts';
import { changedTests } from './changed.ts';
import { notProven, testFiles } from './proofs.ts';
import type { Ended } from './reporter.ts';
import { type Run, root, runsOf, type Step, stepNames, type Tests, testFilesOf, tools } from './steps.ts';
import { childrenCpuSeconds, keepTimes, lastTimes, type Times, type Took, timesText } from './times.ts';

export interface Chosen {
  /** Repeat what only many samples show, too. */
  thorough?: boolean;
  /** Only what the files changed since `main` can break. */
  changed?: boolean;
}

/**
 * @param named steps, or test files by their paths
 * @returns 0 when all passed, 130 when it was interrupted; the first step that fails ends the run
 */
export async function test(named: readonly string[], { thorough = false, changed = false }: Chosen = {}): Promise<number> {
  const { steps, files } = chosenBy(named, thorough, changed);
  const tier = thorough ? 'thorough' : 'first';
  const last = lastTimes(tier);
  const selected = changed ? changedTests(last) : undefined;
  if (selected) console.log(selected.says);
  const all: Ended[] = [];
  // What is made once for a run and copied by its tests.
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-run-'));
  let isStopped = false;
  // It ends what runs, and this process goes on, to remove what it made.
  const stop = (signal: NodeJS.Signals) => {
    isStopped = true;
    for (const { pid } of running) endGroup(pid, signal);
  };
  for (const signal of ends) process.on(signal, stop);
  try {
    // Kept between runs: a folder for each version of what paints them.
    const demoSites = join(tools, 'cache/demo-sites');
    mkdirSync(demoSites, { recursive: true });
    const environment = {
      ...process.env,
      ...{ PRONGHORN_TEST_RUN: folder, PRONGHORN_DEMO_SITES: demoSites },
      ...(thorough ? { PRONGHORN_THOROUGH: '1' } : {}),
    };
    for (const step of steps) {
      console.log(styleText('bold', `\n${step}`));
      const only = files ?? (step === 'containers' ? undefined : selected?.files);
      const { passed, ended, times } = await perform(step, runsOf(step, thorough), {
        environment,
        only,
        withPrograms: files === undefined,
        isStopped: () => isStopped,
      });
      if (isStopped) {
        console.error('\nStopped.');
        return 130;
      }
      all.push(...ended);
      // Those of a part, and of tests that waited in vain, are no measure of the next run.
      if (passed && !changed && !files) keepTimes(tier, times);
      console.log(
        styleText('dim', `\n${timesText(step, times.steps[step] as Took, times.files, changed || files ? { ...last, steps: {} } : last)}`),
      );
      if (!passed) {
        console.error(
          `\n${failuresText(ended)}${step} failed. Run it alone with: ./pronghorn test ${thorough ? '--thorough ' : ''}${failedFiles(ended) || step}`,
        );
        return 1;
      }
    }
  } finally {
    for (const signal of ends) process.off(signal, stop);
    rmSync(folder, { recursive: true, force: true });
  }
  if (steps.includes('e2e') && !changed && !files) console.log(notProven(all, steps, { thorough }));
  return 0;
}

/** @throws UsageError for words that are neither steps nor test files */
function chosenBy(named: readonly string[], thorough: boolean, changed: boolean): { steps: readonly Step[]; files?: ReadonlySet<string> } {
  const words = named.filter((word) => !word.endsWith('.test.ts'));
  for (const word of words)
    if (!stepNames.some((step) => step === word))
      throw new UsageError(
        `There is no step ${word}; the steps are ${stepNames.join(', ')}. A test file is named by its path, which ends with .test.ts.`,
      );
  if (words.length === named.length) {
    const usual = changed ? stepNames.filter((step) => step !== 'containers') : stepNames;
    return { steps: words.length > 0 ? stepNames.filter((step) => words.includes(step)) : usual };
  }
  if (words.length > 0 || changed) throw new UsageError('Name test files alone: they run without steps and without --changed.');
  const files = new Set(named.map((word) => relative(realpathSync(root), existsSync(word) ? realpathSync(word) : resolve(word))));
  const filesOf = (step: Step) => testFilesOf(step, thorough);
  const steps = stepNames.filter((step) => filesOf(step).some((file) => files.has(file)));
  const known = new Set(steps.flatMap(filesOf));
  for (const file of files)
    if (!known.has(file))
      throw new UsageError(
        testFilesOf('e2e', true).includes(file)
          ? `${file} runs with --thorough alone.`
          : testFiles().includes(file)
            ? `${file} is in a folder whose tests no step runs (packages/cli/src/test-command/steps.ts).`
            : `There is no test file ${file}.`,
      );
  return { steps, files };
}

const failedFiles = (ended: readonly Ended[]): string =>
  [...new Set(ended.filter(({ failed }) => failed !== undefined).map(({ file }) => file))]
    .filter((file) => file.endsWith('.test.ts'))
    .join(' ');

interface Done {
  passed: boolean;
  ended: Ended[];
  times: Times;
}

interface How {
  environment: NodeJS.ProcessEnv;
  /** Only these test files, by their paths from the repository's root. */
  only: ReadonlySet<string> | undefined;
  /** Whether linters and the like run as well. */
  withPrograms: boolean;
  isStopped: () => boolean;
}

async function perform(step: Step, groups: readonly (readonly Run[])[], how: How): Promise<Done> {
  const started = performance.now();
  const cpuBefore = childrenCpuSeconds();
  const done: RunDone[] = [];
  for (const group of groups) if (!how.isStopped()) done.push(...(await Promise.all(group.map((run) => performRun(run, how)))));
  const took = { seconds: (performance.now() - started) / 1e3, cpuSeconds: childrenCpuSeconds() - cpuBefore };
  return {
    passed: done.every(({ passed }) => passed),
    ended: done.flatMap(({ ended }) => ended),
    times: { steps: { [step]: took }, files: Object.assign({}, ...done.map(({ files }) => files)) },
  };
}

interface RunDone {
  passed: boolean;
  ended: Ended[];
  files: Record<string, Took>;
}

async function performRun(run: Run, { environment, only, withPrograms }: How): Promise<RunDone> {
  if ('batches' in run) return await performTests(chosen(run, only), environment);
  return { passed: !withPrograms || (await succeeds(run.argv, environment)), ended: [], files: {} };
}

const chosen = (tests: Tests, only: How['only']): Tests =>
  only
    ? { ...tests, batches: tests.batches.map((files) => files.filter((file) => only.has(file))).filter(({ length }) => length > 0) }
    : tests;

const reporter = fileURLToPath(new URL('./reporter.ts', import.meta.url));
const measure = fileURLToPath(new URL('./measure.ts', import.meta.url));
const inOwnNetwork = ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
/** Without it root would change the machine's own network. Tests of others than root leave networks alone. */
const lacksNetworks = () => process.getuid?.() === 0 && spawnSync('unshare', ['--net', 'true']).status !== 0;
const why = 'no network namespace can be made here, though this is root: a container needs CAP_SYS_ADMIN for that';

export async function performTests(
  { batches, concurrency, timeoutMs, endsAtOnce = true, apart = false, report = 'stdout' }: Tests,
  environment: NodeJS.ProcessEnv,
): Promise<RunDone> {
  if (batches.length === 0) return { passed: true, ended: [], files: {} };
  if (apart && lacksNetworks()) {
    console.log(
      batches
        .flat()
        .map((file) => `﹣ ${file} # ${why}`)
        .join('\n'),
    );
    const skipped = batches.flat().map((file): Ended => ({ file, line: 1, name: file, nesting: 0, ms: 0, skipped: why }));
    return { passed: true, ended: skipped, files: {} };
  }
  const { modules, remove } = writeBatches(root, longestFirst(batches));
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-ended-'));
  const [endedFile, timesFile] = [join(folder, 'ended'), join(folder, 'times')];
  try {
    const argv = [
      ...(apart && process.getuid?.() === 0 ? inOwnNetwork : []),
      ...[process.execPath, '--disable-warning=ExperimentalWarning', `--import=${measure}`],
      ...[
        '--test-reporter=spec',
        `--test-reporter-destination=${report}`,
        `--test-reporter=${reporter}`,
        `--test-reporter-destination=${endedFile}`,
      ],
      ...['--test', `--test-concurrency=${concurrency}`, `--test-timeout=${timeoutMs}`, ...(endsAtOnce ? ['--test-force-exit'] : [])],
      ...modules.keys(),
    ];
    // Node's own limit does not end what a test left open, or an error that can't be told. Thorough tests may take an hour.
    const silentMs = (environment.PRONGHORN_THOROUGH ? 3_600_000 : timeoutMs) + 60_000;
    const passed = await succeeds(argv, { ...environment, PRONGHORN_TEST_TIMES: timesFile }, { file: endedFile, silentMs });
    const told = linesOf<Ended>(endedFile);
    const whole = new Set(told.filter(({ name, failed }) => name === lastTest && failed === undefined).map(({ file }) => file));
    const cut = [...modules].filter(([module]) => !whole.has(module)).map(([, batch]) => batch);
    const ended = told.map((one) => {
      const batch = modules.get(one.file);
      return { ...one, file: relative(root, one.file), ...(one.name === one.file && batch ? { name: batch.join(', ') } : {}) };
    });
    const ran = new Set(ended.map(({ file }) => file));
    const silent = batches.flat().filter((file) => !ran.has(file));
    for (const file of silent) ended.push({ file, line: 1, name: file, nesting: 0, ms: 0, failed: 'none of its tests ended' });
    for (const batch of passed ? cut : [])
      ended.push({
        file: batch[0] ?? '',
        line: 1,
        name: batch.join(', '),
        nesting: 0,
        ms: 0,
        failed: 'its process ended before its tests did',
      });
    return { passed: passed && silent.length === 0 && cut.length === 0, ended, files: timesOf(modules, ended, linesOf(timesFile)) };
  } finally {
    remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** So that no long one starts last. */
function longestFirst(batches: readonly Batch[]): Batch[] {
  const { files } = lastTimes('first');
  const seconds = (batch: Batch) => batch.reduce((sum, file) => sum + (files[file]?.seconds ?? 0), 0);
  return [...batches].sort((a, b) => seconds(b) - seconds(a));
}

/** A process is measured as a whole: its files share that by how long their tests took. */
function timesOf(
  modules: ReadonlyMap<string, Batch>,
  ended: readonly Ended[],
  processes: readonly (Took & { batch: string })[],
): Record<string, Took> {
  const files: Record<string, Took> = {};
  const took = msOfFiles(ended, new Set([...modules.values()].flat()));
  for (const { batch, seconds, cpuSeconds } of processes) {
    const tests = (modules.get(batch) ?? []).map((file) => ({ file, ms: took.get(file) ?? 0 }));
    const sum = tests.reduce((total, { ms }) => total + ms, 0);
    for (const { file, ms } of tests) {
      const share = sum === 0 ? 1 / tests.length : ms / sum;
      files[file] = { seconds: seconds * share, cpuSeconds: cpuSeconds * share };
    }
  }
  return files;
}

/** @param ended in the order of a report: what is in a suite before the suite, which may be declared in a helper of the file */
export function msOfFiles(ended: readonly Ended[], files: ReadonlySet<string>): Map<string, number> {
  const took = new Map<string, number>();
  let inside: string | undefined;
  for (const { file, nesting, ms } of ended) {
    const owner = files.has(file) ? file : inside;
    inside = nesting === 0 ? undefined : owner;
    if (nesting === 0 && owner !== undefined) took.set(owner, (took.get(owner) ?? 0) + ms);
  }
  return took;
}

const ends = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** Each is the first of a process group: what it starts ends with it. */
const running = new Set<ChildProcess>();

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

/** @param watched a file that grows while the program gets on; one that does not for `silentMs` is ended */
async function succeeds(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  watched?: { file: string; silentMs: number },
): Promise<boolean> {
  const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  running.add(child);
  const started = Date.now();
  const watching = setInterval(() => {
    if (watched === undefined) return;
    const last = Math.max(started, statSync(watched.file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (Date.now() - last < watched.silentMs) return;
    console.error(`No test has ended for ${duration(watched.silentMs / 1e3)}, so those that run are ended.`);
    endGroup(child.pid, 'SIGTERM');
  }, 5_000);
  const [code] = await once(child, 'exit').catch((error: Error) => {
    console.error(`${program} could not be started: ${error.message}`);
    return [1];
  });
  clearInterval(watching);
  running.delete(child);
  return code === 0;
}

/** A last line that was cut off is none. */
const linesOf = <T>(file: string): T[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    : [];

/** What failed, with the errors: the tests' own output may be thousands of lines above, and a CI often keeps only the last lines. */
export function failuresText(ended: readonly Ended[]): string {
  const failed = ended.filter((one) => one.failed !== undefined && one.failed !== '');
  if (failed.length === 0) return '';
  return `Failed:\n\n${failed.map(({ name, file, line, failed, ms }) => `✖ ${name} (${file}:${line}), after ${duration(ms / 1e3)}\n${failed}\n\n`).join('')}`;
}
