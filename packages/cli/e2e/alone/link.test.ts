// Campaigns behind a link: the condition is what it says, the origin stands behind it, and every round has its proof.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Condition, LinkCheck } from '@pronghorn/core/schemas';
import { surveyBackends } from '@pronghorn/runner';
import { judgesTimes } from '../../../runner/e2e/standstill.ts';
import { behindLink, type Exported, exported, quick, run, temporaryData } from '../command.ts';

const survey = await surveyBackends();
const shapes = survey.some(({ name, can }) => (name === 'netem' || name === 'guest') && can === true);
const why = survey.map(({ name, can }) => `${name}: ${can}`).join('; ');

describe('with a link that shapes', { skip: shapes ? false : `no link here can shape (${why})` }, () => {
  test(
    'demo measures under conditions of a preset and of a file, on Caddy, with a check of the link for every round',
    judgesTimes(async (t) => {
      const data = await temporaryData((remove) => t.after(remove));
      const own: Condition = {
        name: 'far-away',
        up: { delayMs: 40 },
        down: { delayMs: 40, rateKbps: 20_000, queueBytes: 100_000 },
      };
      await writeFile(join(data, 'far-away.json'), JSON.stringify(own));
      const conditions = ['--conditions', 'native,latency-50', '--condition', join(data, 'far-away.json')];
      const asked = ['--origin', 'caddy', '--protocols', 'h1,h2,h3', '--rounds', '1', ...quick, '--json', join(data, 'all.json')];
      const { code, stdout, stderr } = await run(['demo', ...conditions, ...asked, '--data', data], behindLink);
      assert.equal(code, 0, stderr + stdout);
      assert.match(stdout.replaceAll(/\s+/g, ' '), /Proof: in 9 of 9 valid visits \(100 %\)/);
      assert.match(stderr, /Caddy.* behind an emulated network \((netem|guest)\)/i);

      const { campaign, visits, linkChecks }: Exported & { linkChecks: LinkCheck[] } = JSON.parse(
        await readFile(join(data, 'all.json'), 'utf8'),
      );
      assert.deepEqual(
        campaign.spec.conditions.map(({ name }) => name),
        ['native', 'latency-50', 'far-away'],
      );
      for (const [condition, rttMs] of [
        ['native', 0],
        ['latency-50', 50],
        ['far-away', 80],
      ] as const) {
        const check = linkChecks.find((one) => one.condition === condition);
        assert.ok(check !== undefined && check.faults.length === 0, `${condition}: ${JSON.stringify(check)}`);
        assert.equal(check.rtt?.requestedMs, rttMs);
        assert.ok(check.down !== null && check.down.loss.sent >= 8_000 && check.up !== null, 'the first check is a full one');
        for (const { protocol, outcome, link } of visits.filter((visit) => visit.condition === condition && visit.counted)) {
          assert.ok(outcome.verdict === 'valid');
          assert.deepEqual(link?.refused, [], 'the page is all the origin’s');
          assert.ok(Number.isInteger(link?.receiveDrops));
          // Two round trips before the first byte with QUIC, three with TCP and TLS 1.3.
          const trips = protocol === 'h3' ? 2 : 3;
          const { ttfb } = outcome.metrics;
          assert.ok(ttfb > trips * rttMs && ttfb < (trips + 0.9) * rttMs + 150, `${condition} ${protocol}: ${ttfb} ms to the first byte`);
        }
      }
    }),
  );

  test(
    'link check prints what was asked for and what was measured',
    judgesTimes(async (t) => {
      const data = await temporaryData((remove) => t.after(remove));
      const { code, stdout, stderr } = await run(['link', 'check', 'latency-50', 'bandwidth-5', '--data', data], behindLink);
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /latency-50[\s\S]*bandwidth-5/);
      assert.match(stdout, /All 2 conditions within tolerance\. Link (netem|guest), kernel \d/);
      for (const line of stdout.split('\n')) assert.ok([...line].length <= 100, line);
    }),
  );
});

test('a condition that no link here can do is refused with the reason, before anything is measured', async (t) => {
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
  skip: process.getuid?.() === 0 ? false : 'needs root',
}, async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const { code, stderr } = await run(['measure', 'https://localhost:8443/', '--no-front', '--link', 'veth', '--data', data]);
  assert.equal(code, 2);
  assert.match(stderr, /loopback.*--front\), or measure it with --link direct/);
});

describe('conditions that can’t be', () => {
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
