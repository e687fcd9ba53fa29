import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomSource } from '@pronghorn/core/math';
import type { Resource, Visit } from '@pronghorn/core/schemas';
import { madeMetrics, madeResources } from '../../../e2e/made-visits.ts';
import { csvOf } from '../../charts/frame/table.ts';
import { endOf } from './resources.ts';
import { seenRows } from './row-window.ts';
import { shownVisits } from './visit-names.ts';
import { choices, filterRows, rowsOf, shortName, sortRows, waterfallTable } from './waterfall-rows.ts';
import { waterfallSvg } from './waterfall-svg.ts';

const resources = madeResources('h2', 'https://shop.example', randomSource(1));
const made = (given: Partial<Resource>): Resource => ({ ...(resources[0] as Resource), ...given });
const visit = (given: Partial<Visit> = {}): Visit =>
  ({
    ...{ id: 'a', protocol: 'h2', attempt: 1, counted: true, finalUrl: 'https://shop.example/' },
    outcome: { verdict: 'valid', metrics: madeMetrics('h2', randomSource(1)) },
    ...given,
  }) as Visit;

test('rows of two visits stand beside each other by method, URL and time of asking', () => {
  const [document, image] = [made({ startMs: 0 }), made({ seq: 1, url: 'https://shop.example/a.webp', startMs: 49 })];
  const rows = rowsOf([
    { visit: visit(), resources: [document, image, { ...image, seq: 9, startMs: 400 }] },
    {
      visit: visit({ id: 'b' }),
      resources: [document, { ...image, startMs: 500 }, made({ seq: 5, url: 'https://other.example/x', startMs: 1 })],
    },
  ]);
  assert.deepEqual(
    rows.map(({ id, parts }) => [id, ...parts.map((part) => part?.startMs ?? null)]),
    [
      ['0', 0, 0],
      ['b.5', null, 1],
      ['1', 49, 500],
      ['9', 400, null],
    ],
  );
});

test('a link to a resource means the same one, alone and beside any visit', () => {
  const first = { visit: visit(), resources };
  const second = {
    visit: visit({ id: 'b' }),
    resources: [made({ seq: 0, url: 'https://first.example/', startMs: -1 }), ...resources.slice(2)],
  };
  const urlsOf = (rows: ReturnType<typeof rowsOf>) =>
    new Map(rows.map((row) => [row.id, (row.parts.find((part) => part !== null) as Resource).url]));
  const [alone, pair] = [urlsOf(rowsOf([first])), urlsOf(rowsOf([first, second]))];
  for (const [id, url] of alone) assert.equal(pair.get(id), url);
  assert.deepEqual([pair.size, pair.get('b.0')], [alone.size + 1, 'https://first.example/']);
});

test('rows are filtered by what either visit has, and sorted by what is asked for', () => {
  const rows = rowsOf([{ visit: visit(), resources }]);
  const all = { host: '', type: '', protocol: '', text: '', failed: false };
  assert.equal(filterRows(rows, all).length, 24);
  assert.equal(filterRows(rows, { ...all, host: 'ads.example' }).length, 1);
  assert.equal(filterRows(rows, { ...all, type: 'Image', text: ' PRODUCT-1' }).length, 11);
  assert.deepEqual([filterRows(rows, { ...all, protocol: 'other' }).length, filterRows(rows, { ...all, failed: true }).length], [1, 1]);
  assert.equal(filterRows(rows, { ...all, text: 'nowhere' }).length, 0);
  const urls = (by: Parameters<typeof sortRows>[1]) => sortRows(rows, by).map(({ parts }) => parts[0] as Resource);
  assert.equal(urls('status')[0]?.failure, 'net::ERR_CONNECTION_REFUSED');
  assert.equal(urls('priority')[0]?.priority, 'VeryHigh');
  const sizes = urls('size').map(({ transferBytes }) => transferBytes);
  assert.deepEqual(
    sizes,
    sizes.toSorted((a, b) => b - a),
  );
  assert.equal(endOf(urls('end').at(-1) as Resource), Math.max(...resources.map(endOf)));
  assert.deepEqual(
    choices(rows, ({ type }) => type),
    ['Image', 'Document', 'Script'],
  );
});

test('a file is called by the last part of its path', () => {
  assert.equal(shortName('https://a.example/x/y/app.js?v=1'), 'app.js?v=1');
  assert.equal(shortName('https://a.example/'), '/');
  assert.equal(shortName(`https://a.example/${'x'.repeat(500)}`).length, 80);
  assert.equal(shortName('not a URL'), 'not a URL');
});

test('of thousands of rows those are drawn that can be seen, and all space is accounted for', () => {
  for (const details of [null, { index: 5, height: 300 }, { index: 1500, height: 77 }]) {
    for (const top of [0, 100, 30_000, 59_900, 90_000]) {
      const { first, end, above, below } = seenRows({ top, height: 600 }, 3000, 30, details);
      assert.ok(end - first <= 60, `${end - first} rows`);
      const inside = details !== null && details.index >= first && details.index < end ? details.height : 0;
      assert.equal(above + (end - first) * 30 + inside + below, 3000 * 30 + (details?.height ?? 0));
      if (top > 89_000) continue;
      assert.ok(above <= top && above + (end - first) * 30 + inside >= Math.min(top + 600, 90_000), `no hole at ${top}`);
    }
  }
  assert.deepEqual(seenRows({ top: 0, height: 600 }, 3, 30, null), { first: 0, end: 3, above: 0, below: 0 });
});

test('the picture is XML whatever a page calls its files, and has every row', () => {
  const hostile = made({ url: 'https://x.example/<script>alert(1)</script>"\u0000\u0001&amp;', startMs: 3, host: '<b>' });
  const visits = shownVisits([{ visit: visit(), resources: [...resources, hostile] }]);
  const svg = waterfallSvg({
    ...{
      title: 'a & b',
      source: 'now',
      rows: rowsOf(visits),
      visits,
      moments: [],
      window: { fromMs: 0, toMs: 500 },
    },
    ...{ colouring: 'protocol', colour: (name) => `#${name}` },
  });
  assert.doesNotMatch(svg, /<script|<b>/);
  assert.equal(svg.match(/ · /g)?.length, 25);
  assert.match(svg, /a &amp; b/);
  assert.match(svg, /^<svg [^>]*>.*<\/svg>$/s);
});

test('the table has every resource of every visit with its phases, and CSV cannot be run as a formula', () => {
  const formula = made({ method: '=cmd', url: 'https://x.example/"a",b' });
  const visits = shownVisits([
    { visit: visit(), resources: [...resources, formula] },
    { visit: visit({ id: 'b', protocol: 'h3' }), resources },
  ]);
  const table = waterfallTable(rowsOf(visits), visits);
  assert.equal(table.rows.length, 49);
  for (const row of table.rows) assert.equal(row.length, table.columns.length);
  assert.match(csvOf(table), /'=cmd/);
});
