import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, answerLine, type Request, readAnswer, readRequest, requestLine } from './wire.ts';

const capabilities = { engines: ['puppeteer' as const], browsers: ['chrome' as const], backends: ['veth' as const] };

test('requests and answers come out as they went in, a line each', () => {
  const request: Request = { ask: 'capabilities', choice: 'auto', fencing: 'fenced' };
  const { wireProtocol: _, ...heard } = readRequest(requestLine(request)) as Request & { wireProtocol: number };
  assert.deepEqual(heard, request);
  const answer: Answer = { kind: 'capabilities', capabilities };
  const { wireProtocol: __, ...rest } = readAnswer(answerLine(answer)) as Answer & { wireProtocol: number };
  assert.deepEqual(rest, answer);
  assert.equal(answerLine({ kind: 'failed', why: 'two\nlines' }).split('\n').length, 2);
});

test('an output that is no answer is reported by its beginning, with what to do', () => {
  for (const text of [
    '',
    'pod "visit" deleted\n',
    `${answerLine({ kind: 'capabilities', capabilities })}pod "visit" deleted`,
    '[1]',
    'null',
    '{"ask":1}',
  ])
    assert.throws(() => readAnswer(text), /did not write exactly one answer.*must write to standard error/);
  assert.throws(
    () => readAnswer(`<${'x'.repeat(1_000)}>`),
    ({ message }: Error) => message.length < 500 && message.includes('"<xxx'),
  );
});

test('an incomplete answer is reported with the place', () => {
  const loaded = {
    wireProtocol: 1,
    kind: 'loaded',
    check: null,
    link: null,
    evidence: { version: 1, startedAt: '', network: [], bodyBytes: {} },
  };
  assert.throws(() => readAnswer(JSON.stringify(loaded)), /answer loaded is invalid at \/: must have required properties environment\./);
  const other = { wireProtocol: 1, kind: 'capabilities', capabilities: { ...capabilities, backends: ['string'] } };
  assert.throws(() => readAnswer(JSON.stringify(other)), /answer capabilities is invalid at \/capabilities\/backends\/0: must be/);
  assert.throws(() => readAnswer('{"wireProtocol":1,"kind":"nothing"}'), /unknown answer "nothing"; expected capabilities, proof,/);
});

test('another version is refused on both sides, with what to do', () => {
  assert.throws(
    () => readAnswer('{"wireProtocol":2,"kind":"failed","why":""}'),
    /The visit command has another version .*use the same version on both sides/,
  );
  assert.throws(() => readRequest('{"ask":"capabilities"}'), /The runner has another version .*use the same version on both sides/);
  assert.throws(() => readRequest('https://example.org/'), /Expected one line of JSON with a request on standard input, found: "https/);
});
