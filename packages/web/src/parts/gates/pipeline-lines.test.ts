import assert from 'node:assert/strict';
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
