// On a terminal: one line of progress that is drawn over, and the results stay open until Ctrl-C.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { proves } from '@pronghorn/core/testing';
import { descendants, leavesNothing, main, profilesOf, startProgram, temporaryData, until } from './command.ts';

const columns = 80;

test(
  'demo draws its progress on one line of the terminal, and keeps the results open until Ctrl-C',
  proves('demo', 'command-line'),
  async (t) => {
    const data = await temporaryData((remove) => t.after(remove));
    // In place of a desktop's own.
    const opener = join(data, 'xdg-open');
    writeFileSync(opener, `#!/bin/sh\necho "$@" > '${data}/opened'\n`);
    chmodSync(opener, 0o755);
    const demo = `'${process.execPath}' '${main}' demo --conditions native --sites article --rounds 1 --protocols h2,h3 --busy 1 --data '${data}'`;
    // A pseudoterminal, from util-linux.
    const terminal = startProgram('script', ['-qec', `stty cols ${columns} rows 24; exec ${demo}`, '/dev/null'], {
      CI: undefined,
      DISPLAY: ':none',
      PATH: `${data}:${process.env.PATH}`,
      WAYLAND_DISPLAY: undefined,
      TERM: 'xterm-256color',
    });
    await terminal.says('until Ctrl-C', 120_000);
    const output = terminal.stdout();

    const progress = output.split('\n').filter((line) => line.includes('/2 visits'));
    assert.equal(progress.length, 1, 'all progress is drawn on one line');
    const drawn = (progress[0] ?? '').split('\r\x1b[K').filter((text) => text.includes('/2 visits'));
    assert.ok(drawn.length >= 3, `it was drawn over ${drawn.length} times`);
    for (const text of drawn) assert.ok([...stripVTControlCharacters(text)].length < columns, text);
    for (const line of stripVTControlCharacters(output).split(/\r?\n/)) {
      if (!line.includes('/2 visits') && !/https?:/.test(line))
        assert.ok([...line].length <= columns, `"${line}" is wider than the terminal`);
    }

    const [page, url = '', token] =
      /(http:\/\/127\.0\.0\.1:\d+\/)#\/campaigns\/1\?token=(\w+)/.exec(stripVTControlCharacters(output)) ?? [];
    assert.equal((await fetch(url)).status, 200);
    const results = `${url}api/v1/campaigns/1/results`;
    assert.equal((await fetch(results, { headers: { authorization: `Bearer ${token}` } })).status, 200);
    assert.equal((await fetch(results)).status, 401, 'another user of the machine');
    const leading = join(data, 'open.html');
    await until(() => existsSync(join(data, 'opened')), 60_000, 'the page to be opened');
    assert.equal(readFileSync(join(data, 'opened'), 'utf8').trim(), `file://${leading}`, 'a command line that everybody may read');
    assert.ok(readFileSync(leading, 'utf8').includes(`url=${page}"`));
    assert.equal(statSync(leading).mode & 0o077, 0);

    const below = descendants(terminal.pid);
    const command = below
      .map((identity) => Number.parseInt(identity, 10))
      .find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('main.ts'));
    assert.ok(command !== undefined, 'the command runs below the terminal');
    const profiles = profilesOf(command);
    terminal.child.stdin?.write('\x03');
    await until(() => terminal.child.exitCode !== null, 60_000, 'the demo to end after Ctrl-C');
    assert.equal((await terminal.ended).code, 0);
    await leavesNothing(profiles, below);
  },
);
