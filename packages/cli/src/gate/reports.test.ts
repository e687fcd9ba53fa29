import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { hostile, madeUpAnswer } from './answer.fixture.ts';
import { markdownReport, textReport, writeStepOutputs } from './outputs.ts';
import { secondRunCommand } from './reported.ts';
import { codeQualityReport, junitReport, sarifReport } from './tool-reports.ts';

const three = [
  {},
  { outcome: 'fail' as const, words: 'It is too slow.' },
  {
    outcome: 'inconclusive' as const,
    words: 'Nobody knows.',
    moreRounds: { least: 1, words: 'Deciding it would take more rounds: 25 to 100.' },
  },
];
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  isArray: (name) => name === 'testsuite' || name === 'testcase',
});

test('JUnit has a test case for each check: failed, skipped or passed, and the counts are theirs', () => {
  const xml = junitReport(madeUpAnswer(three));
  assert.equal(XMLValidator.validate(xml), true);
  const { testsuites } = parser.parse(xml);
  const counts = { tests: '3', failures: '1', errors: '0', skipped: '1' };
  const pick = ({ tests, failures, errors, skipped }: typeof counts) => ({ tests, failures, errors, skipped });
  assert.deepEqual(pick(testsuites), counts);
  const [suite] = testsuites.testsuite;
  assert.deepEqual([pick(suite), suite.name, suite.timestamp], [counts, 'shop, 4g, cold', '2026-03-01T12:10:00']);
  const [passed, failed, open] = suite.testcase;
  assert.deepEqual([passed.name, passed.classname], ['onLoad p75 h3 <= 1000 ms (h3)', 'shop.4g.cold']);
  assert.equal('failure' in passed || 'skipped' in passed, false);
  assert.deepEqual(failed.failure, { message: 'It is too slow.', type: 'fail', '#text': 'It is too slow.' });
  assert.deepEqual(open.skipped, { message: 'Nobody knows. Deciding it would take more rounds: 25 to 100.' });
  const properties = suite.properties.property.map(({ name, value }: { name: string; value: string }) => [name, value]);
  assert.deepEqual(Object.fromEntries(properties).commit, '0123456789abcdef');
});

test('in JUnit, what is inconclusive fails where the pipeline takes it for a failure', () => {
  const answer = madeUpAnswer(three);
  const { testsuites } = parser.parse(junitReport({ ...answer, exitCodes: { ...answer.exitCodes, inconclusive: 1 } }));
  assert.deepEqual([testsuites.failures, testsuites.skipped], ['2', '0']);
  assert.equal(testsuites.testsuite[0].testcase[2].failure.type, 'inconclusive');
});

test('what is unmeasured is a failure in JUnit, and stands out in every report', () => {
  const words = 'Not measured: 6 of 6 visits over HTTP/3 are not valid: The document’s status is 503; expected 200.';
  const answer = madeUpAnswer([{}, { outcome: 'unmeasured', words, reasons: [{ reason: 'unmeasured', words }] }]);
  const suitesWith = (exitCodes: Partial<typeof answer.exitCodes>) =>
    parser.parse(junitReport({ ...answer, exitCodes: { ...answer.exitCodes, ...exitCodes } })).testsuites;
  const tolerant = suitesWith({ inconclusive: 0 });
  assert.deepEqual([tolerant.failures, tolerant.skipped], ['1', '0']);
  assert.deepEqual(tolerant.testsuite[0].testcase[1].failure, { message: words, type: 'unmeasured', '#text': words });
  const waived = suitesWith({ unmeasured: 0 });
  assert.deepEqual([waived.failures, waived.skipped, waived.testsuite[0].testcase[1].skipped.message], ['0', '1', words]);
  assert.equal(markdownReport(answer).split('\n')[0], '### 🚫 unmeasured: shop');
  const lines = stripVTControlCharacters(textReport(answer)).split('\n');
  assert.deepEqual(
    [lines[0], lines[4], lines[5]],
    ['Gate: UNMEASURED (1 of 2 checks)', '!     onLoad p75 h3 <= 1000 ms (h3) at shop, 4g, cold', `      ${words.slice(0, 93)}`],
  );
});

test('in JUnit, names stay text, whatever they hold', () => {
  const xml = junitReport(madeUpAnswer([{ words: hostile, outcome: 'fail' }], hostile));
  assert.equal(XMLValidator.validate(xml), true);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no place for them
  assert.doesNotMatch(xml, /[\u0000-\u0008\u000b-\u001f]/);
  const [suite] = parser.parse(xml).testsuites.testsuite;
  assert.deepEqual(Object.keys(suite).sort(), ['errors', 'failures', 'name', 'properties', 'skipped', 'testcase', 'tests', 'timestamp']);
  assert.match(suite.testcase[0].failure['#text'], /<img src=x onerror=alert\(1\)> \| `a`/);
});

test('Markdown has a row for each check, and says of which commit', () => {
  const lines = markdownReport(madeUpAnswer(three)).split('\n');
  assert.equal(lines[0], '### ❌ fail: shop');
  assert.equal(lines.filter((line) => line.startsWith('|')).length, 5);
  assert.match(lines.join('\n'), /\| ❌ fail \| shop \| 4g \| cold \| onLoad p75 h3 &#60;= 1000 ms \| It is too slow\. \|/);
  assert.match(
    lines.join('\n'),
    /\[campaign 7\]\(https:\/\/pronghorn\.example\/#\/campaigns\/7\), commit 0123456789, branch shop, \[build\]\(https:\/\/ci\.example\/7\)/,
  );
});

test('in Markdown, names are no markup, no HTML, no row of the table more, and call nobody', () => {
  const answer = madeUpAnswer([{ words: hostile }], hostile);
  const text = markdownReport({ ...answer, url: 'javascript:alert(1)' });
  assert.equal(text.split('\n').filter((line) => line.startsWith('|')).length, 3);
  for (const line of text.split('\n').filter((line) => line.startsWith('| ✅'))) assert.equal(line.match(/\|/g)?.length, 7, line);
  assert.doesNotMatch(text.replaceAll(/&#\d+;/g, ''), /<|@team|#1|\*\*b|`a`|\]\(javascript|alert\(/);
});

test('the terminal says the answer first, then what fails, what is open and what passes, each with its assertion, and obeys no name', () => {
  const text = textReport(madeUpAnswer(three));
  const lines = stripVTControlCharacters(text).split('\n');
  assert.deepEqual(lines.slice(0, 12), [
    'Gate: FAIL (1 of 3 checks, 1 inconclusive)',
    'shop  https://shop.example/',
    '',
    'FAIL  onLoad p75 h3 <= 1000 ms (h3) at shop, 4g, cold',
    '      It is too slow.',
    '?     onLoad p75 h3 <= 1000 ms (h3) at shop, 4g, cold',
    '      Nobody knows. Deciding it would take more rounds: 25 to 100.',
    'pass  onLoad p75 h3 <= 1000 ms (h3) at shop, 4g, cold',
    '      onLoad p75 over HTTP/3 is 900 ms.',
    '',
    'Baseline: campaign 5 on main (abcdef0123).',
    'HTTP/3 was forced from the first request: what a visitor gets whose browser already knows that the',
  ]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would obey them
  assert.doesNotMatch(textReport(madeUpAnswer([{}], hostile)), /\u0000|\u001b\[31m\u0000/);
});

test('on the terminal, checks of which the same is to be said are one line', () => {
  const same = { outcome: 'inconclusive' as const, words: 'No campaign on main before this one.' };
  const told = (checks: Parameters<typeof madeUpAnswer>[0]) =>
    stripVTControlCharacters(textReport(madeUpAnswer(checks)))
      .split('\n\n')[1]
      ?.split('\n');
  assert.deepEqual(told([same, same, { ...same, protocol: 'h2' }]), [
    '?     onLoad p75 h3 <= 1000 ms (h3) at shop, 4g, cold and 1 more',
    '      No campaign on main before this one.',
    '?     onLoad p75 h3 <= 1000 ms (h2) at shop, 4g, cold',
    '      No campaign on main before this one.',
  ]);
  assert.deepEqual(told([{}, { words: 'It is 990 ms.', pPass: 0.04 }, {}]), [
    'pass  onLoad p75 h3 <= 1000 ms in 3 cells',
    '      Nearest to the limit: shop, 4g, cold: It is 990 ms.',
  ]);
});

test('the command of a second run measures the pages of the first, and finds it where it is', () => {
  const command = (urls: string[], sites?: { url?: string; folder?: string }[], connection = '') => {
    const campaign = { id: '12', sites: urls.map((url) => ({ id: url, url, name: url, expectStatus: 200 })) };
    return secondRunCommand(campaign, { source: { file: 'my gate.json' }, sites, connection, called: './pronghorn gate' });
  };
  const [shop, preview] = ['https://shop.example/', 'https://pr-7.shop.example/?a=1&b=2'];
  const gate = "./pronghorn gate --config 'my gate.json'";
  assert.equal(command([shop], [{ url: 'https://shop.example' }], ' --data /tmp/x'), `${gate} --repeat 12 --data /tmp/x`);
  assert.equal(command([preview], [{ url: shop }]), `${gate} --url '${preview}' --repeat 12`);
  assert.equal(command([shop], undefined, ' --api http://a'), `${gate} --url ${shop} --repeat 12 --api http://a`);
  const stored = { source: { gate: 'my gate' }, sites: [{ url: shop }], connection: ' --api http://a', called: 'pronghorn-gate' };
  const campaign = { id: '12', sites: [{ id: '1', url: shop, name: 'shop', expectStatus: 200 }] };
  assert.equal(secondRunCommand(campaign, stored), "pronghorn-gate --gate 'my gate' --repeat 12 --api http://a");
  const folder = 'https://dist.folder.pronghorn.test/';
  assert.equal(command([folder], [{ folder: 'dist' }]), `${gate} --repeat 12`);
  assert.equal(command([folder]), `${gate} --repeat 12 (and the --url or --sites of that run)`);
});

/** With a file whose assertions stand on lines 2 and 3. */
function located(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-gate-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const config = join(folder, 'pronghorn.json');
  const object = { kind: 'bound', metric: 'onLoad', max: 1000, site: 'a } "{' };
  writeFileSync(config, `{ "assertions": [\n  ${JSON.stringify(object)},\n  "onLoad p75 h3 <= 1 s"\n] }`);
  const answer = madeUpAnswer([
    {},
    { outcome: 'fail', words: 'It is too slow.', assertion: 1 },
    { outcome: 'inconclusive', words: 'Nobody knows.' },
  ]);
  answer.result.assertions = ['onLoad p75 <= 1000 ms', 'onLoad p75 h3 <= 1000 ms'];
  return { ...answer, source: { file: config }, path: relative(process.cwd(), config) };
}

test('GitLab Code Quality has what does not hold, at its line of the file', (t) => {
  const { path, ...answer } = located(t);
  const issues = JSON.parse(codeQualityReport(answer));
  // What its reader asks of each: docs.gitlab.com, "Code Quality report format".
  for (const issue of issues) {
    assert.match(issue.fingerprint, /^[0-9a-f]{64}$/);
    assert.equal(issue.check_name, 'pronghorn-gate');
  }
  assert.deepEqual(
    issues.map(({ severity, location, description }: { severity: string; location: object; description: string }) => [
      severity,
      location,
      description,
    ]),
    [
      ['major', { path, lines: { begin: 3 } }, 'fail: onLoad p75 h3 <= 1000 ms: shop, 4g, cold: It is too slow.'],
      ['info', { path, lines: { begin: 2 } }, 'inconclusive: onLoad p75 <= 1000 ms: shop, 4g, cold: Nobody knows.'],
    ],
  );
  assert.notEqual(issues[0].fingerprint, issues[1].fingerprint);
  const again = madeUpAnswer([{ outcome: 'fail', words: 'It is slower still.', assertion: 1 }]);
  again.result.assertions = answer.result.assertions;
  const [later] = JSON.parse(codeQualityReport({ ...again, source: answer.source }));
  assert.equal(later.fingerprint, issues[0].fingerprint, 'the same check in another run');
  assert.equal(codeQualityReport(madeUpAnswer()), '[]\n');
});

test('SARIF has a rule for each assertion that does not hold, and a result for each check', (t) => {
  const { path, ...answer } = located(t);
  const { version, runs } = JSON.parse(sarifReport(answer));
  assert.equal(version, '2.1.0');
  const [{ tool, results }] = runs;
  assert.deepEqual(
    results.map((result: { ruleId: string; ruleIndex: number; level: string }) => [result.level, tool.driver.rules[result.ruleIndex].id]),
    [
      ['error', 'onLoad p75 h3 <= 1000 ms'],
      ['note', 'onLoad p75 <= 1000 ms'],
    ],
  );
  const { artifactLocation, region } = results[0].locations[0].physicalLocation;
  assert.deepEqual([artifactLocation.uri, region.startLine], [encodeURI(path), 3]);
});

test('an output of a step is one line, whatever the service calls its campaign', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pronghorn-outputs-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'outputs');
  writeStepOutputs('fail', '7\noutcome=pass', 'https://pronghorn.example/#/campaigns/7\r\noutcome=pass', file);
  const names = readFileSync(file, 'utf8')
    .trimEnd()
    .split(/[\r\n]+/)
    .map((line) => line.split('=')[0]);
  assert.deepEqual(names, ['outcome', 'campaign', 'report']);
});
