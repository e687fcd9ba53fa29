// What each step of `./pronghorn test` runs.
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Batch, deal } from './batches.ts';

export const root = fileURLToPath(new URL('../../../..', import.meta.url));
export const tools = process.env.PRONGHORN_TOOLS ?? `${root}/.tools`;

/** A program with its arguments, such as a linter. */
interface Program {
  argv: readonly string[];
}

/** Test files, in processes of Node's test runner. */
export interface Tests {
  batches: readonly Batch[];
  /** How many processes run side by side. */
  concurrency: number;
  /** A test that hangs fails after this time, and the tests behind it still run. A suite has no more time than a test. */
  timeoutMs: number;
  /** A process ends with its tests, whatever it still has open; default: true. */
  endsAtOnce?: boolean;
  /** In a network namespace of its own as root, and skipped where root can't make one. As another user these tests change no network. */
  apart?: boolean;
  /** The file that their report goes to; default: standard output. */
  report?: string;
}

export type Run = Program | Tests;

export const stepNames = ['lint', 'types', 'unit', 'e2e', 'containers'] as const;
export type Step = (typeof stepNames)[number];

const bin = (name: string) => `${root}/node_modules/.bin/${name}`;
const checkGo = `${root}/packages/transaction/check.sh`;
/** What was checked and is as it was, by its content, is not checked again. */
const typesOf = (project: string): string[] => [
  ...['--noEmit', '--incremental', '--tsBuildInfoFile', `${tools}/cache/types/${project.replaceAll(/\W/g, '-')}.json`],
  ...['-p', project],
];
const find = (...patterns: string[]): string[] => globSync(patterns, { cwd: root }).sort();
const alone = (files: readonly string[]): Batch[] => files.map((file) => [file]);

/** End-to-end tests wait a third of their time: for a page, a link, a process. */
const sideBySide = availableParallelism() + 2;
/** How many processes run at once; end-to-end tests that are apart are one of them. A few unit tests wait for what takes its time. */
export const lanes = { unit: availableParallelism() + 1, e2e: sideBySide + 1 };
const patience = { timeoutMs: 600_000 };

/** @returns the runs of a step. Those of a group run side by side, groups one after the other. */
export function runsOf(step: Step, isThorough: boolean): Run[][] {
  switch (step) {
    case 'lint':
      return [
        [
          { argv: [bin('biome'), 'check', '--error-on-warnings'] },
          { argv: [`${root}/docker/lint/run.sh`, `${tools}/linters`] },
          { argv: [checkGo, 'lint', `${tools}/go`] },
        ],
      ];
    case 'types':
      // The dashboard runs in browsers, so it has its own types; Vue's compiler checks its components.
      return [
        [
          { argv: [bin('tsc'), ...typesOf('.')] },
          { argv: [bin('tsc'), ...typesOf('packages/web/tsconfig.node.json')] },
          { argv: [`${root}/packages/web/node_modules/.bin/vue-tsc`, ...typesOf('packages/web')] },
        ],
      ];
    case 'unit':
      // Go's tests mostly wait. By default Node leaves one core free, which is half of a small machine.
      return [
        [{ argv: [checkGo, 'unit', `${tools}/go`] }, { ...patience, batches: unitBatches(), concurrency: lanes.unit, endsAtOnce: false }],
      ];
    case 'e2e':
      return isThorough ? [...firstTier(), ...firstTier(), ...thoroughAlone()] : firstTier();
    case 'containers':
      // Building all images for the first time takes minutes.
      return [[{ batches: alone(find('docker/e2e/**/*.test.ts')), concurrency: 1, timeoutMs: 1_200_000 }]];
  }
}

/** Its runs of test files, without linters and the like. */
export const testRunsOf = (step: Step, isThorough: boolean): Tests[] =>
  runsOf(step, isThorough).flatMap((group) => group.filter((run) => 'batches' in run));
export const testFilesOf = (step: Step, isThorough: boolean): string[] =>
  testRunsOf(step, isThorough).flatMap(({ batches }) => batches.flat());

function unitBatches(): Batch[] {
  return [
    ...['core', 'runner', 'api', 'cli'].flatMap((name) => deal(find(`packages/${name}/src/**/*.test.ts`), 27)),
    ...deal(find('packages/web/src/**/*.test.ts'), 29),
    ...alone(find('nginx/src/**/*.test.ts', 'docker/*.test.ts', 'bench/*/src/**/*.test.ts')),
  ];
}

/** None of these judges how fast anything is. Those that change networks, which Chrome would take for a change of its own, are apart. */
const firstTier = (): Run[][] => [
  [
    {
      ...patience,
      batches: [
        ...deal(find('packages/web/e2e/*.test.ts'), 5),
        ...deal(find('packages/{cli,runner,api}/e2e/{*,service/*}.test.ts', 'nginx/e2e/*.test.ts'), 4),
      ],
      concurrency: sideBySide,
    },
    { ...patience, batches: deal(find('packages/*/e2e/apart/*.test.ts'), 7), concurrency: 1, apart: true },
  ],
];

/** One file at a time and nothing beside it: many of these judge times. */
const thoroughAlone = (): Run[][] => [
  [{ ...patience, batches: alone(find('{packages/*,nginx}/e2e/thorough/*.test.ts')), concurrency: 1 }],
  [{ ...patience, batches: alone(find('packages/*/e2e/thorough/apart/*.test.ts')), concurrency: 1, apart: true }],
];
