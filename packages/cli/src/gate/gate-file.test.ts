import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { tooFewRounds } from '@pronghorn/core/campaign';
import { GateFile } from '@pronghorn/core/schemas';
import type { GateOutcome } from '@pronghorn/core/vocabulary';
import { Ajv2020 } from 'ajv/dist/2020.js';
import Value from 'typebox/value';
import { madeUpAnswer } from './answer.fixture.ts';
import { campaignOf, gateSchema, inTheWorld, readGateFile, rulesOf, siteOf } from './gate-file.ts';
import type { GateSchema } from './gate-options.ts';
import { defaultExitCodes, type ExitCodes, exitCodeOf, exitCodesFrom } from './reported.ts';

const guide = new URL('../../../../docs/', import.meta.url);

function fileOf(t: TestContext, content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-gate-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'pronghorn.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test('a file is a campaign with assertions', (t) => {
  const content = {
    $schema: 'https://example.org/pronghorn.schema.json',
    ...{ sites: [{ url: 'https://shop.example/' }], conditions: ['4g', 'latency-100'], protocols: ['h2', 'h3'], rounds: 30 },
    assertions: ['onLoad p75 <= 2.5 s on 4g', { kind: 'protocols', metric: 'onLoad', candidate: 'h3', baseline: 'h2', margin: 0.05 }],
    exitCodes: { inconclusive: 0 },
    decide: 'point',
  };
  const file = readGateFile(fileOf(t, content));
  assert.deepEqual(rulesOf(file), { assertions: content.assertions, decide: 'point' });
  const { conditions, protocols, rounds } = content;
  assert.deepEqual(campaignOf(file), { conditions, protocols, rounds });
});

test('a file that says nothing of its campaign may judge one of any engine that is there', (t) => {
  const file = fileOf(t, { assertions: ['responseTime p75 <= 200 ms'] });
  assert.throws(() => readGateFile(file), /A page has no responseTime/);
  assert.equal(readGateFile(file, true).assertions.length, 1);
  const ofPages = fileOf(t, { engine: 'firefox', assertions: ['responseTime p75 <= 200 ms'] });
  assert.throws(() => readGateFile(ofPages, true), /A page has no responseTime/);
});

test('a site of a file has a URL or a folder, which is meant from where the file is', () => {
  const site = { name: 'Shop', expectStatus: 404 };
  assert.deepEqual(siteOf({ ...site, url: 'https://a.example/' }, 'x/pronghorn.json'), { ...site, url: 'https://a.example/' });
  const found = siteOf({ ...site, folder: '../dist', fallback: 'index.html' }, '/srv/ci/pronghorn.json');
  assert.deepEqual(found, { ...site, folder: '/srv/dist', page: '/', fallback: 'index.html' });
  assert.throws(() => siteOf({ name: 'Shop' }, 'x.json'), /x\.json has a site with neither url nor folder/);
  assert.throws(() => inTheWorld(found), /The folder \/srv\/dist is on this machine, where the service's runners cannot read it/);
});

test('what is wrong with a file is said with its place', (t) => {
  const refused: [unknown, RegExp][] = [
    ['{', /is not JSON/],
    [{}, /wrong at its top: it must have required properties assertions/],
    [{ assertions: [] }, /wrong at \/assertions: it must not have fewer than 1 items/],
    [{ asertions: ['onLoad <= 1 s'] }, /its top: it must not have additional properties \(asertions: did you mean assertions\?\)/],
    [{ assertions: ['onLoad <= 1 s'], round: 5 }, /its top: it must not have additional properties \(round: did you mean rounds\?\)/],
    [{ assertions: ['onLoad <= 1 s'], maximumRounds: 60 }, /\(maximumRounds\)/],
    [{ assertions: ['onLoad < 1'] }, /wrong at \/assertions\/0: assertion "onLoad < 1": "<" is used where <= or >= is expected/],
    [
      { assertions: [{ kind: 'bound', metric: 'onLoad', maximum: 1 }] },
      /\/assertions\/0: it must not have additional properties \(maximum\)/,
    ],
    [
      { assertions: [{ kind: 'bound', metric: 'onload', max: 1 }] },
      /\/assertions\/0\/metric: it must be equal to one of the allowed values; "onload" is none: did you mean onLoad\?/,
    ],
    [
      { assertions: ['onLaod <= 1 s', 'LCP <= 1 s', 'L-CP <= 2 s', { kind: 'bound', metric: 'speed-index', max: 1 }], round: 5 },
      /its top: .*\(round: did you mean rounds\?\)\n.*did you mean speedIndex\?.*\/assertions\/0: .*did you mean onLoad\?.*\/assertions\/2: .*did you mean largestContentfulPaint\?$/s,
    ],
    [{ assertions: [{ kind: 'bound', metric: 'onLoad' }] }, /\/assertions\/0: A bound has neither max nor min/],
    [
      { engine: 'transaction', assertions: ['responseTime <= 200 ms', 'onLoad <= 1 s'] },
      /wrong at \/assertions\/1: A run of REST calls has no onLoad, which is measured for pages; did you mean responseTime\?$/,
    ],
    [{ workload: { users: 5 }, assertions: ['onLoad <= 1 s'] }, /did you mean responseTime\?/],
    [
      { sites: [{ url: 'https://a.example/' }], assertions: ['responseTime <= 200 ms'] },
      /A page has no responseTime, which is measured for runs of REST calls; did you mean onLoad\?$/,
    ],
    [{ engine: 'transaction', assertions: ['requestsPerSecond h3 <= h2'] }, /Higher is better for requestsPerSecond/],
    [{ assertions: ['onLoad <= 1 s'], confidence: 2 }, /\/confidence: it must be <= 0\.9999/],
  ];
  for (const [content, message] of refused) assert.throws(() => readGateFile(fileOf(t, content)), message, JSON.stringify(content));
  assert.throws(
    () => readGateFile('/nowhere/pronghorn.json'),
    /The gate's file \/nowhere\/pronghorn\.json can't be read \(there is no such file or folder\)/,
  );
});

for (const [of, name, options] of [
  ['file', 'pronghorn.schema.json', ''],
  ['report', 'gate-report.schema.json', ' report'],
] as const)
  test(`docs/${name} is up to date`, () => {
    const written = JSON.parse(readFileSync(new URL(name, guide), 'utf8'));
    const advice = `bring it up to date: ./pronghorn gate --schema${options} > docs/${name}, then format it`;
    assert.deepEqual(written, JSON.parse(gateSchema(of)), advice);
  });

test('files and reports are checked by their schemas', () => {
  const formats = { 'date-time': (text: string) => !Number.isNaN(Date.parse(text)) };
  const validator = (of: GateSchema) => new Ajv2020({ strict: true, allowUnionTypes: true, formats }).compile(JSON.parse(gateSchema(of)));
  const file = validator('file');
  assert.equal(file({ assertions: ['onLoad <= 1 s'] }), true);
  assert.equal(file({ assertions: ['onLoad <= 1 s'], round: 3 }), false);
  const report = validator('report');
  const { campaign, result, url } = madeUpAnswer([{ outcome: 'fail' }]);
  const written = JSON.parse(JSON.stringify({ outcome: 'fail', exitCode: 1, url, result, campaign }));
  assert.equal(report(written), true, JSON.stringify(report.errors));
  assert.equal(report({ ...written, outcome: 'maybe' }), false);
});

test('every pronghorn.json of docs/gates.md is one, whose assertions so many rounds can pass', (t) => {
  const text = readFileSync(new URL('gates.md', guide), 'utf8');
  const examples = [...text.matchAll(/```json\n([\s\S]*?)```/g)]
    .map(([, json = '']) => JSON.parse(json))
    .filter((one) => 'assertions' in one);
  assert.ok(examples.length > 0);
  for (const example of examples) {
    assert.ok(Value.Check(GateFile, example), JSON.stringify([...Value.Errors(GateFile, example)][0]));
    const file = readGateFile(fileOf(t, example));
    if (file.rounds !== undefined) assert.deepEqual(tooFewRounds(rulesOf(file), file.rounds), []);
  }
  assert.ok(examples.some(({ engine }) => engine === 'transaction'));
});

test('exit codes are chosen by outcome', () => {
  assert.deepEqual(exitCodesFrom('inconclusive=0, fail=10'), { inconclusive: 0, fail: 10 });
  assert.deepEqual(exitCodesFrom('error=0', { fail: 10 }), { fail: 10, error: 0 });
  assert.deepEqual(exitCodesFrom('unmeasured=12'), { unmeasured: 12 });
  for (const text of ['', 'maybe=1', 'fail', 'fail=-1', 'fail=126', 'fail=x'])
    assert.throws(() => exitCodesFrom(text), /expected OUTCOME=CODE/, text);
});
test('what is unmeasured ends with its own exit code, also beside a failure that may pass', () => {
  const codeOf = (outcomes: GateOutcome[], chosen: Partial<ExitCodes>) =>
    exitCodeOf(madeUpAnswer(outcomes.map((outcome) => ({ outcome }))).result, { ...defaultExitCodes, ...chosen });
  const tolerant = { fail: 0, inconclusive: 0 };
  assert.equal(codeOf(['fail', 'unmeasured'], {}), 1);
  assert.equal(codeOf(['fail', 'inconclusive'], tolerant), 0);
  assert.equal(codeOf(['inconclusive', 'unmeasured'], tolerant), 5);
  assert.equal(codeOf(['fail', 'unmeasured'], tolerant), 5);
  assert.equal(codeOf(['fail', 'unmeasured'], { ...tolerant, unmeasured: 0 }), 0);
});
