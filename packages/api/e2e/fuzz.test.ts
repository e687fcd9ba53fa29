// Schemathesis asks every route of the document for what it takes and for what it doesn't: no 5xx, no status, media type or body that the
// document doesn't name. PRONGHORN_FUZZ_EXAMPLES asks each route more often, PRONGHORN_FUZZ_SEED otherwise.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { isThorough, proves, samples, thoroughly } from '@pronghorn/core/testing';
import Sqlite from 'better-sqlite3';
import { findSchemathesis } from './schemathesis.ts';

/** How often each route is asked, besides what covers its document. */
const examples = process.env.PRONGHORN_FUZZ_EXAMPLES ?? String(samples(1, 10));
const phases = isThorough ? 'coverage,fuzzing' : 'fuzzing';
/** What only reads answers by its document's schema, and unit tests ask each route without a token: the first tier fuzzes what takes bodies. */
const methods = isThorough ? [] : ['POST', 'PUT', 'DELETE'].flatMap((method) => ['--include-method', method]);
const seed = process.env.PRONGHORN_FUZZ_SEED ?? '1';
const found = findSchemathesis();
const skip = 'missing' in found ? found.missing : false;
const conformance = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'response_headers_conformance',
];

type Target = { url: string; token: string; visit: string; lease: string; folder: string; end(): Promise<void> };

async function startTarget(t: TestContext, kind: 'open' | 'tokens'): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-fuzz-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [join(import.meta.dirname, 'fuzz-target.ts'), folder, kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const end = async () => {
    child.kill('SIGTERM');
    await exited;
  };
  t.after(end);
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(([code]) => Promise.reject(new Error(`the api ended with ${code}`))),
  ])) as [string];
  return { ...JSON.parse(line), folder, end };
}

/**
 * @param ids whether paths name what is there, so that the work behind them is reached; else the fuzzer makes names up.
 * @returns its report, where it found something.
 */
function fuzz(target: Target, given: { ids: boolean; checks: readonly string[]; token?: string }): string | null {
  const config = join(target.folder, 'schemathesis.toml');
  // What is deleted is the third of its kind; events never end.
  const hooks = `hooks = ${JSON.stringify(join(import.meta.dirname, 'fuzz-hooks.py'))}\n`;
  // Who waits for a campaign that nobody performs is answered after a minute, which is longer than the fuzzer waits.
  const parameters = '[parameters]\n"query.wait" = 0\n';
  const ids = `
"path.id" = "1"
"path.name" = "office"
[[operations]]
include-method = "DELETE"
parameters = { "path.id" = "3" }
[[operations]]
include-path-regex = "/visits/"
parameters = { "path.id" = "${target.visit}" }
[[operations]]
include-path-regex = "/leases/"
parameters = { "path.id" = "${target.lease}" }
[[operations]]
include-path-regex = "/environments/"
parameters = { "path.id" = "seed" }
`;
  // A preview is asked while somebody types: what does not fit is told by a 200 with its problems. What is far too long is a 431.
  const refusals = `
[checks.negative_data_rejection]
expected-statuses = ["4xx"]
[[operations]]
include-path-regex = "/preview$"
[operations.checks.negative_data_rejection]
expected-statuses = ["200", "4xx"]
`;
  writeFileSync(config, [hooks, parameters, ...(given.ids ? [ids] : []), refusals].join(''));
  const { stdout, stderr, status } = spawnSync(
    'command' in found ? found.command : '',
    [
      ...[
        '--config-file',
        config,
        'run',
        `${target.url}/api/v1/openapi.json`,
        '--no-color',
        '--seed',
        seed,
        '--generation-database',
        'none',
      ],
      ...['--checks', given.checks.join(','), '--phases', phases, '--max-examples', examples, '--request-timeout', '120'],
      ...[
        '--exclude-path-regex',
        '/events$',
        '--suppress-health-check',
        'all',
        '--warnings',
        'off',
        '--continue-on-failure',
        '--no-shrink',
      ],
      ...methods,
      ...(given.token ? ['--header', `Authorization: Bearer ${given.token}`] : []),
    ],
    { encoding: 'utf8', cwd: target.folder, maxBuffer: 2 ** 28 },
  );
  if (status === 0) return null;
  return `${stdout}\n${stderr}`.slice(-30_000);
}

const assertNothing = (report: string | null) => assert.ok(report === null, `${report}`);

const assertSound = async ({ folder, end }: Target) => {
  await end();
  const database = new Sqlite(join(folder, 'pronghorn.db'));
  assert.deepEqual(database.pragma('integrity_check'), [{ integrity_check: 'ok' }]);
  assert.deepEqual(database.pragma('foreign_key_check'), []);
  database.close();
};

const timeout = samples(900_000, 3_600_000);

// ignored_auth asks each route again without the token and with a wrong one.
test('routes answer as documented to who has a token, and nothing to who has none or a wrong one', {
  ...proves('service', 'access', 'hostile'),
  skip,
  timeout,
}, async (t) => {
  const target = await startTarget(t, 'tokens');
  const checks = [...conformance, 'negative_data_rejection', 'ignored_auth'];
  assertNothing(fuzz(target, { ids: true, checks, token: target.token }));
  await assertSound(target);
});

for (const ids of [true, false])
  test(`every route answers as documented, with ${ids ? 'what is there' : 'made-up names'}, without tokens`, {
    skip: thoroughly('service', 'hostile').skip || skip,
    timeout,
  }, async (t) => {
    const target = await startTarget(t, 'open');
    assertNothing(fuzz(target, { ids, checks: [...conformance, 'negative_data_rejection'] }));
    await assertSound(target);
  });
