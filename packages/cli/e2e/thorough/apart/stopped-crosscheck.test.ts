// A crosscheck that is stopped in its middle, behind a link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { behindLink, quick, run, start, temporaryData } from '../../command.ts';

test('a crosscheck that is stopped goes on by turns, and compares all of its rounds', proves('crosscheck', 'campaigns'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const checking = ['--engines', 'puppeteer,firefox', '--protocols', 'h2', '--rounds', '3', ...quick, '--data', data];
  const stopped = start(['crosscheck', '--sites', 'article', ...checking], behindLink);
  await stopped.says(/^[1-4]\/6 visits/m, 240_000);
  stopped.child.kill('SIGINT');
  const { code, stderr } = await stopped.ended;
  assert.equal(code, 130, stderr);
  const [, resume = ''] = /Continue with: \.\/pronghorn (.+)/.exec(stderr) ?? [];
  assert.equal(resume, `crosscheck --resume 1,2 --data ${data}`);

  const half = await run(['crosscheck', '--resume', '1', '--data', data]);
  assert.equal(half.code, 2);
  assert.match(half.stderr, /not from one crosscheck/);

  const resumed = await run(resume.split(' '), behindLink);
  assert.equal(resumed.code, 0, resumed.stderr);
  assert.match(resumed.stderr, /^[1-5]\/6 visits/m);
  assert.match(resumed.stdout, /^article native +h2 +onLoad +firefox − puppeteer +3 /m);
});
