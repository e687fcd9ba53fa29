import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionsIn, namesIn, nearestTo } from './changed.ts';

const graph = {
  imports: new Map([
    ['packages/core/e2e/near.test.ts', ['packages/core/src/near.ts']],
    ['packages/core/src/near.ts', ['packages/core/src/far.ts']],
    ['packages/core/src/far.ts', ['packages/core/src/near.ts', 'packages/core/fixtures/far.json']],
    ['packages/cli/e2e/a.test.ts', ['packages/cli/src/main.ts']],
    ['packages/cli/src/main.ts', ['packages/cli/src/commands/all.ts']],
  ]),
  actions: new Map([
    ['gallop', ['packages/cli/src/gallop.ts']],
    ['rest', ['packages/cli/src/rest.ts']],
  ]),
};

test('a test is as far from a change as imports lead there, in circles too', () => {
  const distance = (changed: string) => nearestTo(new Set([changed]), 'packages/core/e2e/near.test.ts', '', graph).distance;
  assert.equal(distance('packages/core/e2e/near.test.ts'), 0);
  assert.equal(distance('packages/core/fixtures/far.json'), 3);
  assert.equal(distance('packages/core/src/other.ts'), undefined);
  const beside = nearestTo(new Set(['packages/core/src/far.ts']), 'packages/core/src/a.test.ts', '', {
    ...graph,
    imports: new Map([...graph.imports, ['packages/core/src/a.test.ts', ['packages/core/e2e/near.test.ts']]]),
  });
  assert.equal(beside.distance, 1, 'in the same folder, however many imports lead there');
});

test('a test of the command line is reached by the commands that it names', () => {
  const distance = (changed: string) =>
    nearestTo(new Set([changed]), 'packages/cli/e2e/a.test.ts', "run(['gallop', '--far'])", graph).distance;
  assert.equal(distance('packages/cli/src/gallop.ts'), 3);
  assert.equal(distance('packages/cli/src/rest.ts'), undefined);
  assert.equal(distance('packages/cli/src/commands/all.ts'), 2);
});

test('what a file names is found: imports, paths that it reads, folders, entries of packages', () => {
  const text = `import { a } from './steps.ts';
    export * from "@pronghorn/core/math";
    new URL('../../../../docs/', import.meta.url); join(home, '../nowhere.ts'); const words = 'a sentence ./with';
    join(import.meta.dirname, 'changed.test.ts'); join(root, 'action.yml'); readFileSync(join(import.meta.dirname, 'was-here.json'));`;
  const entries = new Map([['@pronghorn/core/math', 'packages/core/src/math/index.ts']]);
  const gone = new Set(['packages/cli/src/test-command/was-here.json']);
  assert.deepEqual(namesIn('packages/cli/src/test-command/changed.ts', text, entries, gone), [
    'packages/cli/src/test-command/steps.ts',
    'packages/core/src/math/index.ts',
    'docs/',
    'packages/cli/src/test-command/changed.test.ts',
    'action.yml',
    ...gone,
  ]);
});

test('what a command loads is found', () => {
  const text = `import { b } from './b.ts';
export function addGallop(program: Command): void {
  program.command('gallop').action(running(() => import('../gallop.ts'), 'gallop'));
}
export function addRest(program: Command): void {
  const rest = program.command('rest');
  rest.command('long').action(running(() => import('../rest.ts'), 'long'));
}
`;
  assert.deepEqual(actionsIn(text), [
    ['gallop', "import('../gallop.ts')"],
    ['rest', "import('../rest.ts')"],
  ]);
});
