import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { proves } from '../../../core/src/testing/proves.ts';
import { failuresText, performTests } from './run.ts';
import { root } from './steps.ts';

const files = {
  helper:
    "import { suite, test } from 'node:test';\nsuite('many', () => { test('inside', () => { throw new Error('in a helper'); }); });\n",
  'a.test': "import { test } from 'node:test';\nimport './helper.ts';\ntest('its own', () => {});\n",
  // Its tests come late: the process must not end before.
  'late.test':
    "import { test } from 'node:test';\nawait new Promise((resolve) => setTimeout(resolve, 500));\ntest('late', async () => {\n  await using _ = { [Symbol.asyncDispose]: () => Promise.reject(new Error('left open')) };\n  throw new Error('seen');\n});\n",
  'none.test': 'export {};\n',
  'b.test': "throw new Error('thrown at once');\n",
  'c.test': "import { test } from 'node:test';\ntest('endless', () => { setInterval(() => {}, 1_000); return new Promise(() => {}); });\n",
  'd.test': "import { test } from 'node:test';\ntest('killed', () => process.kill(process.pid, 'SIGKILL'));\n",
  'e.test':
    "import { test } from 'node:test';\ntest('good', () => { for (const end = performance.now() + 300; performance.now() < end; ); });\ntest('left out', { skip: 'needs a moon' }, () => {});\n",
  around: "import { suite } from 'node:test';\nexport const around = (tests) => suite('around', tests);\n",
  'g.test':
    "import { test } from 'node:test';\nimport { around } from './around.ts';\naround(() => { test('long', () => { for (const end = performance.now() + 300; performance.now() < end; ); }); });\n",
  'h.test':
    "import { test } from 'node:test';\ntest('told', () => {});\ntest('cut', () => { setTimeout(() => process.exit(0), 100); return new Promise((resolve) => setTimeout(resolve, 2_000)); });\n",
  'f.test': "import { nothing } from 'node:fs';\nnothing();\n",
};

test(
  'tests are run in batches: each failure is known by its file and line, and the others run all the same',
  proves('tests'),
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'pronghorn-run-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, `${name}.ts`), text);
    const path = (name: string) => relative(root, join(folder, `${name}.ts`));
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
    // What the inner tests print would be read as that of this one.
    const run = async (...batches: string[][]) =>
      await performTests(
        { batches: batches.map((names) => names.map(path)), concurrency: 2, timeoutMs: 20_000, report: join(folder, 'report') },
        environment,
      );

    const {
      passed,
      ended,
      files: took,
    } = await run(['a.test', 'e.test', 'f.test', 'g.test', 'late.test'], ['b.test', 'none.test'], ['c.test'], ['d.test']);
    assert.equal(passed, false);
    const told = (name: string) => ended.find((one) => one.name.includes(name));
    assert.deepEqual(
      [told('inside')?.file, told('inside')?.line, told('many')?.failed, told('left out')?.skipped],
      [path('helper'), 2, '', 'needs a moon'],
    );
    const failures = failuresText(ended);
    assert.match(failures, /✖ inside \(.*helper\.ts:2\).*\nError: in a helper/);
    assert.match(failures, /b\.test\.ts can be loaded.*\nError: thrown at once/s);
    assert.match(failures, /✖ endless .*timed out after 20000ms/s);
    assert.match(failures, /✖ .*d\.test\.ts \(.*\nits process ended by SIGKILL/);
    assert.match(failures, /f\.test\.ts can be loaded.*does not provide an export named 'nothing'/s);
    assert.match(failures, /✖ late .*\nError: seen\n.*while it cleaned up: Error: left open/s);
    assert.match(failures, /none\.test\.ts:1.*\nnone of its tests ended/);
    assert.equal((await run(['h.test', 'e.test'])).passed, false);
    const [cut] = (await run(['h.test'])).ended.slice(-1);
    assert.deepEqual([cut?.file, cut?.failed], [path('h.test'), 'its process ended before its tests did']);
    const good = took[path('e.test')];
    assert.ok(good && good.seconds >= 0.3 && good.cpuSeconds > 0, JSON.stringify(took));
    assert.ok((took[path('g.test')]?.seconds ?? 0) >= 0.3, `its suite is declared in a helper: ${JSON.stringify(took)}`);
  },
);
