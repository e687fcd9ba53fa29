// On a terminal: one line of progress that is drawn over, and the results stay open until Ctrl-C.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { descendants, leavesNothing, main, profilesOf, startProgram, temporaryData, until } from '../command.ts';

const columns = 80;

test('demo draws its progress on one line of the terminal, and keeps the results open until Ctrl-C', async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const demo = `'${process.execPath}' '${main}' demo --conditions native --sites article --rounds 1 --protocols h2,h3 --busy 1 --data '${data}'`;
  // A pseudoterminal, from util-linux.
  const terminal = startProgram('script', ['-qec', `stty cols ${columns} rows 24; exec ${demo}`, '/dev/null'], {
    CI: undefined,
    DISPLAY: undefined,
    WAYLAND_DISPLAY: undefined,
    TERM: 'xterm-256color',
  });
  await terminal.says('until Ctrl-C', 60_000);
  const output = terminal.stdout();

  const progress = output.split('\n').filter((line) => line.includes('/2 visits'));
  assert.equal(progress.length, 1, 'all progress is drawn on one line');
  const drawn = (progress[0] ?? '').split('\r\x1b[K').filter((text) => text.includes('visits'));
  assert.ok(drawn.length >= 3, `it was drawn over ${drawn.length} times`);
  for (const text of drawn) assert.ok([...stripVTControlCharacters(text)].length < columns, text);
  for (const line of stripVTControlCharacters(output).split(/\r?\n/)) {
    if (!line.includes('visits') && !/https?:/.test(line)) assert.ok([...line].length <= columns, `"${line}" is wider than the terminal`);
  }

  const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+\/)#\/campaigns\/1/.exec(stripVTControlCharacters(output)) ?? [];
  assert.equal((await fetch(url)).status, 200);
  assert.equal((await fetch(`${url}api/v1/campaigns/1/results`)).status, 200);

  const below = descendants(terminal.pid);
  const command = below
    .map((identity) => Number.parseInt(identity, 10))
    .find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('main.ts'));
  assert.ok(command !== undefined, 'the command runs below the terminal');
  const profiles = profilesOf(command);
  terminal.child.stdin?.write('\x03');
  await until(() => terminal.child.exitCode !== null, 10_000, 'the demo to end after Ctrl-C');
  assert.equal((await terminal.ended).code, 0);
  await leavesNothing(profiles, below);
});
