import assert from 'node:assert/strict';
import { test } from 'node:test';
import { httpsQuery, readHttpsAnswer } from './https-records.ts';

const name = (text: string) =>
  Buffer.concat([...text.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]), Buffer.of(0)]);
const u16 = (...values: number[]) => Buffer.from(values.flatMap((value) => [value >> 8, value & 255]));
const record = (owner: Buffer, type: number, value: Buffer) => Buffer.concat([owner, u16(type, 1, 0, 60, value.length), value]);
const toQuestion = Buffer.of(0xc0, 12);
const alpn = (...names: string[]) => {
  const list = Buffer.concat(names.map((one) => Buffer.concat([Buffer.of(one.length), Buffer.from(one)])));
  return Buffer.concat([u16(1, list.length), list]);
};
const answer = (flags: number, ...records: Buffer[]) => {
  const query = httpsQuery(7, 'shop.example');
  return Buffer.concat([u16(7, flags, 1, records.length, 0, 0), query.subarray(12), ...records]);
};

test('a query asks for type 65 of a name, and no name without an end', () => {
  const query = httpsQuery(7, 'shop.example');
  assert.deepEqual(query, Buffer.concat([u16(7, 0x0100, 1, 0, 0, 0), name('shop.example'), u16(65, 1)]));
  for (const bad of ['', 'a..b', `${'x'.repeat(64)}.example`]) assert.throws(() => httpsQuery(7, bad), /is not a host name/);
});

test('an answer tells alpn, port and target; where the target is the name itself it is that', () => {
  const service = (priority: number, target: Buffer, ...parameters: Buffer[]) => Buffer.concat([u16(priority), target, ...parameters]);
  const found = readHttpsAnswer(
    answer(
      0x8180,
      record(toQuestion, 65, service(1, Buffer.of(0), alpn('h3', 'h2'), Buffer.concat([u16(4, 4), Buffer.of(1, 2, 3, 4)]))),
      record(toQuestion, 65, service(2, name('CDN.example'), alpn('h3'), Buffer.concat([u16(3, 2), u16(8443)]))),
      record(toQuestion, 65, service(3, name('shop.example'))),
    ),
  );
  assert.deepEqual(found, {
    ...{ id: 7, truncated: false, code: 0 },
    bindings: [
      { priority: 1, target: '', alpn: ['h3', 'h2'], port: null },
      { priority: 2, target: 'cdn.example', alpn: ['h3'], port: 8443 },
      { priority: 3, target: '', alpn: [], port: null },
    ],
  });
});

test('records behind a CNAME are read, aliases are left out, and unknown or truncated records are reported', () => {
  const alias = record(toQuestion, 65, Buffer.concat([u16(0), name('other.example')]));
  const behind = record(name('cdn.example'), 65, Buffer.concat([u16(1), Buffer.of(0), alpn('h3')]));
  assert.deepEqual(readHttpsAnswer(answer(0x8180, record(toQuestion, 5, name('cdn.example')), behind, alias)).bindings, [
    { priority: 1, target: '', alpn: ['h3'], port: null },
  ]);
  assert.equal(readHttpsAnswer(answer(0x8183)).code, 3);
  assert.equal(readHttpsAnswer(answer(0x8380)).truncated, true);
});

test('targets that are no host names and ALPNs that can’t be printed are left out', () => {
  const service = (target: Buffer, ...names: string[]) => record(toQuestion, 65, Buffer.concat([u16(1), target, alpn(...names)]));
  const found = readHttpsAnswer(
    answer(0x8180, service(name('\u001b[2J.example'), 'h3'), service(name('_8443.a-b.example'), 'h3', '\u001b]0;h2')),
  );
  assert.deepEqual(found.bindings, [{ priority: 1, target: '_8443.a-b.example', alpn: ['h3'], port: null }]);
});

test('an answer that is broken is an error, not an endless loop', () => {
  assert.throws(() => readHttpsAnswer(answer(0x8180, behindLoop())), RangeError);
  assert.throws(() => readHttpsAnswer(answer(0x8180, record(toQuestion, 65, u16(1)).subarray(0, -1))), RangeError);
});

/** A name that points to itself: the question ends at byte 30. */
const behindLoop = () => record(Buffer.of(0xc0, 30), 65, u16(1));
