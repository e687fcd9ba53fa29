import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import type { PageMetrics } from '../../schemas/metrics.ts';
import type { Visit } from '../../schemas/visit.ts';
import { metricNames, metricOf, pageMetricNames } from '../../vocabulary/metric.ts';
import { visitColumns, visitCsvLine, visitsCsvHeader } from './visits-csv.ts';

const metrics = Object.fromEntries(pageMetricNames.map((name, place) => [name, place + 0.125])) as PageMetrics;
const visit = (given: Partial<Visit> = {}): Visit => ({
  id: '0b0e7a3c-8a1f-4a52-9d61-3d4b8f0c9a11',
  roundId: '4',
  attempt: 1,
  slot: 1,
  protocol: 'h3',
  position: 0,
  retry: 0,
  startedAt: '2026-03-01T12:00:00.250Z',
  wallMs: 900,
  finalUrl: 'https://site.example/',
  documentAddress: '192.0.2.1',
  cpu: null,
  link: { refused: ['10.0.0.1 (tcp 80)', '10.0.0.2 (udp 53)'], receiveDrops: 3 },
  environmentId: null,
  discoveryId: null,
  outcome: { verdict: 'valid', metrics },
  campaignId: '1',
  siteId: '7',
  condition: 'native',
  view: 'cold',
  roundNumber: 2,
  counted: true,
  ...given,
});
const sites = (name: string) => ({ sites: [{ id: '7', name, url: 'https://site.example/a,b;c?q="x"', expectStatus: 200 }], caveats: [] });
const read = (line: string): Record<string, string> =>
  (parse(visitsCsvHeader + line, { columns: true }) as Record<string, string>[])[0] ?? {};

test('a line has a field for each column, numbers as they are', () => {
  const row = read(visitCsvLine(visit(), sites('Home')));
  assert.deepEqual(Object.keys(row), [...visitColumns]);
  assert.deepEqual(
    [row.site, row.url, row.round, row.counted, row.watchedEqually, row.verdict, row.reason, row.receiveDrops, row.refused],
    ['Home', 'https://site.example/a,b;c?q="x"', '2', '1', '1', 'valid', '', '3', '10.0.0.1 (tcp 80); 10.0.0.2 (udp 53)'],
  );
  for (const name of metricNames) assert.equal(row[name], String(metricOf(metrics, name) ?? ''));
});

test('names with commas, quotes and lines are read as they are by whoever reads RFC 4180', () => {
  const name = 'The "best", second line:\r\nof all; ünïcode';
  const line = visitCsvLine(visit(), sites(name));
  assert.equal(read(line).site, name);
  assert.ok(line.endsWith('\r\n') && visitsCsvHeader.endsWith('\r\n'));
});

test('an invalid visit has its reason and no number', () => {
  const row = read(
    visitCsvLine(
      visit({ outcome: { verdict: 'invalid', reason: 'http-status', detail: '404, expected 200' }, counted: false, link: null }),
      sites('x'),
    ),
  );
  assert.deepEqual(
    [row.verdict, row.reason, row.detail, row.counted, row.receiveDrops],
    ['invalid', 'http-status', '404, expected 200', '0', ''],
  );
  for (const name of pageMetricNames) assert.equal(row[name], '');
});

test('what a spreadsheet would run as a formula is text', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r']) {
    const name = `${start}HYPERLINK("https://evil.example")`;
    assert.equal(read(visitCsvLine(visit(), sites(name))).site, `'${name}`);
  }
  assert.equal(read(visitCsvLine(visit({ retry: -1 }), sites('x'))).retry, '-1'); // a number stays one
});
