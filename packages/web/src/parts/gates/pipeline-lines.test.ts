import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { shellQuoted } from '../../text/shell.ts';
import { cliLines, curlLines, githubWorkflow, gitlabJob } from './pipeline-lines.ts';

test('a name is one word of a shell, whatever is in it', () => {
  assert.deepEqual(['budget', 'page speed', "it's; rm -rf /", '$(id)'].map(shellQuoted), [
    'budget',
    "'page speed'",
    "'it'\\''s; rm -rf /'",
    "'$(id)'",
  ]);
});

test('every piece names the service that one looks at', () => {
  for (const lines of [
    cliLines('https://p.example', 'budget'),
    curlLines('https://p.example', '3'),
    githubWorkflow('https://p.example'),
    gitlabJob('https://p.example'),
  ])
    assert.match(lines, /https:\/\/p\.example/);
});

test('every piece asks the gate that one looks at', () => {
  assert.match(cliLines('https://p.example', 'page speed'), /pronghorn gate --gate 'page speed' /);
  for (const [lines, place] of [
    [githubWorkflow, '          token: '],
    [gitlabJob, '      api: '],
  ] as const) {
    const [before, after] = [lines('https://p.example').split('\n'), lines('https://p.example', 'it: "fast"').split('\n')];
    const added = after.findIndex((line) => !before.includes(line));
    assert.equal(after[added]?.trim(), 'gate: "it: \\"fast\\""');
    assert.ok(after[added - 1]?.startsWith(place));
    assert.deepEqual(after.toSpliced(added, 1), before);
  }
});

test('a pipeline of the dashboard is that of the guide', () => {
  const guide = readFileSync(new URL('../../../../../docs/gates.md', import.meta.url), 'utf8');
  for (const lines of [githubWorkflow, gitlabJob])
    assert.ok(guide.includes(`\`\`\`yaml\n${lines('https://pronghorn.example')}\`\`\``), lines.name);
});
