import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UnknownShape } from './events.ts';
import { priorityOrder } from './priorities.ts';
import type { QuicConnection, Signal } from './quic.ts';

const frameBytes = 10_000;

/**
 * A server that sends one frame in each packet, one packet each millisecond; all requests and signals are known to it from the start.
 *
 * @param order streams of the packets; 0 is stream 0, 1 is stream 4, …; null: a packet that was lost
 */
function sends(order: readonly (number | null)[], values: readonly string[], more: Partial<QuicConnection> = {}): QuicConnection {
  const ends = new Map<number, number>();
  const frames = order.flatMap((index, packet) => {
    if (index === null) return [];
    const stream = index * 4;
    const offset = ends.get(stream) ?? 0;
    ends.set(stream, offset + frameBytes);
    return [{ atMs: packet, stream, offset, length: frameBytes, packet }];
  });
  const signals = values.map((value, index): Signal => ({ atMs: -1, stream: index * 4, value, knownFrom: 0 }));
  return {
    ...{ host: 'a.example:443', handshakeMs: 1, early: false, rttMs: 1, frames, signals, urls: new Map() },
    packets: order.flatMap((index, packet) => (index === null ? [] : [packet])),
    requested: new Map(signals.map(({ stream }) => [stream, 0])),
    askedAfter: new Map(signals.map(({ stream }) => [stream, 0])),
    ...{ reset: new Set(), blocked: false, unknownType: null },
    ...more,
  };
}

const countsOf = (connection: QuicConnection) => {
  const { signals, notFollowed, passedBefore, followed, undecided } = priorityOrder(connection);
  assert.equal(notFollowed + passedBefore + followed + undecided, signals);
  return { notFollowed, passedBefore, followed, undecided };
};

test('a response that less urgent ones pass is one whose signal is not followed', () => {
  const { worst, ...counts } = priorityOrder(sends([0, 1, 1, 0, 1], ['u=1', 'u=4']));
  assert.deepEqual(counts, { signals: 2, notFollowed: 1, passedBefore: 0, followed: 0, undecided: 1 });
  assert.deepEqual(worst, [{ stream: 0, value: 'u=1', passedBytes: 20_000, passedBeforeBytes: 0, rule: 'urgency' }]);
});

test('a response sent before one requested later has its signal followed', () => {
  assert.deepEqual(countsOf(sends([0, 0, 0, 1, 1], ['u=1', 'u=4'])), { notFollowed: 0, passedBefore: 0, followed: 1, undecided: 1 });
});

test('a signal decides nothing where nothing competes', () => {
  const connection = sends([0, 0, 1, 1], ['u=1', 'u=4'], {
    requested: new Map([
      [0, 0],
      [4, 2],
    ]),
  });
  assert.deepEqual(countsOf(connection), { notFollowed: 0, passedBefore: 0, followed: 0, undecided: 2 });
});

test('no response passes a batch that a server may have handed on already', () => {
  assert.deepEqual(countsOf(sends([0, 1, 0], ['u=1', 'u=4'])), { notFollowed: 0, passedBefore: 0, followed: 1, undecided: 1 });
});

test('of two equally urgent responses that are not incremental, the first request goes first', () => {
  const { worst } = priorityOrder(sends([0, 1, 1, 0], ['u=3', 'u=3']));
  assert.deepEqual(worst, [{ stream: 0, value: 'u=3', passedBytes: 20_000, passedBeforeBytes: 0, rule: 'order' }]);
});

test('a response that is passed before it begins is listed separately: the server may not have had it yet', () => {
  const { worst, ...counts } = priorityOrder(sends([1, 1, 1, 1, 0, 0], ['u=1', 'u=4']));
  assert.deepEqual(counts, { signals: 2, notFollowed: 0, passedBefore: 1, followed: 0, undecided: 1 });
  // The server had the request with its first packet.
  assert.deepEqual(worst, [{ stream: 0, value: 'u=1', passedBytes: 0, passedBeforeBytes: 30_000, rule: 'urgency' }]);
  assert.equal(
    countsOf(sends([1, 1, 1, 1, 0, 0], ['u=1', 'u=4'], { requested: new Map([[4, 0]]) })).passedBefore,
    0,
    'whether it had it is not known',
  );
});

test('incremental responses of the same urgency have turns, which may be as long as 64 KB', () => {
  assert.equal(countsOf(sends([0, 1, 0, 1, 0, 1], ['u=3, i', 'u=3, i'])).notFollowed, 0);
  assert.equal(countsOf(sends([0, 1, 1, 1, 1, 1, 1, 0], ['u=3, i', 'u=3, i'])).notFollowed, 0);
  const { worst } = priorityOrder(sends([0, ...Array(10).fill(1), 0], ['u=3, i', 'u=3, i']));
  assert.deepEqual(worst, [{ stream: 0, value: 'u=3, i', passedBytes: 100_000 - 65_536, passedBeforeBytes: 0, rule: 'sharing' }]);
});

test('RFC 9218 has no rule for an incremental response beside one that is not', () => {
  assert.equal(countsOf(sends([0, 1, 1, 1, 0], ['u=3', 'u=3, i'])).notFollowed, 0);
  assert.equal(countsOf(sends([0, 1, 1, 1, 0], ['u=3, i', 'u=3'])).notFollowed, 0);
});

test('without a signal, urgency 3 holds, and such a response accuses no server', () => {
  assert.equal(countsOf(sends([0, 1, 1, 1, 0], ['u=2'])).notFollowed, 1);
  assert.equal(countsOf(sends([1, 0, 0, 0, 1], ['u=4'])).notFollowed, 0, 'stream 4 is passed, and nothing was signalled for it');
});

test('a packet that is missing may have carried what seems passed', () => {
  assert.equal(countsOf(sends([0, null, 1, 1, 1, 0], ['u=1', 'u=4'])).notFollowed, 0);
  assert.equal(countsOf(sends([0, 1, 1, 1, null, 0], ['u=1', 'u=4'])).notFollowed, 1, 'what is missing later can’t undo it');
});

test('resent data passes no response', () => {
  const connection = sends([0, 1, 1, 1, 0], ['u=1', 'u=4']);
  const again = connection.frames.map((frame) => (frame.stream === 4 ? { ...frame, offset: 0 } : frame));
  assert.equal(countsOf({ ...connection, frames: again }).notFollowed, 0);
});

test('a signal holds from the packet on that acknowledges it, and until then its response does not count against the server', () => {
  const connection = sends([0, 1, 1, 1, 1, 1, 1, 0], ['u=5', 'u=4']);
  const late: Signal = { atMs: 2, stream: 0, value: 'u=1', knownFrom: 5 };
  const { worst } = priorityOrder({ ...connection, signals: [...connection.signals, late] });
  assert.deepEqual(worst, [{ stream: 0, value: 'u=1', passedBytes: 20_000, passedBeforeBytes: 0, rule: 'urgency' }]);
  assert.equal(
    countsOf({ ...connection, signals: [...connection.signals, { ...late, knownFrom: Number.POSITIVE_INFINITY }] }).notFollowed,
    0,
  );
});

test('while a newer signal is under way, it is unknown which one the server follows', () => {
  const connection = sends([0, 1, 1, 1, 1, 0], ['u=1', 'u=4']);
  const withdrawn: Signal = { atMs: 0.5, stream: 0, value: 'u=7', knownFrom: Number.POSITIVE_INFINITY };
  assert.equal(countsOf(connection).notFollowed, 1);
  assert.equal(countsOf({ ...connection, signals: [...connection.signals, withdrawn] }).notFollowed, 0);
});

test('parameters that are unknown or out of range are ignored, and an invalid priority accuses no server', () => {
  assert.equal(countsOf(sends([0, 1, 1, 1, 0], ['u=1, x-later="a"', 'u=9'])).notFollowed, 1);
  assert.equal(countsOf(sends([0, ...Array(10).fill(1), 0], ['i=?1', 'i'])).notFollowed, 1);
  assert.equal(countsOf(sends([0, ...Array(10).fill(1), 0], ['i=?0', 'i'])).notFollowed, 0);
  assert.throws(() => priorityOrder(sends([0, 1, 0], ['u=1', '§'])), UnknownShape);
});

test('a server that waits for a window of Chrome’s is not accused', () => {
  assert.throws(() => priorityOrder(sends([0, 1, 1, 1, 0], ['u=1', 'u=4'], { blocked: true })), UnknownShape);
});

test('nor is one of a connection with an event that is not known', () => {
  assert.throws(() => priorityOrder(sends([0, 1, 1, 1, 0], ['u=1', 'u=4'], { unknownType: 'QUIC_SESSION_NEW' })), UnknownShape);
});

test('a loss before the server surely had the request may have been the response: no server is accused', () => {
  // The small response went out at once in packet 1, which was lost; the acknowledgement of its request came in packet 2.
  const order = [1, null, 1, 1, 1, 0];
  const lost = sends(order, ['u=0', 'u=4'], {
    requested: new Map([
      [0, 2],
      [4, 0],
    ]),
    askedAfter: new Map([
      [0, 0],
      [4, 0],
    ]),
  });
  assert.equal(countsOf(lost).passedBefore, 0);
  const arrived = sends(
    order.map((one) => one ?? 1),
    ['u=0', 'u=4'],
    {
      requested: new Map([
        [0, 2],
        [4, 0],
      ]),
      askedAfter: new Map([
        [0, 0],
        [4, 0],
      ]),
    },
  );
  assert.equal(countsOf(arrived).passedBefore, 1);
});

test('a page of more responses and packets than can be compared in time is unknown', () => {
  const many = sends([0, 1], ['u=1', 'u=4'], { packets: Array.from({ length: 2_500_001 }, (_, packet) => packet) });
  assert.throws(() => priorityOrder(many), UnknownShape);
});
