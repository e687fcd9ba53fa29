// The demo on a terminal: one line of progress that is drawn over, results that stay open until Ctrl-C, and files that say what the campaign says.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { Har } from '@pronghorn/core/campaign';
import { proves } from '@pronghorn/core/testing';
import { alpnOf, metricNames, metricOf } from '@pronghorn/core/vocabulary';
import { parse } from 'csv-parse/sync';
import { descendants, type Exported, leavesNothing, main, profilesOf, quick, startProgram, temporaryData, until } from './command.ts';

/** As many as three protocols beside each other need. */
const columns = 100;

function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
}

test(
  'demo draws its progress on one line of the terminal, proves every protocol, writes its visits as JSON, CSV and HAR, and ends by Ctrl-C',
  proves('demo', 'protocols', 'results', 'metrics', 'command-line'),
  async (t) => {
    const data = await temporaryData((remove) => t.after(remove));
    // In place of a desktop's own.
    const opener = join(data, 'xdg-open');
    writeFileSync(opener, `#!/bin/sh\necho "$@" > '${data}/opened'\n`);
    chmodSync(opener, 0o755);
    const file = (name: string) => join(data, name);
    const files = ['--json', file('all.json'), '--csv', file('all.csv'), '--har', file('har/of/all'), '--data', data];
    const asked = ['--conditions', 'native', '--rounds', '1', '--protocols', 'h1,h2,h3', ...quick, ...files];
    const demo = [process.execPath, main, 'demo', ...asked].map((word) => `'${word}'`).join(' ');
    // A pseudoterminal, from util-linux.
    const terminal = startProgram('script', ['-qec', `stty cols ${columns} rows 24; exec ${demo}`, '/dev/null'], {
      CI: undefined,
      DISPLAY: ':none',
      PRONGHORN_LINK: 'direct',
      PATH: `${data}:${process.env.PATH}`,
      WAYLAND_DISPLAY: undefined,
      TERM: 'xterm-256color',
    });
    await terminal.says('until Ctrl-C', 120_000);
    const output = terminal.stdout();

    // What is said meanwhile stands in its place, and it is drawn below.
    const lines = output.split('\n').map((line) => line.split('\r\x1b[K'));
    const standing = lines.filter((texts) => texts.at(-1)?.includes('/3 visits'));
    assert.deepEqual(standing, [], 'all progress is drawn on one line, which goes');
    const drawn = lines.flat().filter((text) => text.includes('/3 visits'));
    assert.ok(drawn.length >= 3, `it was drawn over ${drawn.length} times`);
    for (const text of drawn) assert.ok([...stripVTControlCharacters(text)].length < columns, text);
    for (const line of stripVTControlCharacters(output).split(/\r?\n/)) {
      if (!line.includes('/3 visits') && !/https?:/.test(line))
        assert.ok([...line].length <= columns, `"${line}" is wider than the terminal`);
    }

    const words = stripVTControlCharacters(output).replaceAll(/\s+/g, ' ');
    assert.match(words, /Proof: in 3 of 3 valid visits \(100 %\) the document and every object came over the requested protocol/);
    const [, logged, objects] = /the server’s log agrees on (\d+) of (\d+) objects \(100 %\)/.exec(words) ?? [];
    assert.ok(Number(objects) > 3 * 10 && logged === objects, words);
    assert.match(words, / 3 loads count, over HTTP\/1\.1, HTTP\/2 and HTTP\/3\. /);

    const [page, url = '', token] =
      /(http:\/\/127\.0\.0\.1:\d+\/)#\/campaigns\/1\?token=(\w+)/.exec(stripVTControlCharacters(output)) ?? [];
    assert.equal((await fetch(url)).status, 200);
    const results = `${url}api/v1/campaigns/1/results`;
    assert.equal((await fetch(results, { headers: { authorization: `Bearer ${token}` } })).status, 200);
    assert.equal((await fetch(results)).status, 401, 'another user of the machine');
    const leading = join(data, 'open.html');
    const opened = () => (existsSync(join(data, 'opened')) ? readFileSync(join(data, 'opened'), 'utf8') : '');
    await until(() => opened().endsWith('\n'), 60_000, 'the page to be opened');
    assert.equal(opened().trim(), `file://${leading}`, 'a command line that everybody may read');
    assert.ok(readFileSync(leading, 'utf8').includes(`url=${page}"`));
    assert.equal(statSync(leading).mode & 0o077, 0);

    const below = descendants(terminal.pid);
    const command = below.map((identity) => Number.parseInt(identity, 10)).find((pid) => commandLineOf(pid).includes('main.ts'));
    assert.ok(command !== undefined, 'the command runs below the terminal');
    const profiles = profilesOf(command);
    terminal.child.stdin?.write('\x03');
    await until(() => terminal.child.exitCode !== null, 60_000, 'the demo to end after Ctrl-C');
    assert.equal((await terminal.ended).code, 0);
    await leavesNothing(profiles, below);
    await assertFiles(file);
  },
);

/** The files of a demo over each protocol say what its campaign says. */
async function assertFiles(file: (name: string) => string): Promise<void> {
  const { campaign, results, visits }: Exported = JSON.parse(await readFile(file('all.json'), 'utf8'));
  const { visitsValid, visitsInvalid } = campaign.progress;
  assert.equal(campaign.state, 'done');
  assert.equal(visits.length, visitsValid + visitsInvalid);
  assert.equal(visits.filter(({ counted }) => counted).length, 3);
  assert.deepEqual(
    results.cells.flatMap(({ slots }) => slots.map(({ protocol, valid }) => `${protocol} ${valid}`)),
    ['h1 1', 'h2 1', 'h3 1'],
  );

  const rows: Record<string, string>[] = parse(await readFile(file('all.csv'), 'utf8'), { columns: true });
  assert.deepEqual(rows.map(({ visit }) => visit).sort(), visits.map(({ id }) => id).sort());
  for (const { id, outcome } of visits) {
    const row = rows.find(({ visit }) => visit === id);
    if (outcome.verdict === 'valid') {
      for (const metric of metricNames) assert.equal(row?.[metric], String(metricOf(outcome.metrics, metric) ?? ''));
    } else {
      assert.equal(row?.onLoad, '', 'an invalid visit has no number');
      assert.equal(row?.reason, outcome.reason);
    }
  }

  const files = await readdir(file('har/of/all'));
  assert.equal(files.length, visits.length);
  for (const name of files) {
    const { log }: Har = JSON.parse(await readFile(join(file('har/of/all'), name), 'utf8'));
    const [page] = log.pages;
    assert.equal(log.pages.length, 1);
    const visit = visits.find(({ id }) => id === page.id);
    assert.ok(visit !== undefined, `${name} is of a visit`);
    if (visit.outcome.verdict === 'invalid') continue;
    assert.ok(log.entries.length > 10);
    for (const { request, response } of log.entries) {
      assert.equal(request.httpVersion, alpnOf[visit.protocol], `${request.url} in a visit over ${visit.protocol}`);
      assert.equal(response.status, 200);
      const { headersSize, bodySize, _transferSize } = response;
      assert.ok(bodySize >= 0, `the body’s size of ${request.url}`);
      if (visit.protocol !== 'h2') assert.equal(headersSize + bodySize, _transferSize, request.url);
      assert.ok(response.headers.some(({ name }) => name === 'content-type') && request.headers.length === 0);
    }
    assert.equal(
      log.entries.reduce((sum, { response }) => sum + response._transferSize, 0),
      visit.outcome.metrics.transferBytes,
    );
  }
}
