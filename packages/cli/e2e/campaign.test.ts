// A study's campaign on two local sites: refused, measured, drawn beside what was published, and estimated.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { quickShell, run } from './command.ts';
import { reported, study } from './two-sites.ts';

test(
  'the paper’s campaign on two sites is refused with what is wrong, measured, and ends with its report',
  proves('studies'),
  async (t) => {
    const { data, command } = await study(t);
    const refused = await run(command);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /Nothing was measured:\n.*line 4: There is no folder[^\n]*\n.*line 5: "ftp:/);
    assert.equal(existsSync(join(data, 'paper-1.html')), false);

    const limited = [...command, '--limit', '2', '--conditions', 'native'];
    const measured = await run([...limited, ...quickShell, '--no-evidence']);
    assert.equal(measured.code, 0, measured.stdout + measured.stderr);
    assert.match(
      measured.stderr.replaceAll('\n', ' '),
      /^2 sites × 1 condition × 3 protocols × 1 round: 6 visits in 2 rounds\. .* no round has been measured here/,
    );
    const report = await reported(data, measured.stdout);
    assert.match(report, /2 sites × 1 condition × HTTP\/1\.1, HTTP\/2, HTTP\/3 × 1 round\.\s+6 valid visits/);

    const again = join(data, 'again.html');
    const other = await run(['campaign', 'report', '1', '--study', 'kiwee', '--out', again, '--data', data]);
    assert.equal(other.code, 0, other.stderr);
    assert.match(await readFile(again, 'utf8'), /<h2>one\/<\/h2>/);
    const known = await run([...limited, '--estimate']);
    assert.match(known.stdout.replaceAll('\n', ' '), /6 visits in 2 rounds\. About .* on one machine, .* on ten\. .*2 earlier rounds/);
  },
);
