// What the other commands say, and what the command is as a process.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isThorough, proves } from '@pronghorn/core/testing';
import { quick, run, start, temporaryData } from './command.ts';

test('the help of every command fits 100 columns and tells what the command is for', proves('command-line'), async () => {
  for (const command of [
    [],
    ['measure'],
    ['resume'],
    ['results'],
    ['demo'],
    ['ground-truth'],
    ['netlog'],
    ['calibrate'],
    ['serve'],
    ['backup'],
    ['retention'],
    ['doctor'],
    ['test'],
  ]) {
    const { code, stdout } = await run([...command, '--help']);
    assert.equal(code, 0);
    assert.match(stdout, new RegExp(`^Usage: ${['pronghorn', ...command].join(' ')} `));
    for (const line of stdout.split('\n')) assert.ok(line.length <= 100, line);
    assert.doesNotMatch(stdout, /default: \[/);
  }
});

// The other tests run most commands in their own process.
test(
  'its process ends with the outcome’s exit code, results on one stream and the rest on the other',
  proves('command-line'),
  async (t) => {
    const data = await temporaryData((remove) => t.after(remove));
    const help = await start(['--help']).ended;
    assert.deepEqual([help.code, help.stderr], [0, '']);
    assert.deepEqual(help, await run(['--help']));
    const refused = await start(['results', '--data', data], { PRONGHORN_DEBUG: '' }).ended;
    assert.deepEqual([refused.code, refused.stdout], [2, '']);
    assert.match(refused.stderr, /^pronghorn: Nothing has been measured yet.*^UsageError: .*^ {4}at /ms);
  },
);

test(
  'commands that run beside each other in one process have their own words, exit code and environment',
  proves('command-line'),
  async (t) => {
    const data = await temporaryData((remove) => t.after(remove));
    const before = [process.exitCode, process.env.PRONGHORN_DATA, process.listenerCount('SIGINT')];
    const [help, unknown, results, elsewhere] = await Promise.all([
      run(['conditions', '--json', '--data', data]),
      run(['gallop']),
      run(['results'], { PRONGHORN_DATA: join(data, 'one') }),
      run(['resume'], { PRONGHORN_DATA: join(data, 'two') }),
    ]);
    assert.deepEqual([help.code, help.stderr, Array.isArray(JSON.parse(help.stdout))], [0, '', true]);
    assert.deepEqual([unknown.code, unknown.stdout, unknown.stderr.split('\n').length], [2, '', 3]);
    // The first that opens the dashboard builds it, and says so.
    const words = (stderr: string) =>
      stderr
        .replace(/^Building the dashboard.*\n/m, '')
        .trimEnd()
        .split('\n').length;
    for (const { code, stdout, stderr } of [results, elsewhere]) assert.deepEqual([code, stdout, words(stderr)], [2, '', 1]);
    assert.match(results.stderr, /Nothing has been measured yet/);
    assert.match(elsewhere.stderr, /there is nothing to resume/);
    assert.deepEqual([process.exitCode, process.env.PRONGHORN_DATA, process.listenerCount('SIGINT')], before);
  },
);

test('doctor tells what this machine has and ends with 0; without a Chrome it says so and ends with 1', proves('doctor'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const good = await run(['doctor', '--data', data]);
  assert.equal(good.code, 0, good.stdout);
  for (const subject of ['Node', 'Machine', 'Chrome', 'Headless shell', 'nginx', 'Kernel', 'Link', 'Fonts', 'Disk'])
    assert.match(good.stdout, new RegExp(`^[✓•] ${subject} +\\S`, 'm'));
  assert.match(good.stdout, /^[✓•] browsertime +(The engine browsertime lacks|26\.)/m);
  assert.match(good.stdout, /This machine can measure\./);

  const bad = await run(['doctor', '--data', data], { PRONGHORN_CHROME: '/nowhere/chrome', PRONGHORN_FIREFOX: '/nowhere/firefox' });
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /^✗ Chrome +PRONGHORN_CHROME names \/nowhere\/chrome, which is not an executable file\./m);
  assert.match(bad.stdout, /Firefox +PRONGHORN_FIREFOX names \/nowhere\/firefox/);
  assert.match(bad.stdout, /can't measure yet/);
  assert.equal(bad.stderr, '');
});

test('ground-truth tells the error of every page, metric and protocol, against what was constructed', proves('ground-truth'), async (t) => {
  const protocols = isThorough ? ['h2', 'h3'] : ['h2'];
  const data = await temporaryData((remove) => t.after(remove));
  const { stdout, stderr } = await run([
    'ground-truth',
    '--rounds',
    '1',
    '--protocols',
    protocols.join(),
    ...quick,
    '--quiet',
    '500',
    '--data',
    data,
  ]);
  const row =
    /^(truth-\S+) +(onLoad|SpeedIndex|LCP) +(h2|h3) +([01]) +(\d+\.\d|none) +([−+]\d+\.\d|–) +\S+ +\S+ +\S+ +(±\d+\.\d|none) +(within|none, rightly|too few|open|MISSED)$/;
  const rows = stdout.split('\n').flatMap((line) => {
    const [, page = '', , , valid, , error = ''] = row.exec(line) ?? [];
    return page === '' ? [] : [{ page, isValid: valid === '1' && error !== '–', error: Number(error.replace('−', '-')) }];
  });
  const pages = new Set(rows.map(({ page }) => page));
  assert.ok(pages.size >= 4, stdout + stderr);
  assert.equal(rows.length, pages.size * 3 * protocols.length);
  // Nothing comes before it was built to come; a busy machine is late, but not everywhere by as much as pages take.
  const errors = rows.filter(({ isValid }) => isValid).map(({ error }) => error);
  assert.ok(errors.length > rows.length / 3 && Math.min(...errors) > -60 && Math.min(...errors) < 1_000, stdout + stderr);
});
