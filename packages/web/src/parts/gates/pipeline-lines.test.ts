import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cliLines, curlLines, githubWorkflow, gitlabJob, shellQuoted } from './pipeline-lines.ts';

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

test('a pipeline of the dashboard is that of the guide', () => {
  const guide = readFileSync(new URL('../../../../../docs/gates.md', import.meta.url), 'utf8');
  for (const lines of [githubWorkflow, gitlabJob])
    assert.ok(guide.includes(`\`\`\`yaml\n${lines('https://pronghorn.example')}\`\`\``), lines.name);
});
