import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { cut, duration, ProgressLine, plainLines, table, widthOf, wrap } from './terminal.ts';

const plain = (text: string) => stripVTControlCharacters(text);

test('columns of a table line up, the first to the left and the others to the right', () => {
  assert.equal(
    plain(
      table(
        ['page', 'n'],
        [
          ['shop', '7'],
          ['a', '1000'],
        ],
      ),
    ),
    ['page     n', 'shop     7', 'a     1000'].join('\n'),
  ); // prettier-ignore
});

test('letters of East Asia take two cells of a table, marks that combine none', () => {
  assert.equal(widthOf('日本'), 4);
  assert.equal(widthOf('e\u0301'), 1);
  assert.equal(widthOf('👩‍💻'), 2);
  assert.equal(widthOf('\x1b[1mbold\x1b[22m'), 4);
  const lines = plain(
    table(
      ['page', 'n'],
      [
        ['日本', '1'],
        ['cafe\u0301', '1'],
        ['café', '1'],
      ],
    ),
  ).split('\n'); // prettier-ignore
  assert.deepEqual(lines.map(widthOf), [7, 7, 7, 7]);
});

test('a text is cut at cells and never inside a letter', () => {
  assert.equal(cut('ab日本', 4), 'ab日');
  assert.equal(cut('ab日本', 5), 'ab日');
  assert.equal(cut('short', 10), 'short');
});

test('prose breaks between words, and a long URL stays whole', () => {
  assert.equal(wrap('one two three', 7), 'one two\nthree');
  assert.equal(wrap('see https://example.com/a/b now', 10), 'see\nhttps://example.com/a/b\nnow');
  assert.equal(wrap('\nfirst\nsecond', 20), '\nfirst\nsecond');
});

test('a terminal obeys nothing of what a page or a service wrote', () => {
  const hostile = 'a\u001b[2Jb\u009b31mc\u0007\rd';
  assert.equal(wrap(`${hostile}\nnext`), 'a\ufffd[2Jb\ufffd31mc\ufffd\ufffdd\nnext');
  assert.equal(plainLines(`${hostile}\nnext`), 'a\ufffd[2Jb\ufffd31mc\ufffd\ufffdd\nnext');
  const { stream: pipe, written } = stream(true);
  new ProgressLine('visits', 1, 0, pipe).update(1, hostile);
  assert.match(written(), /a\ufffd\[2Jb\ufffd31mc\ufffd\ufffdd$/);
  const shown = plain(table(['page'], [[hostile], [{ text: hostile, style: 'bold' }]])).split('\n');
  assert.deepEqual(shown.slice(1), Array(2).fill('a\ufffd[2Jb\ufffd31mc\ufffd\ufffdd'));
});

test('a number stays on one line with its per cent, and a p-value with its name', () => {
  assert.equal(wrap('at most 95 % of all', 10), 'at most\n95 % of\nall');
  assert.equal(wrap('a drift (p < 0.001) of 2', 12), 'a drift\n(p < 0.001)\nof 2');
  assert.equal(wrap('it took 20 ms, 10 Mbit/s', 10), 'it took\n20 ms,\n10 Mbit/s');
  assert.equal(wrap('it took 20 more', 10), 'it took 20\nmore');
  assert.equal(wrap('one two\u00a0three', 8), 'one\ntwo\u00a0three');
});

test('durations are told as people say them', () => {
  assert.deepEqual([0, 59.4, 59.6, 200, 7_500, -1].map(duration), ['0 s', '59 s', '1 min 0 s', '3 min 20 s', '2 h 5 min', '0 s']);
});

function stream(isTTY: boolean, columns = 80) {
  let written = '';
  const write = (text: string) => {
    written += text;
    return true;
  };
  return { stream: { isTTY, columns, write } as unknown as NodeJS.WriteStream, written: () => written };
}

test('on a terminal the progress is drawn over on one line that never wraps', () => {
  const { stream: terminal, written } = stream(true, 40);
  const line = new ProgressLine('visits', 10, 0, terminal);
  for (let done = 0; done <= 11; done++) line.update(done, '日本の長い名前の頁 over h3');
  line.end();
  assert.equal(written().includes('\n'), false);
  for (const drawn of written().split('\r\x1b[K')) assert.ok(widthOf(drawn) < 40, drawn);
  assert.ok(written().endsWith('\r\x1b[K'), 'nothing of it stays');
});

test('a number that the line has no room for is marked as cut, since half of one is another', () => {
  const { stream: terminal, written } = stream(true, 56);
  const line = new ProgressLine('visits', 36, 0, terminal);
  line.update(12, 'article latency-100: h2 1,040 ms, h3 978 ms');
  assert.match(written(), /h2 1,0…$/);
  assert.ok(widthOf(written().replace('\r\x1b[K', '')) < 56);
});

test('elsewhere the progress is a line at each tenth', () => {
  const { stream: pipe, written } = stream(false);
  const line = new ProgressLine('visits', 100, 0, pipe);
  for (let done = 0; done <= 100; done++) line.update(done, 'article');
  line.end();
  assert.equal(written().trim().split('\n').length, 11);
  assert.match(written(), /^0\/100 visits\n10\/100 visits, 0 s left\n/);
  assert.ok(written().endsWith('100/100 visits\n'));
  assert.equal(written(), plain(written()));
});

test('where rounds are added the line goes on counting, and tells how long they take', () => {
  for (const isTTY of [true, false]) {
    const { stream: any, written } = stream(isTTY, 200);
    let now = 0;
    const line = new ProgressLine('visits', 10, 0, any, () => now);
    for (let done = 0; done <= 10; done++, now += 1_000) line.update(done, 'article');
    line.extend(30);
    line.update(12, 'article');
    assert.match(written(), /10\/10 visits.*12\/30 visits, 16 s left/s);
  }
});

test('elsewhere something is said after a minute without a line, and what it waits for', () => {
  const { stream: pipe, written } = stream(false);
  let now = 0;
  const line = new ProgressLine('rounds', 20, 0, pipe, () => now);
  for (; now <= 130_000; now += 10_000) line.update(0, 'queued');
  line.update(1, 'running');
  now += 70_000;
  line.update(2, 'running');
  line.end();
  assert.equal(written(), '0/20 rounds\n0/20 rounds: queued\n0/20 rounds: queued\n2/20 rounds, 21 min 0 s left: running\n');
});
