import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escaped, html, page, tableOf } from './html.ts';
import { axisAround, axisTo, barRows, boxChart, boxRows, niceTicks, percentWords, scatterChart, stepChart, violinChart } from './svg.ts';

const delta = { label: 'H3-Delta', from: -1, to: 1 };

test('what a template is given is escaped, in text and in attributes, and what nobody would see is shown', () => {
  const hostile = `"><script>alert('1')</script>&\u202e\u0007`;
  assert.equal(escaped(hostile), '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;\ufffd\ufffd');
  const found = html`<p title="${hostile}">${[hostile, html`<b>${hostile}</b>`, null, undefined, false, 0]}</p>`.text;
  assert.equal(found.match(/<script/g), null);
  assert.match(found, /<b>&quot;/);
  assert.ok(found.endsWith('0</p>'));
  assert.ok(!page(hostile, hostile).includes('<script'));
});

test('a page loads nothing and runs nothing', () => {
  const found = page('A report', tableOf({ head: ['site', 'median'], rows: [['a', '1.2 s']] }));
  assert.match(found, /default-src 'none'/);
  assert.match(found, /<th scope="row">a<\/th><td class="n">1\.2 s<\/td>/);
  assert.doesNotMatch(found, /https?:|<script|@import|url\(/);
});

test('numbers beside an axis are round, and as they would be written', () => {
  assert.deepEqual(niceTicks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(niceTicks(-1, 1, 5), [-1, -0.5, 0, 0.5, 1]);
  assert.deepEqual(niceTicks(0, 7300, 5), [0, 2000, 4000, 6000]);
  assert.deepEqual(niceTicks(3, 3), [3]);
  assert.equal(axisTo('s', [7300]).to, 8000);
  for (const most of [0.3, 7, 11.5, 1799]) {
    const { to } = axisTo('s', [most]);
    assert.ok(to >= most && niceTicks(0, to, 5).at(-1) === to, String(to));
  }
  assert.equal(axisTo('s', []).to, 1);
  assert.equal(percentWords(0.29), '29 %');
});

test('a distribution function goes from the left end at 0 in steps to the right end at 1', () => {
  const drawn = stepChart({
    title: 'Delta',
    x: delta,
    lines: [{ name: 'native', tone: 'c0', values: [-0.5, 0.5], shares: [0.5, 1] }],
  }).text;
  // From 46 to 328 across −1 … 1, and from 192 down to 10 for 0 … 1.
  assert.match(drawn, /class="t-c0 line" d="M46 192H116\.5V101H257\.5V10H328"/);
  assert.match(drawn, /class="zero" d="M187 10V192"/);
});

test('points that nobody could tell apart are drawn once', () => {
  const values = Array.from({ length: 100_000 }, (_, i) => i / 1e9);
  const drawn = stepChart({
    title: 'x',
    x: delta,
    lines: [{ name: 'n', tone: 'c0', values, shares: values.map((_, i) => (i + 1) / 1e5) }],
  });
  assert.ok(drawn.text.length < 20_000, String(drawn.text.length));
});

test('what was published stands as a hollow circle in its place, also beyond the axis', () => {
  const published = [{ tone: 'c3' as const, x: 0, y: 0.81, words: 'T-F3 <81 %>' }];
  const drawn = stepChart({ title: 'x', x: delta, lines: [], published }).text;
  assert.match(drawn, /<circle class="t-c3 published" cx="187" cy="44\.6" r="4"><title>T-F3 &lt;81 %&gt;<\/title>/);
  assert.match(stepChart({ title: 'x', x: delta, lines: [], published: [{ tone: 'c0', x: 9, y: 0, words: '' }] }).text, /cx="328"/);
});

test('a box goes from quartile to quartile with its whiskers, and one among failed loads to the end of the axis', () => {
  const box = { whiskerLow: 1, lowerQuartile: 2, median: 3, upperQuartile: 4, whiskerHigh: null };
  const y = { label: 's', from: 0, to: 10 };
  const groups = [{ name: 'native', boxes: [{ name: 'h3', tone: 'h3' as const, box, published: { value: 5, words: 'theirs' } }] }];
  const drawn = boxChart({ title: 'x', y, groups }).text;
  assert.match(drawn, /d="M187 173\.8V155\.6M187 119\.2V10"/);
  assert.match(drawn, /<rect class="box" x="177\.6" y="119\.2" width="18\.8" height="36\.4"\/>/);
  assert.match(drawn, /class="median" d="M177\.6 137\.4H196\.4"/);
  assert.match(drawn, /class="t-h3 published" cx="187" cy="101"/);
  const lying = boxRows({ title: 'x', x: { label: 'z', from: -10, to: 10 }, groups }).text;
  assert.match(lying, /<rect class="box" x="241\.6"/);
  assert.match(
    boxChart({ title: 'x', y, groups: [{ name: 'a', boxes: [{ name: 'h1', tone: 'h1', box: null }] }] }).text,
    /<g class="t-h1"><title>h1<\/title><\/g>/,
  );
});

test('a violin is as wide as its density says, the densest of all as wide as there is room', () => {
  const violin = { bandwidth: 1, values: [0, 5, 10], densities: [0, 0.2, 0] };
  const y = { label: 's', from: 0, to: 10 };
  const drawn = violinChart({
    title: 'x',
    y,
    violins: [{ name: 'h2', tone: 'h2', violin, median: 5, mean: 6, published: [{ value: 5, words: 'K-X', isMean: true }] }],
  }).text;
  assert.match(drawn, /d="M187 192L74\.2 101L187 10L187 10L299\.8 101L187 192Z"/);
  assert.match(drawn, /class="median" d="M130\.6 101H243\.4"/);
  assert.match(drawn, /<rect class="t-h2 published" x="310\.4" y="97\.5"/);
  assert.match(drawn, /class="mean" cx="187" cy="82\.8"/);
});

test('bars are as long as their numbers, on a logarithmic axis as their powers of ten', () => {
  const rows = [10, 100].map((value) => ({ name: `${value}`, bars: [{ tone: 'c1' as const, value, words: `${value}` }] }));
  const drawn = barRows({ title: 'x', x: { label: 'sites', from: 1, to: 100, log: true }, rows }).text;
  assert.match(drawn, /width="86" [\s\S]*width="172" /);
});

test('an axis around values has round ends beyond them, around one value too', () => {
  for (const values of [[-3, 7], [1234, 1240], [5, 5], [0], [-0.02, 0.011]]) {
    const { from, to } = axisAround('ms', values);
    assert.ok(from <= Math.min(...values) && to >= Math.max(...values) && from < to, `${values}: ${from} to ${to}`);
    assert.ok(`${values}: ${from} to ${to}`);
  }
});

test('points stand at both numbers, levels go from side to side', () => {
  const axis = { label: 'ms', from: -10, to: 10 };
  const point = { tone: 'h2' as const, x: 0, y: 10, words: 'a <b>' };
  const drawn = scatterChart({ title: 'agreement', x: axis, y: axis, points: [point], lines: [{ tone: 'h2', y: 0, words: 'bias' }] }).text;
  assert.match(drawn, /<title>a &lt;b&gt;<\/title><circle class="mean" cx="187" cy="10"/);
  assert.match(drawn, /class="t-h2 level" d="M46 101H328"/);
});

test('an axis takes as many values as a campaign of a thousand sites has loads', () => {
  const loads = Array.from({ length: 200_000 }, (_, place) => place % 70);
  assert.equal(axisTo('seconds', loads).to, 80);
  const { from, to } = axisAround('seconds', loads);
  assert.deepEqual([from, to], [0, 80]);
});

test('numbers line up, with their units and with what is missing among them', () => {
  const { text } = tableOf({
    head: ['page', 'failed', 'bodies', 'engine'],
    rows: [
      ['a', '–', '393 kB', '–'],
      ['b', '12', 'unknown', 'firefox'],
    ],
  });
  for (const cell of [
    '<th scope="col" class="n">failed',
    '<td class="n">–</td><td class="n">393 kB',
    '<td class="n">12',
    '<td>unknown',
    '<td>–</td></tr>',
  ])
    assert.ok(text.includes(cell), `${cell} in ${text}`);
});
