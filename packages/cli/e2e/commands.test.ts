// What the other commands say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quick, run, temporaryData } from './command.ts';

test('the help of every command fits 100 columns and tells what the command is for', async () => {
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

test('doctor tells what this machine has and ends with 0; without a Chrome it says so and ends with 1', async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const good = await run(['doctor', '--data', data]);
  assert.equal(good.code, 0, good.stdout);
  for (const subject of ['Node', 'Machine', 'Chrome', 'Headless shell', 'nginx', 'Kernel', 'Link', 'Fonts', 'Disk'])
    assert.match(good.stdout, new RegExp(`^[✓•] ${subject} +\\S`, 'm'));
  assert.match(good.stdout, /^[✓•] browsertime +(The engine browsertime lacks|26\.)/m);
  assert.match(good.stdout, /This machine can measure\./);

  const bad = await run(['doctor', '--data', data], { PRONGHORN_CHROME: '/nowhere/chrome' });
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /^✗ Chrome +PRONGHORN_CHROME names \/nowhere\/chrome, which is not an executable file\./m);
  assert.match(bad.stdout, /can't measure yet/);
  assert.equal(bad.stderr, '');
});

test('ground-truth tells the error of every page, metric and protocol, against what was constructed', async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const { stdout, stderr } = await run(['ground-truth', '--rounds', '1', '--protocols', 'h2,h3', ...quick, '--data', data]);
  const row =
    /^(truth-\S+) +(onLoad|SpeedIndex) +(h2|h3) +([01]) +(\d+\.\d) +([−+]\d+\.\d|–) +\S+ +\S+ +\S+ +±(\d+\.\d) +(within|open|MISSED)$/;
  const rows = stdout.split('\n').flatMap((line) => row.exec(line) ?? []);
  const pages = new Set(rows.filter((cell) => cell.startsWith('truth-') && !cell.includes(' ')));
  assert.ok(pages.size >= 4, stdout + stderr);
  assert.equal(rows.length / 9, pages.size * 2 * 2);
});
