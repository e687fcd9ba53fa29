import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Type from 'typebox';
import { UsageError } from '../program/errors.ts';
import { closest, leavesOf, printedConfig, readConfig } from './read.ts';
import { type Config, ConfigSchema } from './schema.ts';

function folderWith(t: TestContext, content?: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-config-'));
  t.after(() => rmSync(folder, { recursive: true }));
  if (content !== undefined) writeFileSync(join(folder, 'pronghorn.config.json'), content);
  return folder;
}
const read = (directory: string, environment: Record<string, string> = {}, flags = {}, file?: string) =>
  readConfig<Config>(ConfigSchema, { directory, environment, flags, file });

/** The lines that a refusal consists of. */
function refusal(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return error.message.split('\n').map((line) => line.trim());
  }
  assert.fail('it was not refused');
}

test('without a file, variables and flags every setting has its default', (t) => {
  const { config, origins, warnings } = read(folderWith(t), { PATH: '/bin' });
  assert.deepEqual(config.listen, { host: '127.0.0.1', port: 8080 });
  assert.equal(config.access.limits.submitter.maxSites, 100);
  assert.deepEqual([...new Set(Object.values(origins))], ['default']);
  assert.deepEqual(warnings, []);
});

test('flags win over the environment, that over the file, and that over defaults; each value says where it comes from', (t) => {
  const folder = folderWith(t, JSON.stringify({ listen: { host: '0.0.0.0', port: 1 }, log: { level: 'debug' } }));
  const { config, origins } = read(
    folder,
    { PRONGHORN_LISTEN_PORT: '2', PRONGHORN_LOG_LEVEL: 'warn' },
    { 'listen.port': 3, data: undefined },
  );
  assert.deepEqual(config.listen, { host: '0.0.0.0', port: 3 });
  assert.equal(config.log.level, 'warn');
  assert.deepEqual(
    [origins['listen.host'], origins['listen.port'], origins['log.level'], origins['log.pretty']],
    [join(folder, 'pronghorn.config.json'), 'flag', 'PRONGHORN_LOG_LEVEL', 'default'],
  );
});

test('variables are read as what their settings are', (t) => {
  const { config } = read(folderWith(t), {
    PRONGHORN_ACCESS_PUBLIC_READING: 'yes',
    PRONGHORN_ALLOWED_HOSTS: 'pronghorn.example, perf.example',
    PRONGHORN_RETENTION_RESOURCES_DAYS: 'null',
    PRONGHORN_RETENTION_EVIDENCE_DAYS: '14',
    PRONGHORN_RUNNER_LOCATION: '7',
    PRONGHORN_ACCESS_RATE_LIMITS_WITHOUT_TOKEN: '60',
  });
  assert.equal(config.access.publicReading, true);
  assert.deepEqual(config.allowedHosts, ['pronghorn.example', 'perf.example']);
  assert.deepEqual([config.retention.resourcesDays, config.retention.evidenceDays], [null, 14]);
  assert.equal(config.runner.location, '7');
  assert.equal(config.access.rateLimits.withoutToken, 60);
});

test('every problem is named with its place, what was found and what was expected', (t) => {
  const folder = folderWith(t, JSON.stringify({ $schema: './x', listen: { prot: 80 }, log: { level: 'loud' }, queue: 5, flowers: {} }));
  const file = join(folder, 'pronghorn.config.json');
  const lines = refusal(() =>
    read(folder, { PRONGHORN_LISTEN_PORT: 'eighty', PRONGHORN_SCHEDULES_ENABLED: 'perhaps' }, { 'listen.port': 70_000 }),
  );
  assert.deepEqual(lines.slice(0, 4), [
    'The configuration cannot be used:',
    `${file}: listen.prot is unknown; did you mean port?`,
    `${file}: queue is 5; expected an object.`,
    `${file}: flowers is unknown; expected one of ${Object.keys(ConfigSchema.properties).join(', ')}.`,
  ]);
  assert.deepEqual(lines.slice(4), [
    `${file}: log.level is "loud"; expected one of silent, fatal, error, warn, info, debug, trace.`,
    'PRONGHORN_LISTEN_PORT is "eighty"; expected a whole number from 0 to 65535.',
    'PRONGHORN_SCHEDULES_ENABLED is "perhaps"; expected true or false.',
    'The flag for listen.port is 70000; expected a whole number from 0 to 65535.',
  ]);
});

test('a file that is missing or no JSON is named', (t) => {
  const folder = folderWith(t, '{ "listen": ');
  assert.match(refusal(() => read(folder)).join(), /pronghorn\.config\.json is not JSON \(/);
  assert.match(
    refusal(() => read(folder, {}, {}, 'other.json')).join(),
    /other\.json can't be read \(there is no such file or folder\)\. Name another with --config/,
  );
  assert.match(refusal(() => read(folder, { PRONGHORN_CONFIG: '/none.json' })).join(), /\/none\.json can't be read/);
});

test('a variable that looks like ours and that nothing reads is warned of', (t) => {
  const { warnings } = read(folderWith(t), { PRONGHORN_LISTEN_PROT: '80', PRONGHORN_FLOWERS: '1', PRONGHORN_CHROME: '/usr/bin/chromium' });
  assert.deepEqual(warnings, [
    'The environment variable PRONGHORN_FLOWERS is unknown and has no effect.',
    'The environment variable PRONGHORN_LISTEN_PROT is unknown and has no effect; did you mean PRONGHORN_LISTEN_PORT?',
  ]);
});

test('the data folder of a file is beside that file, that of a variable where the command runs', (t) => {
  const folder = folderWith(t, '{ "data": "measured" }');
  assert.equal(read(folder).config.data, join(folder, 'measured'));
  assert.equal(read('/elsewhere', {}, {}, join(folder, 'pronghorn.config.json')).config.data, join(folder, 'measured'));
  assert.equal(read('/elsewhere', { PRONGHORN_DATA: 'here' }).config.data, '/elsewhere/here');
});

test('what is secret is neither printed nor told in a refusal', () => {
  const schema = Type.Object({ mail: Type.Object({ password: Type.String({ default: '', pattern: '^.{8,}$', secret: true }) }) });
  const environment = { PRONGHORN_MAIL_PASSWORD: 'open sesame' };
  const printed = printedConfig(schema, readConfig<object>(schema, { directory: '/', environment }));
  assert.match(printed, /mail\.password +\(hidden\) +PRONGHORN_MAIL_PASSWORD/);
  const lines = refusal(() => readConfig(schema, { directory: '/', environment: { PRONGHORN_MAIL_PASSWORD: 'short' } }));
  assert.match(lines.join(), /PRONGHORN_MAIL_PASSWORD is a secret; expected/);
  assert.doesNotMatch(printed + lines.join(), /sesame|short/);
});

test('no two settings have the same variable, and each has a description and a default that fits', () => {
  const leaves = leavesOf(ConfigSchema);
  assert.equal(new Set(leaves.map(({ variable }) => variable)).size, leaves.length);
  for (const { path, schema } of leaves) {
    assert.ok(schema.description, path.join('.'));
    assert.notEqual(schema.default, undefined, path.join('.'));
  }
  assert.deepEqual(readConfig(ConfigSchema, { directory: '/', environment: {} }).warnings, []);
});

test('a word that is close to a known one is taken for it, others are not', () => {
  assert.equal(closest('allowedHost', ['allowedHosts', 'access']), 'allowedHosts');
  assert.equal(closest('Listen', ['listen']), 'listen');
  assert.equal(closest('flowers', ['listen', 'log']), undefined);
});

test('rules for jobs come from the file or, as JSON, from the environment, and what is wrong with one is named', (t) => {
  const rule = {
    ...{ name: 'shop', issuer: 'https://gitlab.example', audience: 'https://p.example' },
    ...{ claims: { project_path: 'acme/shop' }, role: 'submitter', scope: { hosts: ['*.shop.example'] } },
  };
  const file = (rules: unknown) => folderWith(t, JSON.stringify({ access: { oidc: rules } }));
  assert.deepEqual(read(file([rule])).config.access.oidc, [rule]);
  assert.deepEqual(read(folderWith(t), { PRONGHORN_ACCESS_OIDC: JSON.stringify([rule]), PRONGHORN_ID_TOKEN: 'x' }), {
    ...read(file([rule])),
    origins: { ...read(folderWith(t)).origins, 'access.oidc': 'PRONGHORN_ACCESS_OIDC' },
  });
  for (const [wrong, words] of [
    [{ ...rule, role: 'boss' }, /expected a list of objects \(JSON\) \(0\.role must be equal to one of the allowed values\)\.$/],
    [{ ...rule, claims: { project_id: 7 } }, /\(0\.claims\.project_id must be string\)\.$/],
    [{ ...rule, audience: undefined }, /\(0 must have required properties audience\)\.$/],
    [{ ...rule, claim: {} }, /\(0\.claim is unknown\)\.$/],
  ] as const)
    assert.match(refusal(() => read(file([wrong])))[1] ?? '', words);
  assert.match(
    refusal(() => read(folderWith(t), { PRONGHORN_ACCESS_OIDC: 'shop' }))[1] ?? '',
    /is "shop"; expected a list of objects \(JSON\)\.$/,
  );
});
