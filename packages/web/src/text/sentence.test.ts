import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Visitor } from '@pronghorn/core/schemas';
import { afterWords as inCore } from '@pronghorn/core/text';
import { visitorOf } from '@pronghorn/core/visitor';
import { confidence, number, percent, pValue, quantity, signed, signedNumber, signedPercent, tick, unbroken } from './format.ts';
import {
  afterWords,
  deltaWords,
  disagree,
  discoveryWords,
  medianSentence,
  moreRoundsWords,
  verdictParts,
  visitorSentence,
} from './sentence.ts';

const h3 = { name: 'HTTP/3', n: 20, median: 412.4 };
const h2 = { name: 'HTTP/2', n: 20, median: 454.9 };
const onLoad = { metric: 'onLoad', unit: 'ms' } as const;

test('the sentence tells medians, rounds and H3-Delta with its direction', () => {
  assert.equal(
    medianSentence({ ...onLoad, slots: [h3, h2], h3Delta: -0.0934 }),
    'Median onLoad over 20 rounds: HTTP/3 412 ms, HTTP/2 455 ms. H3-Delta −0.09 (HTTP/3 lower).',
  );
});

test('where protocols have different counts, each tells its own', () => {
  assert.equal(
    medianSentence({ ...onLoad, slots: [{ ...h3, n: 1 }, h2], h3Delta: 0.1 }),
    'Median onLoad: HTTP/3 412 ms (1 visit), HTTP/2 455 ms (20 visits). H3-Delta +0.10 (HTTP/3 higher).',
  );
});

test('without HTTP/3 or without numbers nothing is compared', () => {
  assert.equal(medianSentence({ ...onLoad, slots: [h2], h3Delta: null }), 'Median onLoad over 20 rounds: HTTP/2 455 ms.');
  assert.equal(medianSentence({ ...onLoad, slots: [], h3Delta: null }), 'No valid visit has a number for onLoad yet.');
});

test('no sentence claims that something is faster: nothing was tested', () => {
  for (const delta of [-0.9, -0.001, 0, 0.001, 0.9]) assert.doesNotMatch(deltaWords(delta), /faster|slower/);
  assert.equal(deltaWords(-0.004), '0.00 (less than 0.5 % apart)');
});

test('a verdict is laid out as a sentence and a list, each of the API’s words once', () => {
  const doubts = [
    { doubt: 'link', words: 'The link drifted.' },
    { doubt: 'invalid-visits', words: '3 of 8 visits were invalid.' },
  ] as const;
  const undecided = { words: 'It can’t be told. The link drifted. 3 of 8 visits were invalid.', doubts: [...doubts] };
  assert.deepEqual(verdictParts(undecided), {
    sentence: 'It can’t be told.',
    doubts: ['The link drifted.', '3 of 8 visits were invalid.'],
  });
  const beside = { words: 'No difference that matters.', doubts: [doubts[0]] };
  assert.deepEqual(verdictParts(beside), { sentence: beside.words, doubts: ['The link drifted.'] });
  const within = { words: 'The link drifted. It can’t be told.', doubts: [doubts[0]] };
  assert.deepEqual(verdictParts(within), { sentence: within.words, doubts: [] });
  assert.deepEqual(verdictParts({ words: 'HTTP/3 is faster.', doubts: [] }), { sentence: 'HTTP/3 is faster.', doubts: [] });
});

test('how many more rounds is told in the API’s words, with where the campaign ends', () => {
  const more = (least: number) => ({ least, givenUp: false, words: 'Settling it would take more rounds: 25 to 100.' });
  assert.equal(moreRoundsWords(more(40), 20, null), more(40).words);
  assert.equal(moreRoundsWords(more(40), 20, 60), more(40).words);
  assert.equal(moreRoundsWords(more(41), 20, 60), `${more(41).words} This campaign ends at 60.`);
  assert.equal(moreRoundsWords({ ...more(41), givenUp: true }, 20, 60), more(41).words, 'its words say so');
});

test('forced HTTP/3 is told with who gets it', () => {
  assert.match(
    discoveryWords('forced'),
    /forced .*: what a visitor gets whose browser already knows that the host speaks it\. A first visitor of a host without an HTTPS record begins over HTTP\/2\.$/,
  );
  assert.doesNotMatch(discoveryWords('alt-svc'), /HTTP\/2|was forced/);
});

test('metrics disagree only when both have a direction and it is not the same', () => {
  assert.deepEqual([disagree(0.18, -0.18), disagree(-0.1, 0.1)], [true, true]);
  assert.deepEqual(
    [disagree(0.1, 0.2), disagree(0.1, -0.001), disagree(null, -0.1), disagree(undefined, null)],
    [false, false, false, false],
  );
});

test('no line ends between a number and its unit or within a comparison, and elsewhere it may', () => {
  const words = 'In 20 ms, 5 % (p < 0.0001, |r| ≥ 0.3) of 10 Mbit/s: 12 more rounds';
  assert.equal(unbroken(words).replaceAll('\u00a0', '_'), 'In 20_ms, 5_% (p_<_0.0001, |r|_≥_0.3) of 10_Mbit/s: 12 more rounds');
});

test('numbers are rounded to what a reader can use', () => {
  assert.deepEqual([number(1234.5, 'ms'), number(3.14, 'ms'), number(0, 'ms'), quantity(455.2, 'ms')], ['1,235', '3.1', '0', '455 ms']);
  assert.deepEqual(
    [quantity(0.256, 'share'), quantity(12_345, 'bytes'), quantity(41.5, 'count'), quantity(0.0123, 'score')],
    ['26 %', '12.3 kB', '41.5', '0.012'],
  );
  assert.deepEqual(
    [1, 0.997, 0.9999, 0.003, 0.0001, 0].map((share) => quantity(share, 'share')),
    ['100 %', '99.7 %', '99.99 %', '0.3 %', '0.01 %', '0 %'],
    'only all is 100 %, only nothing 0 %',
  );
  const shares = [0, 0.0004, 0.0049, 0.005, 0.0995, 0.994, 0.995, 0.9975, 0.9999, 1, 1.25];
  assert.deepEqual(
    shares.map((share) => percent(share)),
    ['0 %', '0.04 %', '0.5 %', '0.5 %', '10 %', '99 %', '99.5 %', '99.8 %', '99.99 %', '100 %', '125 %'],
  );
  assert.deepEqual(
    shares.map((share) => quantity(share, 'share')),
    shares.map((share) => percent(share)),
    'one share is one number wherever it stands',
  );
  assert.deepEqual(
    [0.0001, -0.014, 0.3].map((share) => signedNumber(share, 'share')),
    ['0', '−1.4', '+30'],
  );
  assert.deepEqual([-0.5, 0.125, 0, -0.0001].map(signed), ['−0.50', '+0.13', '0.00', '0.00']);
  assert.deepEqual(
    [-1234, 3.14, -0.04].map((value) => signedNumber(value, 'ms')),
    ['−1,234', '+3.1', '0.0'],
  );
  assert.deepEqual(
    [-0.0953, 0.1249, 0.05, 0, -0.0001].map((share) => signedPercent(share)),
    ['−9.5 %', '+12 %', '+5 %', '0 %', '0 %'],
  );
  assert.deepEqual(
    [0.00009, 0.00059, 0.0421, 0.05, 0.0504, 1].map((p) => pValue(p)),
    ['< 0.0001', '0.00059', '0.042', '0.05', '0.0504', '1'],
  );
  assert.deepEqual([0.95, 0.9, 1 - 0.05 / 6].map(confidence), ['95 %', '90 %', '99.17 %']);
});

test('neighbours on an axis are told apart, however far it is zoomed', () => {
  const texts = (values: number[], unit: Parameters<typeof tick>[1]) =>
    values.map((value) => tick(value, unit, Math.abs((values[1] ?? 0) - (values[0] ?? 0))).replaceAll('\u00a0', ' '));
  assert.deepEqual(texts([1000, 1200], 'ms'), ['1,000', '1,200']);
  assert.deepEqual(texts([0.5, 1], 'ms'), ['0.5', '1.0']);
  assert.deepEqual(texts([-0.1, 0, 0.1], 'delta'), ['−0.10', '0.00', '+0.10']);
  assert.deepEqual(texts([-0.216, -0.214], 'delta'), ['−0.216', '−0.214']);
  assert.deepEqual(texts([0.95, 0.952], 'share'), ['95.0', '95.2']);
  assert.deepEqual(texts([50_000, 50_050], 'bytes'), ['50.00', '50.05']);
});

test('what a warm view is after is in core’s words, the page’s own before the campaign’s', () => {
  const sites = [{ visitor: { after: [] } }, { visitor: { device: 'phone' as const } }, { visitor: { after: ['/list'] } }];
  const words = (visitor?: { after: string[] }) => {
    const spec = visitor === undefined ? {} : { visitor };
    const its = sites.map((site) => afterWords(spec, site));
    assert.deepEqual(
      its,
      sites.map((site) => inCore(visitorOf(spec, site))),
    );
    return its;
  };
  assert.deepEqual(words(), ['opened first, with nothing kept', undefined, 'after /list']);
  assert.deepEqual(words({ after: ['/', '/cart'] }), ['opened first, with nothing kept', 'after /, /cart', 'after /list']);
});

test('who visited is told by whatever tells it from a usual visitor, but for the pages before, which have words of their own', () => {
  const whole: Required<Omit<Visitor, 'after'>> = {
    ...{ device: 'phone', viewport: { width: 390, height: 800 }, cpuSlowdown: 2, language: 'de', userAgent: 'mine' },
    ...{ headers: [{ name: 'X-A', value: '1' }], cookies: [{ name: 'a', value: '1' }], steps: [{ waitMs: 1 }], block: ['ads.test'] },
    ...{ ownHosts: ['cdn.test'], basicAuth: { user: 'ann', password: 'env:A' }, ca: 'pem', clientCertificate: 'file:a' },
    ...{ proxy: 'http://proxy.test', proxyAuth: { user: 'bob', password: 'env:B' }, firstPartyOnly: true },
  };
  assert.deepEqual(Object.keys(Visitor.properties).sort(), [...Object.keys(whole), 'after'].sort());
  for (const [name, value] of Object.entries(whole)) assert.notEqual(visitorSentence({ [name]: value }), '', name);
  assert.equal(visitorSentence({ device: 'phone', basicAuth: { user: 'ann', password: 'env:A' } }), 'phone; login as ann');
  assert.equal(visitorSentence({}), '');
});
