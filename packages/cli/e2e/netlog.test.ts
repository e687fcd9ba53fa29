// `netlog`: findings of extra visits, and their logs as files.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { run, temporaryData } from './command.ts';

test('netlog tells what the log of each protocol says, writes it, and stores nothing with results', async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  const { code, stdout, stderr } = await run(['netlog', '--sites', 'article', '--protocols', 'h2,h3', '--data', data]);
  assert.equal(code, 0, stdout + stderr);
  for (const words of [
    /^article native, HTTP\/2: valid/m,
    /^article native, HTTP\/3: valid/m,
    /^ {2}connected in /m,
    /^ {2}priorities: \d+ signals, /m,
  ])
    assert.match(stdout, words);
  assert.deepEqual(readdirSync(join(data, 'netlogs')).sort(), ['article-native-h2.netlog.json', 'article-native-h3.netlog.json']);
  const { constants, events } = JSON.parse(readFileSync(join(data, 'netlogs', 'article-native-h3.netlog.json'), 'utf8'));
  assert.ok(events.some(({ type }: { type: number }) => type === constants.logEventTypes.QUIC_SESSION_STREAM_FRAME_RECEIVED));
  assert.equal(existsSync(join(data, 'pronghorn.db')), false);
});

test('netlog takes one page or some of the demo, and one condition', async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  for (const [args, said] of [
    [[], /Name a page, or pages of the demo/],
    [['https://a.example/', '--sites', 'shop'], /Name a page, or pages of the demo/],
    [['https://a.example/', '--condition', 'nowhere'], /There is no condition nowhere/],
  ] as const) {
    const { code, stderr } = await run(['netlog', ...args, '--data', data]);
    assert.equal(code, 2);
    assert.match(stderr, said);
  }
});
