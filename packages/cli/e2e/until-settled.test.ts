// A campaign that goes on until it is settled, with real visits: it stops at a look with a verdict, or at its maximum without one.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { type Exported, quickShell, run, temporaryData } from './command.ts';

test(
  'rounds are added look by look until h3 against h2 is settled, and the report says what came of it',
  proves('until-settled'),
  async (t) => {
    const data = await temporaryData((remove) => t.after(remove));
    const asked = ['--sites', 'truth-single', '--protocols', 'h2,h3', '--rounds', '6', '--until-settled', '9', '--margin', '20'];
    const { code, stdout, stderr } = await run([
      'demo',
      ...asked,
      '--conditions',
      'native',
      ...quickShell,
      '--json',
      join(data, 'all.json'),
      '--data',
      data,
    ]);
    assert.equal(code, 0, stderr + stdout);
    const { campaign, results, visits }: Exported = JSON.parse(await readFile(join(data, 'all.json'), 'utf8'));
    assert.deepEqual([campaign.spec.maximumRounds, campaign.spec.margin, campaign.state], [9, 0.2, 'done']);
    const question = results.cells[0]?.comparisons.find(({ confirmatory }) => confirmatory);
    assert.ok(question !== undefined);
    const { outcome, words } = question.verdict;
    const rounds = new Set(visits.map(({ roundNumber }) => roundNumber)).size;
    assert.ok(outcome === 'inconclusive' ? rounds === 9 : rounds === 6 || rounds === 9, `${outcome} after ${rounds} rounds`);
    assert.ok(stdout.replaceAll(/\s+/g, ' ').includes(words), stdout);
  },
);

test('a maximum below what can settle anything is refused before anything runs', proves('until-settled'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const { code, stderr } = await run(['measure', 'https://a.invalid/', '--rounds', '3', '--until-settled', '4', '--data', data]);
  assert.notEqual(code, 0);
  assert.match(stderr, /maximumRounds is 4, expected at least 6/);
});
