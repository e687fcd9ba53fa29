// Schemathesis asks every route of the document for what it takes and for what it doesn't: no 5xx, no status, media type or body that the
// document doesn't name. PRONGHORN_FUZZ_EXAMPLES asks each route more often, PRONGHORN_FUZZ_SEED otherwise.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import Sqlite from 'better-sqlite3';
import { findSchemathesis } from './schemathesis.ts';

/** What only reads answers by its document's schema, and unit tests ask each route without a token: a part fuzzes what takes bodies, once. */
const ofPart = ['POST', 'PUT', 'DELETE']
  .flatMap((method) => ['--include-method', method])
  .concat('--phases', 'fuzzing', '--max-examples', '1');
const ofAll = ['--phases', 'coverage,fuzzing', '--max-examples', process.env.PRONGHORN_FUZZ_EXAMPLES ?? '10'];
const seed = process.env.PRONGHORN_FUZZ_SEED ?? '1';
const found = findSchemathesis();
export const skip = 'missing' in found ? found.missing : false;
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

interface Fuzzing {
  /** Whether paths name what is there, so that the work behind them is reached; else the fuzzer makes names up. */
  ids: boolean;
  /** All routes, by their document and several times; else a part of them. */
  all: boolean;
  /** Who asks: somebody with a token, whose routes are also asked without it and with a wrong one; or anybody. */
  kind: 'open' | 'tokens';
}

/** Fails on what the fuzzer finds, and on a database that it broke. */
export async function answersAsDocumented(t: TestContext, { ids, all, kind }: Fuzzing): Promise<void> {
  const target = await startTarget(t, kind);
  const report = fuzz(target, {
    ids,
    checks: [...conformance, 'negative_data_rejection', ...(kind === 'tokens' ? ['ignored_auth'] : [])],
    ...(kind === 'tokens' ? { token: target.token } : {}),
    extent: all ? ofAll : ofPart,
  });
  assert.ok(report === null, `${report}`);
  await target.end();
  const database = new Sqlite(join(target.folder, 'pronghorn.db'));
  assert.deepEqual(database.pragma('integrity_check'), [{ integrity_check: 'ok' }]);
  assert.deepEqual(database.pragma('foreign_key_check'), []);
  database.close();
}

/** @returns its report, where it found something. */
function fuzz(
  target: Target,
  given: { ids: boolean; checks: readonly string[]; token?: string; extent: readonly string[] },
): string | null {
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
  const [program, ...first] = 'command' in found ? found.command : [''];
  const { stdout, stderr, status } = spawnSync(
    program,
    [
      ...first,
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
      ...['--checks', given.checks.join(','), '--request-timeout', '120'],
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
      ...given.extent,
      ...(given.token ? ['--header', `Authorization: Bearer ${given.token}`] : []),
    ],
    { encoding: 'utf8', cwd: target.folder, maxBuffer: 2 ** 28 },
  );
  if (status === 0) return null;
  return `${stdout}\n${stderr}`.slice(-30_000);
}
