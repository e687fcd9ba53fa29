// A study's campaign on two local sites: refused, measured, drawn beside what was published, estimated, and thoroughly: stopped and resumed.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { proves, thoroughly } from '@pronghorn/core/testing';
import { behindLink, quickShell, run, start, temporaryData } from './command.ts';

const page = (title: string) => `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css"><h1>${title}</h1><img src="picture.svg" width="300" height="200" alt=""><script src="app.js"></script>`;

async function site(folder: string, title: string): Promise<void> {
  await mkdir(folder);
  const files = {
    'index.html': page(title),
    'style.css': 'h1 { color: #39506b; }',
    'app.js': 'document.title += "!"; fetch("data.json");',
    'data.json': '{}',
    'picture.svg': '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" height="200" fill="#39506b"/></svg>',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
}

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

test('behind a link it is stopped, resumed, and ends with its report', thoroughly('studies', 'campaigns'), async (t) => {
  const { data, command } = await study(t);
  const limited = [...command, '--limit', '2', '--conditions', 'native,latency-50'];
  const stopped = start([...limited, ...quickShell, '--no-evidence'], behindLink);
  await stopped.says(/^5\/12 visits/m, 300_000);
  stopped.child.kill('SIGINT');
  const { code, stderr } = await stopped.ended;
  assert.equal(code, 130, stderr);
  assert.match(stderr, /Continue with: \.\/pronghorn resume 1/);

  const resumed = await run(['resume', '--no-evidence', '--data', data], behindLink);
  assert.equal(resumed.code, 0, resumed.stderr);
  const report = await reported(data, resumed.stdout);
  assert.match(report, /2 sites × 2 conditions × HTTP\/1\.1, HTTP\/2, HTTP\/3 × 1 round\.\s+12 valid visits/);
  assert.match(report, /RTT 5\d(\.\d+)? ms/);
});

/** Two sites of this machine, and a list that names two more which are none. */
async function study(t: TestContext): Promise<{ data: string; command: string[] }> {
  const data = await temporaryData((remove) => t.after(remove));
  const sites = ['one', 'two'].map((name) => join(data, name));
  for (const folder of sites) await site(folder, folder);
  const list = join(data, 'list.txt');
  await writeFile(list, `# two sites\n${sites.join('\n')}\n./nowhere\nftp://a.example/\n`);
  return { data, command: ['campaign', 'paper', '--sites', list, '--rounds', '1', '--data', data] };
}

/** @returns the report that a command has told of */
async function reported(data: string, stdout: string): Promise<string> {
  const file = join(data, 'paper-1.html');
  assert.ok(stdout.includes(file), stdout);
  const report = await readFile(file, 'utf8');
  for (let figure = 2; figure <= 9; figure++) assert.ok(report.includes(`<h2>Figure ${figure}: `), `figure ${figure}`);
  assert.match(report, /All sites are pages of a lab/);
  assert.doesNotMatch(report, /Not finished|NaN|undefined|<script/);
  return report;
}
