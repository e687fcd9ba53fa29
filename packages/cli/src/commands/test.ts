// All checks of this repository: lint, types, unit tests, end-to-end tests with real Chrome and nginx.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import type { Command } from 'commander';
import { UsageError } from '../data.ts';
import { duration } from '../terminal.ts';

export function addTest(program: Command): void {
  program
    .command('test')
    .description('lint, types, unit tests, end-to-end tests with real Chrome and nginx')
    .argument('[step...]', `some of ${stepNames.join(', ')}; default: all`)
    .action((named: string[]) => {
      const unknown = named.find((name) => !(stepNames as string[]).includes(name));
      if (unknown !== undefined) throw new UsageError(`There is no step ${unknown}; the steps are ${stepNames.join(', ')}.`);
      process.exitCode = test(named.length === 0 ? stepNames : (named as Step[]));
    });
}

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const bin = (name: string) => `${root}/node_modules/.bin/${name}`;
const nodeTest = ['--test', '--test-reporter=spec', '--disable-warning=ExperimentalWarning'];

const steps = {
  lint: [[bin('biome'), 'check', '--error-on-warnings']],
  // The dashboard runs in browsers, so it has types of its own; its components are checked by Vue's compiler.
  types: [
    [bin('tsc'), '--noEmit'],
    [bin('tsc'), '--noEmit', '-p', 'packages/web/tsconfig.node.json'],
    [`${root}/packages/web/node_modules/.bin/vue-tsc`, '--noEmit', '-p', 'packages/web'],
  ],
  // Node would leave one core free, which is half of a small machine.
  unit: [
    [
      process.execPath,
      ...nodeTest,
      `--test-concurrency=${availableParallelism()}`,
      'packages/*/src/**/*.test.ts',
      'nginx/src/**/*.test.ts',
      'bench/*/src/**/*.test.ts',
    ],
  ],
  // One file at a time: each measures, and two Chromes at once would be each other's noise.
  e2e: [[process.execPath, ...nodeTest, '--test-concurrency=1', 'packages/*/e2e/**/*.test.ts', 'nginx/e2e/**/*.test.ts']],
} satisfies Record<string, string[][]>;

type Step = keyof typeof steps;
const stepNames = Object.keys(steps) as Step[];

/** @returns 0 when all named steps passed; the first that fails ends the run */
function test(named: readonly Step[]): number {
  for (const name of named) {
    console.log(styleText('bold', `\n${name}`));
    const started = performance.now();
    if (!steps[name].every(([command = '', ...args]) => run(command, args))) {
      console.error(`\n${name} failed. Run it alone with: ./pronghorn test ${name}`);
      return 1;
    }
    console.log(styleText('dim', `${name}: ${duration((performance.now() - started) / 1_000)}`));
  }
  return 0;
}

function run(command: string, args: string[]): boolean {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (error !== undefined) console.error(`${command} could not be started: ${error.message}`);
  return status === 0;
}
