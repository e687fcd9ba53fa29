import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import fastify from 'fastify';
import { loggingOf } from './logging.ts';

function logged(pretty: boolean) {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += chunk;
      done();
    },
  });
  return { log: fastify(loggingOf({ level: 'warn', pretty, stream })).log, text: () => text };
}

test('lines are JSON with the level’s name and the time in ISO 8601; what is below the level is not told', () => {
  const { log, text } = logged(false);
  log.info('not told');
  log.warn({ event: 'lease-lost' }, 'told');
  const { level, time, event, msg } = JSON.parse(text());
  assert.deepEqual([level, event, msg], ['warn', 'lease-lost', 'told']);
  assert.equal(new Date(time).toISOString(), time);
});

test('what is secret is hidden however deep it is', () => {
  const { log, text } = logged(false);
  log.warn({ token: 'prg_1', headers: { cookie: 'prg_2', 'set-cookie': 'prg_3' }, req: { headers: { authorization: 'prg_4' } } }, 'told');
  log.error({ err: Object.assign(new Error('failed'), { options: { secret: 'prg_5' } }) }, 'told');
  assert.doesNotMatch(text(), /prg_/);
  assert.match(text(), /hidden/);
});

test('for a person each entry is one line, whatever names have in them', () => {
  const { log, text } = logged(true);
  log.warn({ schedule: 'a\nb' }, 'nightly\n[12:00:00.000] ERROR: forged line\r\u001b[2K\u009b');
  assert.equal(text().trimEnd().split('\n').length, 1);
  assert.match(text(), /nightly\\n\[12:00:00\.000\] ERROR: forged line\\u000d\\u001b\[2K\\u009b/);
});

test('for a person lines are text', () => {
  const { log, text } = logged(true);
  log.warn({ event: 'lease-lost' }, 'told');
  assert.match(text(), /WARN.*told/);
  assert.doesNotMatch(text(), /\{"level"/);
});
