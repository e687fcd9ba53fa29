// Commands about this machine and this repository.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { styleText } from 'node:util';
import { engines } from '@pronghorn/core/vocabulary';
import { type Command, Option } from 'commander';
import { dataOption, tokenFileOption, tokenOption } from '../options/connection-options.ts';
import { UsageError } from '../program/errors.ts';
import { running } from '../program/run-program.ts';
import { duration } from '../program/terminal.ts';
import { failedFiles, withoutPassed } from './test-failures.ts';

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check what this machine can do and lacks, or whether a service works')
    .addOption(new Option('--engine <name>', 'install what this engine needs, and require it').choices(engines))
    .addOption(dataOption())
    .option('--service <url>', 'check this service from outside instead; needs a viewer’s token for all checks')
    .addOption(tokenFileOption())
    .addOption(tokenOption())
    .action(running(() => import('../doctor/machine.ts'), 'doctor'));
}

export function addTest(program: Command): void {
  program
    .command('test')
    .description('run lint, types, unit tests, end-to-end tests with real Chrome and nginx, and tests of the images')
    .argument('[step...]', `some of ${stepNames.join(', ')} (default: all)`)
    .action(async (named: string[]) => {
      const unknown = named.find((name) => !(stepNames as string[]).includes(name));
      if (unknown !== undefined) throw new UsageError(`There is no step ${unknown}; the steps are ${stepNames.join(', ')}.`);
      process.exitCode = await test(named.length === 0 ? stepNames : (named as Step[]));
    });
}

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const tools = process.env.PRONGHORN_TOOLS ?? `${root}/.tools`;
const bin = (name: string) => `${root}/node_modules/.bin/${name}`;
const nodeTest = ['--test', '--test-reporter=spec', '--test-reporter-destination=stdout', '--disable-warning=ExperimentalWarning'];
const failuresReporter = fileURLToPath(new URL('./test-failures.ts', import.meta.url));
const checkGo = `${root}/packages/transaction/check.sh`;
/** A test that hangs fails after five minutes, even with handles open, and the tests behind it still run. */
const endToEnd = [...nodeTest, '--test-timeout=300000', '--test-force-exit'];

/** In a network namespace of its own, where one can be made; elsewhere these tests are skipped, or change no network. */
const apart = process.getuid?.() === 0 ? ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'] : [];

/** The commands of each step. Those of a group run side by side, groups one after the other. */
const steps = {
  lint: [
    [
      [bin('biome'), 'check', '--error-on-warnings'],
      [`${root}/docker/lint/run.sh`, `${tools}/linters`],
      [checkGo, 'lint', `${tools}/go`],
    ],
  ],
  // The dashboard runs in browsers, so it has its own types; Vue's compiler checks its components.
  types: [
    [
      [bin('tsc'), '--noEmit'],
      [bin('tsc'), '--noEmit', '-p', 'packages/web/tsconfig.node.json'],
      [`${root}/packages/web/node_modules/.bin/vue-tsc`, '--noEmit', '-p', 'packages/web'],
    ],
  ],
  // By default Node leaves one core free, which is half of a small machine. `unitBatches` adds the packages that are not named here. Go's
  // tests mostly wait.
  unit: [
    [
      [checkGo, 'unit', `${tools}/go`],
      [
        process.execPath,
        ...nodeTest,
        `--test-concurrency=${availableParallelism()}`,
        'packages/web/src/**/*.test.ts',
        'nginx/src/**/*.test.ts',
        'docker/*.test.ts',
        'bench/*/src/**/*.test.ts',
      ],
    ],
  ],
  e2e: [
    // One file at a time and nothing beside it: these tests judge times.
    [[process.execPath, ...endToEnd, '--test-concurrency=1', '{packages/*,nginx}/e2e/alone/*.test.ts']],
    [
      // These run commands, call routes and look at pages; none judges how fast anything is.
      [
        process.execPath,
        ...endToEnd,
        '--test-concurrency=3',
        'packages/{cli,runner,api,web}/e2e/{*,service/*}.test.ts',
        'nginx/e2e/*.test.ts',
      ],
      // These change networks, which Chrome would take for a change of its own, and mostly wait.
      [...apart, process.execPath, ...endToEnd, '--test-concurrency=1', 'packages/*/e2e/apart/*.test.ts'],
    ],
  ],
  // Building all images for the first time takes minutes.
  containers: [[[process.execPath, ...nodeTest, '--test-timeout=1200000', '--test-concurrency=1', 'docker/e2e/**/*.test.ts']]],
} satisfies Record<string, string[][][]>;

type Step = keyof typeof steps;
const stepNames = Object.keys(steps) as Step[];

/**
 * Steps whose failed files run once more, each alone: browsers, networks and deadlines fail now and then on a machine whose host takes its CPUs
 * away. What passes only then is listed. With more failed files than this it is no such accident.
 */
const runAgain: readonly Step[] = ['e2e', 'containers'];
const mostAgain = 12;

/** @returns 0 when all named steps passed; the first that fails ends the run */
async function test(named: readonly Step[]): Promise<number> {
  for (const name of named) {
    console.log(styleText('bold', `\n${name}`));
    const started = performance.now();
    if (!(await passes(name))) {
      console.error(`\n${name} failed. Run it alone with: ./pronghorn test ${name}`);
      return 1;
    }
    console.log(styleText('dim', `${name}: ${duration((performance.now() - started) / 1_000)}`));
  }
  return 0;
}

async function passes(name: Step): Promise<boolean> {
  const batches = name === 'unit' ? unitBatches(root, ['web']) : undefined;
  // Ctrl-C also reaches the tests and ends them: this process goes on, to remove their batches.
  let interrupted = false;
  const ignore = () => {
    interrupted = true;
  };
  process.on('SIGINT', ignore);
  try {
    const runs: Run[] = [];
    for (const group of steps[name])
      runs.push(
        ...(await Promise.all(group.map((command) => run(command.includes('--test') ? [...command, ...(batches?.files ?? [])] : command)))),
      );
    const failed = runs.filter(({ passed }) => !passed);
    // The output of a single command has just been shown.
    if (runs.length > 1) for (const { report } of failed) if (report) console.error(`\nFailed:\n\n${withoutPassed(report)}`);
    return failed.length === 0 || (!interrupted && runAgain.includes(name) && (await passesAgain(failed)));
  } finally {
    batches?.remove();
    process.off('SIGINT', ignore);
  }
}

/** Runs the files that failed once more, one after the other and nothing beside them. @returns whether each passed now */
async function passesAgain(failed: readonly Run[]): Promise<boolean> {
  const files = failed.flatMap(({ command, files }) =>
    files.map((file) => ({ file, command: [...command.filter((word) => !word.includes('*')), file] })),
  );
  if (failed.some(({ files }) => files.length === 0) || files.length > mostAgain) return false;
  const passed: string[] = [];
  for (const { file, command } of files) {
    console.error(styleText('bold', `\nOnce more, alone: ${file}`));
    if (!(await run(command)).passed) return false;
    passed.push(file);
  }
  console.error(`\nFAILED AT FIRST, and passed when run once more, alone:\n${passed.map((file) => `  ${file}\n`).join('')}`);
  return true;
}

interface Run {
  command: readonly string[];
  passed: boolean;
  /** The failed tests with their errors; empty where it ran none. */
  report: string;
  /** The test files that failed, from the repository's root. */
  files: readonly string[];
}

async function run(command: readonly string[]): Promise<Run> {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-test-'));
  try {
    const failures = join(folder, 'failures');
    const [program = '', ...args] = command.flatMap((word) =>
      word === '--test' ? [`--test-reporter=${failuresReporter}`, `--test-reporter-destination=${failures}`, word] : [word],
    );
    const child = spawn(program, args, { cwd: root, stdio: 'inherit' });
    const [code] = await once(child, 'exit').catch((error: Error) => {
      console.error(`${program} could not be started: ${error.message}`);
      return [1];
    });
    const report = code !== 0 && existsSync(failures) ? readFileSync(failures, 'utf8') : '';
    const all = globSync(
      command.filter((word) => word.includes('*')),
      { cwd: root },
    );
    return { command, passed: code === 0, report, files: code === 0 ? [] : failedFiles(report, all) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const batchSize = 8;

/**
 * Writes modules that each import up to eight unit test files of one package. Neighbours, which are alike and take equally long, go to different
 * batches. A file that can't be loaded fails under its own name, and the others of its batch still run.
 *
 * @param root of the repository
 * @param alone packages that are left out, since their tests change what a process has only once: hooks, time zone, globals
 * @returns the paths of the modules, and a function that removes them
 */
export function unitBatches(root: string, alone: readonly string[]): { files: string[]; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-unit-'));
  const packages = readdirSync(join(root, 'packages')).filter((name) => !alone.includes(name));
  const files = packages.sort().flatMap((name) => {
    const tests = globSync(`packages/${name}/src/**/*.test.ts`, { cwd: root }).sort();
    const batches = Array.from({ length: Math.ceil(tests.length / batchSize) }, (): string[] => []);
    for (const [i, path] of tests.entries()) batches[i % batches.length]?.push(path);
    return batches.map((paths, i) => {
      const file = join(folder, `${name}-${i + 1}.test.mjs`);
      writeFileSync(file, `import { test } from 'node:test';\n${paths.map((path) => importing(root, path)).join('')}`);
      return file;
    });
  });
  return { files, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function importing(root: string, path: string): string {
  const failing = `test(${JSON.stringify(`${path} can be loaded`)}, () => { throw error; })`;
  return `await import(${JSON.stringify(pathToFileURL(join(root, path)).href)}).catch((error) => void ${failing});\n`;
}
