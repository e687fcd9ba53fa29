// A study's campaign on two local sites: refused, stopped, resumed, drawn beside what was published, and estimated.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { behindLink, quick, run, start, temporaryData } from './command.ts';

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

test('the paper’s campaign on two sites is stopped, resumed, and ends with its report', proves('studies', 'campaigns'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const sites = ['one', 'two'].map((name) => join(data, name));
  for (const folder of sites) await site(folder, folder);
  const list = join(data, 'list.txt');
  await writeFile(list, `# two sites\n${sites.join('\n')}\n./nowhere\nftp://a.example/\n`);
  const command = ['campaign', 'paper', '--sites', list, '--conditions', 'native,latency-50', '--rounds', '1', '--data', data];

  const refused = await run(command, behindLink);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /Nothing was measured:\n.*line 4: There is no folder[^\n]*\n.*line 5: "ftp:/);
  assert.equal(existsSync(join(data, 'paper-1.html')), false);

  const limited = [...command, '--limit', '2'];
  const stopped = start([...limited, ...quick, '--no-evidence'], behindLink);
  await stopped.says(/^5\/12 visits/m, 300_000);
  stopped.child.kill('SIGINT');
  const { code, stderr } = await stopped.ended;
  assert.equal(code, 130, stderr);
  assert.match(
    stderr.replaceAll('\n', ' '),
    /^2 sites × 2 conditions × 3 protocols × 1 round: 12 visits in 4 rounds\. .* no round has been measured here/,
  );
  assert.match(stderr, /Continue with: \.\/pronghorn resume 1/);

  const resumed = await run(['resume', '--no-evidence', '--data', data], behindLink);
  assert.equal(resumed.code, 0, resumed.stderr);
  const file = join(data, 'paper-1.html');
  assert.ok(resumed.stdout.includes(file), resumed.stdout);
  const report = await readFile(file, 'utf8');
  assert.match(report, /2 sites × 2 conditions × HTTP\/1\.1, HTTP\/2, HTTP\/3 × 1 round\.\s+12 valid visits/);
  for (let figure = 2; figure <= 9; figure++) assert.ok(report.includes(`<h2>Figure ${figure}: `), `figure ${figure}`);
  assert.match(report, /RTT 5\d(\.\d+)? ms/);
  assert.match(report, /All sites are pages of a lab/);
  assert.doesNotMatch(report, /Not finished|NaN|undefined|<script/);

  const again = join(data, 'again.html');
  const other = await run(['campaign', 'report', '1', '--study', 'kiwee', '--out', again, '--data', data], behindLink);
  assert.equal(other.code, 0, other.stderr);
  assert.match(await readFile(again, 'utf8'), /<h2>one\/<\/h2>/);
  const known = await run([...limited, '--estimate'], behindLink);
  assert.match(known.stdout.replaceAll('\n', ' '), /12 visits in 4 rounds\. About .* on one machine, .* on ten\. .*4 earlier rounds/);
});
