// Protocols against themselves: what is refused, what is told, and what is kept.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { proves, thoroughly } from '@pronghorn/core/testing';
import { quickShell, run, temporaryData } from './command.ts';
import { plainPages } from './pages.ts';

test('calibrate visits a page with a protocol twice in each round, and tells what the rounds say', proves('calibrate'), async (t) => {
  const pages = await plainPages();
  t.after(pages.close);
  await calibrated(t, [`${pages.url}/`], ['h1']);
});

test('without a page it is the shop, over each protocol', thoroughly('calibrate'), async (t) => {
  assert.match(await calibrated(t, [], ['h2', 'h3']), /^shop {2}https:\/\/.* {2}native, cold\n/);
});

/** @returns what it prints of so many rounds as are the fewest */
async function calibrated(t: TestContext, pages: readonly string[], protocols: readonly string[]): Promise<string> {
  const data = await temporaryData((remove) => t.after(remove));
  const json = join(data, 'calibration.json');
  const args = ['calibrate', ...pages, '--protocols', protocols.join(), '--rounds', '10', ...quickShell, '--data', data, '--json', json];
  const { code, stdout, stderr } = await run(args);
  assert.equal(code, 0, stderr + stdout);
  for (const line of stdout.split('\n')) assert.ok([...line].length <= 100, line);
  for (const protocol of protocols) {
    for (const metric of ['onLoad', 'SpeedIndex']) {
      const name = `${protocol} against ${protocol}, ${metric}`;
      assert.match(stdout, new RegExp(`^${name}, 10 rounds\nIn 1 sub-campaign of 10 rounds [01] would have named a winner`, 'm'));
      assert.match(stdout, new RegExp(`^${protocol} +${metric} +–( +[\\d.]+ %){4}$`, 'm'));
    }
  }
  assert.match(
    stdout.replaceAll('\n', ' '),
    /10 rounds say little about how large the noise can get.*A caution is not a failure of this command/,
  );

  const { campaign, calibrations } = JSON.parse(readFileSync(json, 'utf8'));
  assert.deepEqual(
    campaign.spec.protocols,
    protocols.flatMap((one) => [one, one]),
  );
  assert.equal(campaign.spec.name, 'Calibration');
  assert.deepEqual(
    calibrations.map(({ protocol, slots, metric, rounds }: Record<string, unknown>) => [protocol, slots, metric, rounds]),
    protocols.flatMap((protocol, index) => ['onLoad', 'speedIndex'].map((metric) => [protocol, [2 * index, 2 * index + 1], metric, 10])),
  );
  for (const { calibration } of calibrations) assert.ok(stdout.replaceAll('\n', ' ').includes(calibration.words));

  const kept = join(data, 'kept.json');
  const again = await run(['results', '--data', data, '--json', kept]);
  assert.ok(again.stdout.includes(`\n${protocols.at(-1)} against ${protocols.at(-1)}, SpeedIndex, 10 rounds\n`), again.stdout);
  assert.deepEqual(JSON.parse(readFileSync(kept, 'utf8')).calibrations, calibrations);
  return stdout;
}

test('what calibrates nothing is refused before anything runs', proves('calibrate'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const refused: [string[], RegExp][] = [
    [['--rounds', '9'], /'9' is invalid\. A calibration needs at least 10 rounds/],
    [['--sites', 'casino'], /no site "casino"; its sites are article, shop/],
    [['a.invalid', '--sites', 'shop'], /Name either a URL or --sites of the demo/],
    [['--until-settled'], /unknown option '--until-settled'/],
  ];
  for (const [args, words] of refused) {
    const { code, stdout, stderr } = await run(['calibrate', ...args, '--data', data]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, words);
    assert.equal(stdout, '');
  }
});
