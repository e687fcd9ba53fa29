// Campaigns behind a link: the condition is what it says, the origin stands behind it, and every round has its proof.
// Thoroughly: e2e/thorough/link.test.ts.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { exported, run, temporaryData } from './command.ts';
import { checkedLink, measuredUnderConditions, shaping } from './conditions.ts';

describe('with a link that shapes', { ...proves('link', 'link-check', 'conditions', 'servers'), ...shaping }, () => {
  test('demo measures under a condition of a file, on Caddy, with a check of the link for the round', async (t) => {
    await measuredUnderConditions(t, {}, ['h2'], { judged: false });
  });

  test('link check prints what was asked for and what was measured, and its exit code is what it says', async (t) => {
    const { code, verdict } = await checkedLink(t, ['latency-50']);
    // How close a link comes on a busy machine is not the question here.
    assert.equal(code, verdict.startsWith('All 1 condition within tolerance') ? 0 : 1, verdict);
  });
});

test('a condition that no link here can do is refused with the reason, before anything is measured', proves('link'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const { code, stderr } = await run([
    'measure',
    'https://a.invalid/',
    '--conditions',
    'native,loss-2',
    '--link',
    'direct',
    '--data',
    data,
  ]);
  assert.equal(code, 2);
  assert.match(stderr, /The link direct can’t shape packets, as the condition loss-2 requires: use link auto, netem or guest/);
  const results = await run(['results', '--data', data]);
  assert.match(results.stderr, /Nothing has been measured yet/);
});

test('a page on this machine’s loopback that nginx is not to stand before is refused behind a link, with what to do', {
  ...proves('link'),
  skip: process.getuid?.() === 0 ? false : 'needs root',
}, async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const { code, stderr } = await run(['measure', 'https://localhost:8443/', '--no-front', '--link', 'veth', '--data', data]);
  assert.equal(code, 2);
  assert.match(stderr, /loopback.*--front\), or measure it with --link direct/);
});

describe('conditions that can’t be', proves('conditions'), () => {
  for (const [file, content, message] of [
    ['no-json', '{', /is not JSON \(/],
    ['no-condition', '{"name": "x"}', /is wrong at .*up/],
    ['no-delay', '{"name": "x", "up": {"jitter": {"ms": 5}}, "down": {}}', /wrong at \/up\/jitter\/ms: .*the delay is 0 ms/],
    ['preset', '[{"name": "loss-2", "up": {"delayMs": 5}, "down": {}}]', /wrong at \/0\/name: loss-2 is a preset/],
  ] as const) {
    test(`a file with ${file} is refused`, async (t) => {
      const data = await temporaryData((remove) => t.after(remove));
      const path = join(data, `${file}.json`);
      await writeFile(path, content);
      const { code, stderr } = await run(['measure', 'https://a.invalid/', '--condition', path, '--data', data]);
      assert.equal(code, 2);
      assert.match(stderr, message);
      assert.ok(stderr.includes(path));
    });
  }

  test('an unknown name is answered with the known ones', async (t) => {
    const data = await temporaryData((remove) => t.after(remove));
    const { code, stderr } = await run(['measure', 'https://a.invalid/', '--conditions', 'warp-9', '--data', data]);
    assert.equal(code, 2);
    assert.match(stderr, /warp-9.*latency-100/s);
    assert.equal((await exported(data).catch(() => null))?.campaign, undefined);
  });
});
