import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Connections } from './opened.ts';

const opening = (connectStart: number, connectEnd: number) => ({ connectStart, connectEnd });

test('over HTTP/1.1 each handshake is a connection, over HTTP/2 and HTTP/3 those at the same time are one', () => {
  const seen = [opening(1, 5), opening(2, 6), opening(5, 7), opening(8, 8), opening(0, 0), opening(20, 24)];
  const counts = (['h1', 'h2', 'h3'] as const).map((protocol) => {
    const connections = new Connections(protocol);
    assert.deepEqual(
      seen.map((request) => connections.add(request)),
      [true, true, true, false, false, true],
    );
    return connections.opened;
  });
  assert.deepEqual(
    counts.map(({ length }) => length),
    [4, 2, 2],
  );
  assert.deepEqual(counts[1], [
    { start: 1, end: 7 },
    { start: 20, end: 24 },
  ]);
});

test('what was opened before a run is not of the run', () => {
  const connections = new Connections('h2');
  connections.add(opening(1, 5));
  connections.begin();
  connections.add(opening(3, 4));
  assert.deepEqual(connections.opened, [{ start: 3, end: 4 }]);
});
