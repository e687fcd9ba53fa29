import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '../math/index.ts';
import type { Likeness } from '../schemas/visit.ts';
import type { Protocol } from '../vocabulary/protocol.ts';
import { h3Shares, LoadedPages, ofOneRequest, type PageFacts, pageDoubts } from './parity.ts';

const likeness: Likeness = {
  ...{ requestShare: 1, bodyShare: 1, bodyBytes: 900_000, otherAnswers: 0, otherEncodings: 0, edgeHits: 0, edgeMisses: 0, picture: 0 },
};
const usual: PageFacts = {
  ...{ requests: 60, finishedBytes: 1_000_000, failedRequests: 0, ipv6Share: 0, h3Share: 0, h3ByteShare: 0 },
  ...{ documentAddress: '192.0.2.1', ownShare: 0.4, refused: 0, cutShort: 0, likeness },
};
const overH3 = { h3Share: 0.8, h3ByteShare: 0.9 };
type Given = (round: number) => Partial<PageFacts>;

const rounds = 20;
const places = new Map(Array.from({ length: rounds }, (_, place) => [place + 1, place]));

/** A page like the other, but for what is said of each side's round. */
function group(h2: Given = () => ({}), h3: Given = () => ({})) {
  const slot = (protocol: Protocol, given: Given) => {
    const pages = new LoadedPages();
    for (let round = 1; round <= rounds; round++) pages.add(round, { ...usual, ...(protocol === 'h3' ? overH3 : {}), ...given(round) });
    return { protocol, pages };
  };
  return { slots: [slot('h2', h2), slot('h3', h3)] };
}
const question = { candidate: 'h3', baseline: 'h2', margin: 0.05 } as const;
const told = (h2?: Given, h3?: Given) => pageDoubts(group(h2, h3), places, question);
const upTo =
  (last: number, facts: Partial<PageFacts>): Given =>
  (round) =>
    round <= last ? facts : {};

test('the same page from the same place raises no doubt, nor does noise that goes both ways', () => {
  assert.deepEqual(told(), []);
  const noisy: Given = (round) => ({ requests: round % 2 === 0 ? 60 : 80, finishedBytes: round % 2 === 0 ? 1e6 : 1.4e6 });
  const other: Given = (round) => ({ requests: round % 2 === 0 ? 80 : 60, finishedBytes: round % 2 === 0 ? 1.4e6 : 1e6 });
  assert.deepEqual(told(noisy, other), []);
});

test('of runs of REST calls a request has to be alike, not their number', () => {
  const run =
    (requests: number, bytes: number): Given =>
    () => {
      const one = ofOneRequest({ ...usual, requests, finishedBytes: requests * bytes });
      return { requests: one?.requests ?? 0, finishedBytes: one?.finishedBytes ?? 0 };
    };
  assert.deepEqual(told(run(20_000, 1_024), run(31_000, 1_024)), []);
  assert.deepEqual(
    told(run(20_000, 1_024), run(20_000, 9_000)).map(({ doubt }) => doubt),
    ['parity'],
  );
});

test('a fifth of rounds may differ, and no more', () => {
  const wall = { requests: 20, finishedBytes: 1e5 };
  assert.deepEqual(told(upTo(4, wall)), []);
  const [doubt, ...others] = told(upTo(5, wall));
  assert.deepEqual([doubt?.doubt, others.length], ['parity', 0]);
  assert.equal(doubt?.words, 'HTTP/3 made more requests than HTTP/2 in 5 of 20 rounds, by over 10 %: they did not load the same page.');
});

test('fewer rounds are a doubt where they go one way, by more than chance', () => {
  const lost =
    (rounds: readonly number[]): Given =>
    (round) =>
      rounds.includes(round) ? { failedRequests: 1 } : {};
  const hundred = new Map(Array.from({ length: 100 }, (_, place) => [place + 1, place]));
  const words = (h2: readonly number[], h3: readonly number[]) => {
    const slots = [
      { protocol: 'h2' as const, pages: new LoadedPages() },
      { protocol: 'h3' as const, pages: new LoadedPages() },
    ];
    for (const [place, { pages, protocol }] of slots.entries())
      for (let round = 1; round <= 100; round++)
        pages.add(round, { ...usual, ...(protocol === 'h3' ? overH3 : {}), ...lost([h2, h3][place] ?? [])(round) });
    return pageDoubts({ slots }, hundred, question).map((doubt) => doubt.words);
  };
  assert.deepEqual(words([], [1, 2, 3, 4, 5]), [], 'five of a hundred');
  assert.match(words([], [1, 2, 3, 4, 5, 6])[0] ?? '', /^More objects failed over HTTP\/3 in 6 of 100 rounds/);
  assert.deepEqual(words([1, 2, 3], [4, 5, 6, 7, 8, 9, 10, 11, 12]), [], '9 and 3: chance may do that');
});

test('bytes count beyond what headers of another version take', () => {
  const small =
    (finishedBytes: number): Given =>
    () => ({ requests: 2, finishedBytes });
  assert.deepEqual(told(small(1_900), small(1_000)), [], 'two responses with the headers of HTTP/1.1');
  assert.match(told(small(9_000), small(1_000))[0]?.words ?? '', /^HTTP\/2 got more bytes than HTTP\/3 in 20 of 20 rounds/);
});

test('servers, families and objects that failed are held against each other round by round', () => {
  const words = (h2: Given, h3?: Given) => told(h2, h3).map((doubt) => doubt.words)[0] ?? '';
  assert.match(words(upTo(5, { documentAddress: '192.0.2.9' })), /^In 5 of 20 rounds the document came from another address/);
  assert.equal(words(upTo(5, { documentAddress: null })), '', 'from a cache');
  assert.match(words(upTo(5, { cutShort: 1 })), /^Only visits over HTTP\/2 ended before the page did, in 5 of 20 rounds/);
  assert.equal(words(upTo(20, { cutShort: 1 }), upTo(20, { cutShort: 1 })), '', 'a page that never rests');
  assert.match(words(upTo(5, { ipv6Share: 1 })), /^In 5 of 20 rounds HTTP\/\d and HTTP\/\d used IPv6 to different extents/);
  assert.match(words(upTo(5, { failedRequests: 1 })), /^More objects failed over HTTP\/2 in 5 of 20 rounds/);
  const both = upTo(9, { failedRequests: 1 });
  assert.equal(words(both, both), '');
  const always = (failedRequests: number) => upTo(20, { failedRequests });
  assert.match(words(always(1), always(7)), /^More objects failed over HTTP\/3 in 20 of 20 rounds/, 'beside one that always fails');
});

test('a load far below its slot’s usual one is told, be it as frequent over both protocols', () => {
  const wall = { requests: 3, finishedBytes: 9_000 };
  assert.match(
    told(upTo(6, wall), upTo(6, wall))[0]?.words ?? '',
    /^6 of 20 visits over HTTP\/3 made less than half of the usual 60 requests/,
  );
});

test('a difference of content that could decide within the margin is a doubt where it goes one way', () => {
  const bytes =
    (bodyBytes: number): Given =>
    () => ({ likeness: { ...likeness, bodyBytes } });
  const words = (h2: Given, h3: Given) => told(h2, h3)[0]?.words ?? '';
  assert.match(words(bytes(481_809), bytes(444_043)), /^HTTP\/2 got more bytes of content than HTTP\/3 in 20 of 20 rounds, by over 2.5 %/);
  assert.equal(words(bytes(450_000), bytes(444_043)), '', 'half of the margin at most');
  const vary: Given = (round) => ({ likeness: { ...likeness, bodyBytes: round % 2 === 0 ? 400_000 : 480_000 } });
  const other: Given = (round) => ({ likeness: { ...likeness, bodyBytes: round % 2 === 0 ? 480_000 : 400_000 } });
  assert.equal(words(vary, other), '', 'advertisements vary');
});

test('what differs from discovery over one protocol alone is a doubt: answers, encodings, the edge’s cache, the picture', () => {
  const differs = (column: 'otherAnswers' | 'otherEncodings' | 'edgeMisses' | 'picture', value: number, last: number) =>
    upTo(last, { likeness: { ...likeness, [column]: value } });
  const words = (h2?: Given, h3?: Given) => told(h2, h3)[0]?.words ?? '';
  const expected = {
    otherAnswers:
      /^In 6 of 20 rounds, visits over HTTP\/3 had other answers than discovery for more of the page’s objects than over HTTP\/2/,
    otherEncodings: /^In 6 of 20 rounds, visits over HTTP\/3 got more objects in another encoding/,
    edgeMisses: /^In 6 of 20 rounds, visits over HTTP\/3 found fewer of the page’s objects in the edge cache/,
    picture: /^In 6 of 20 rounds, visits over HTTP\/3 ended with another picture than discovery/,
  };
  for (const [column, pattern] of Object.entries(expected) as [keyof typeof expected, RegExp][]) {
    const value = column === 'picture' ? 0.3 : 2;
    assert.match(words(undefined, differs(column, value, 6)), pattern);
    assert.equal(words(undefined, differs(column, value, 5)), '', `${column}: five rounds one way may be chance`);
    assert.equal(words(differs(column, value, 20), differs(column, value, 20)), '', `${column} over both`);
  }
  assert.equal(words(undefined, differs('picture', 0.01, 20)), '', 'a caret');
  assert.equal(words(differs('picture', 0.3, 20), differs('picture', 0.302, 20)), '', 'both are another picture');
});

test('what varies alike over both protocols is hardly ever a doubt', () => {
  const random = randomSource(7);
  const poisson = (mean: number) => {
    let count = 0;
    for (let left = Math.exp(-mean) / random(); left < 1; left /= random()) count += 1;
    return count;
  };
  const vary: Record<string, () => Partial<Likeness>> = {
    'an edge of several nodes': () => ({ edgeMisses: poisson(3) }),
    'one of five heroes': () => ({ picture: random() < 0.2 ? 0 : 0.3 }),
    'an answer that is flaky': () => ({ otherAnswers: Number(random() < 0.3) }),
  };
  for (const [what, likenessNow] of Object.entries(vary)) {
    let doubted = 0;
    for (let campaign = 0; campaign < 300; campaign++) {
      const given: Given = () => ({ likeness: { ...likeness, ...likenessNow() } });
      doubted += Number(told(given, given).length > 0);
    }
    // 5 % would be the sign test's own rate; 300 campaigns tell it from a tenth.
    assert.ok(doubted <= 30, `${what}: in ${doubted} of 300 campaigns`);
  }
});

test('a sample far below discovery is none of the page, even if most visits are', () => {
  const block: Given = (round) => ({
    requests: round <= 2 ? 60 : 1,
    likeness: { ...likeness, requestShare: round <= 2 ? 1 : 0.04, bodyShare: 1 },
  });
  assert.match(
    told(block, block)[0]?.words ?? '',
    /^18 of 20 visits over HTTP\/3 \(and \d+ of 20 over HTTP\/2\) got much less than discovery did/,
  );
  const thin: Given = () => ({ likeness: { ...likeness, requestShare: 0.9, bodyShare: 0.4 } });
  assert.match(told(thin, thin)[0]?.words ?? '', /^20 of 20 visits over HTTP\/3 \(and \d+ of 20 over HTTP\/2\) got much less/);
  const shell: Given = () => ({ likeness: { ...likeness, requestShare: 0.67, bodyShare: 0.75, picture: 0.87 } });
  assert.match(told(shell, shell)[0]?.words ?? '', /^20 of 20 visits over HTTP\/3 \(and \d+ of 20 over HTTP\/2\) got much less/);
  for (const alike of [{ picture: 0.87 }, { requestShare: 0.67 }])
    assert.deepEqual(
      told(
        () => ({ likeness: { ...likeness, ...alike } }),
        () => ({ likeness: { ...likeness, ...alike } }),
      ),
      [],
    );
  const repeat: Given = () => ({ requests: 1, likeness: { ...likeness, requestShare: null, bodyShare: null } });
  assert.deepEqual(told(repeat, repeat), []);
});

test('HTTP/3 by name alone is a doubt, in every comparison with it and in no other', () => {
  const h2Alone: Given = () => ({ h3Share: 0.3, h3ByteShare: 0.45 });
  const [doubt] = told(undefined, h2Alone);
  assert.equal(doubt?.doubt, 'little-h3');
  assert.match(doubt?.words ?? '', /^Only 45 % of the bytes and 30 % of the objects came over HTTP\/3/);
  assert.deepEqual(pageDoubts(group(undefined, h2Alone), places, { ...question, candidate: 'h2', baseline: 'h1' }), []);
  assert.deepEqual(h3Shares(group(), places), { objects: 0.8, bytes: 0.9 });
  assert.equal(h3Shares({ slots: [] }, places), null);
});

test('a machine that the visits themselves fill, and what the link refused them, are doubts', () => {
  const doubts = (given: Given) => told(given).map(({ doubt }) => doubt);
  assert.deepEqual(
    doubts(() => ({ ownShare: 0.81 })),
    ['saturated'],
  );
  assert.deepEqual(
    doubts(() => ({ ownShare: null })),
    [],
  );
  assert.deepEqual(doubts(upTo(5, { refused: 2 })), ['refused']);
  assert.deepEqual(doubts(upTo(4, { refused: 2 })), []);
});

test('only the rounds that count are looked at', () => {
  const wall = upTo(5, { requests: 20 });
  const later = new Map(Array.from({ length: 15 }, (_, place) => [place + 6, place]));
  assert.deepEqual(pageDoubts(group(wall), later, question), []);
});
