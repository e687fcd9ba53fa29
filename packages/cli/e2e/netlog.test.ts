// `netlog`: findings of extra visits, and their logs as files.
import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { proves } from '@pronghorn/core/testing';
import { readAccessLog } from '@pronghorn/origin';
import { run, temporaryData } from './command.ts';

test(
  'netlog tells what the log of each protocol says, and writes what the server’s qlog and log of requests say, too',
  proves('netlog', 'demo'),
  async (t) => {
    const data = await temporaryData((remove) => t.after(remove));
    const from = Date.now() / 1_000;
    const { code, stdout, stderr } = await run(['netlog', '--sites', 'shop', '--protocols', 'h2,h3', '--origin', 'caddy', '--data', data]);
    assert.equal(code, 0, stdout + stderr);
    for (const words of [
      /^shop native, HTTP\/2: valid/m,
      /^shop native, HTTP\/3: valid/m,
      /^ {2}connected in /m,
      /^ {2}priorities: \d+ signals, /m,
    ])
      assert.match(stdout, words);
    const names = ['h2.netlog.json', 'h3.netlog.json', 'h3.server.sqlog'].map((end) => `shop-native-${end}`);
    assert.deepEqual(readdirSync(join(data, 'netlogs')).sort(), names);
    assert.equal(existsSync(join(data, 'pronghorn.db')), false, 'nothing is stored with results');
    const path = (name: string) => join(data, 'netlogs', name);
    const { constants, events } = JSON.parse(readFileSync(path('shop-native-h3.netlog.json'), 'utf8')) as NetlogFile;
    const qlog = readFileSync(path('shop-native-h3.server.sqlog'), 'utf8')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line.replace('\u001e', '')) as QlogEvent]))
      .filter(({ name }) => name !== undefined); // the first line is of the file
    const ours = events.filter(({ type }) => type === constants.logEventTypes.QUIC_SESSION_STREAM_FRAME_RECEIVED);
    const received = ours.map(({ params }): Frame => [params.stream_id, params.offset, params.length]);
    const sent = qlog.flatMap(({ name, data: { frames } }) =>
      name !== 'transport:packet_sent'
        ? []
        : (frames ?? []).flatMap((frame): Frame[] =>
            frame.frame_type === 'stream' ? [[frame.stream_id, frame.offset ?? 0, frame.length ?? 0]] : [],
          ),
    );
    const sum = (frames: readonly Frame[]) => frames.reduce((bytes, [, , length]) => bytes + length, 0);
    t.diagnostic(`received ${received.length} frames of ${sum(received)} bytes, sent ${sent.length} of ${sum(sent)}`);
    // What was lost was sent again: each byte arrived, and nothing did that was not sent.
    const asked = new Set(sent.map(String));
    assert.deepEqual(
      received.filter((frame) => !asked.has(String(frame))),
      [],
    );
    assert.deepEqual(lengths(received), lengths(sent));
    // Bodies, by the qlog's DATA frames and by the log of requests.
    const uris = new Map<number, string>();
    const bodies = new Map<number, number>();
    for (const {
      name,
      data: { stream_id: stream = -1, frame, raw },
    } of qlog) {
      const uri = frame?.header_fields?.find((field) => field.name === ':path')?.value;
      if (name === 'http3:frame_parsed' && uri !== undefined) uris.set(stream, uri);
      if (name === 'http3:frame_created' && frame?.frame_type === 'data')
        bodies.set(stream, (bodies.get(stream) ?? 0) + (raw?.payload_length ?? 0));
    }
    const [accessLog = ''] = globSync(join(data, 'origin/runs/*/access.log'));
    const logged = (await readAccessLog(accessLog)).filter(({ time, protocol }) => protocol === 'h3' && time >= from);
    const said = [...uris].map(([stream, uri]) => `${uri} ${bodies.get(stream) ?? 0}`).sort();
    assert.ok(said.length > 80);
    // Discovery and the probe of the host have connections of their own.
    const others = logged.map(({ uri, bodyBytes }) => `${uri} ${bodyBytes}`);
    for (const one of said) {
      assert.ok(others.includes(one), `${one} is in no line of the log`);
      others.splice(others.indexOf(one), 1);
    }
    t.diagnostic(
      `${said.length} responses with ${[...bodies.values()].reduce((a, b) => a + b, 0)} bytes of bodies are in the log of requests alike`,
    );
  },
);

/** stream, offset, length */
type Frame = [number, number, number];

interface NetlogFile {
  constants: { logEventTypes: Record<string, number> };
  events: { type: number; params: { stream_id: number; offset: number; length: number } }[];
}

interface QlogEvent {
  name?: string;
  data: {
    frames?: { frame_type: string; stream_id: number; offset?: number; length?: number }[];
    stream_id?: number;
    raw?: { payload_length?: number };
    frame?: { frame_type: string; header_fields?: { name: string; value: string }[] };
  };
}

/** Of each stream: how far its frames reach without a hole. */
function lengths(frames: readonly Frame[]): Record<number, number> {
  const reached: Record<number, number> = {};
  for (const [stream, offset, length] of frames.toSorted((a, b) => a[1] - b[1]))
    if (offset <= (reached[stream] ?? 0)) reached[stream] = Math.max(reached[stream] ?? 0, offset + length);
  return reached;
}

test('netlog takes one page or some of the demo, and one condition', proves('netlog'), async (t) => {
  const data = await temporaryData((remove) => t.after(remove));
  for (const [args, said] of [
    [[], /Name either a page, or pages of the demo/],
    [['https://a.example/', '--sites', 'shop'], /Name either a page, or pages of the demo/],
    [['https://a.example/', '--condition', 'nowhere'], /There is no condition nowhere/],
  ] as const) {
    const { code, stderr } = await run(['netlog', ...args, '--data', data]);
    assert.equal(code, 2);
    assert.match(stderr, said);
  }
});
