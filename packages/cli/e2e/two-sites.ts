// A study's campaign on two sites of this machine, and what is in its report.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryData } from './command.ts';

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

/** Two sites of this machine, and a list that names two more which are none. */
export async function study(t: TestContext): Promise<{ data: string; command: string[] }> {
  const data = await temporaryData((remove) => t.after(remove));
  const sites = ['one', 'two'].map((name) => join(data, name));
  for (const folder of sites) await site(folder, folder);
  const list = join(data, 'list.txt');
  await writeFile(list, `# two sites\n${sites.join('\n')}\n./nowhere\nftp://a.example/\n`);
  return { data, command: ['campaign', 'paper', '--sites', list, '--rounds', '1', '--data', data] };
}

/** @returns the report that a command has told of */
export async function reported(data: string, stdout: string): Promise<string> {
  const file = join(data, 'paper-1.html');
  assert.ok(stdout.includes(file), stdout);
  const report = await readFile(file, 'utf8');
  for (let figure = 2; figure <= 9; figure++) assert.ok(report.includes(`<h2>Figure ${figure}: `), `figure ${figure}`);
  assert.match(report, /All sites are pages of a lab/);
  assert.doesNotMatch(report, /Not finished|NaN|undefined|<script/);
  return report;
}
