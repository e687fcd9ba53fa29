// `crosscheck`: the same pages by two engines, in turn.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isThorough, proves } from '@pronghorn/core/testing';
import { exported, quick, run, temporaryData } from './command.ts';

test('two engines load a page in turn, and their campaigns are compared and kept', proves('crosscheck'), async (t) => {
  const protocols = isThorough ? ['h2', 'h3'] : ['h2'];
  const data = await temporaryData((remove) => t.after(remove));
  const crosscheck = [
    'crosscheck',
    '--sites',
    'article',
    '--engines',
    'puppeteer,firefox',
    '--protocols',
    protocols.join(),
    '--rounds',
    '1',
  ];
  const { code, stdout, stderr } = await run([...crosscheck, ...quick, '--data', data]);
  assert.equal(code, 0, stderr + stdout);
  assert.match(stderr, /stored: 1 \(puppeteer\), 2 \(firefox\)/);
  for (const [id, engine] of Object.entries({ 1: 'puppeteer', 2: 'firefox' })) {
    const { campaign, visits } = await exported(data, id);
    assert.equal(campaign.spec.engine, engine);
    assert.deepEqual(
      visits
        .filter(({ counted, outcome }) => counted && outcome.verdict === 'valid')
        .map(({ protocol }) => protocol)
        .sort(),
      protocols,
    );
  }
  assert.ok(existsSync(join(data, 'crosscheck-1.html')), stdout);
});
