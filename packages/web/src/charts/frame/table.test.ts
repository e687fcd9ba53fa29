import assert from 'node:assert/strict';
import { test } from 'node:test';
import { csvOf, quantityColumn } from './table.ts';

test('a table shows kB and percent; its CSV has bytes and shares, and says so', () => {
  const columns = [
    quantityColumn('size', 'bytes'),
    quantityColumn('over HTTP/3', 'share'),
    quantityColumn('onLoad', 'ms'),
    quantityColumn('H3-Delta', 'delta'),
  ];
  const row = [51_234, 0.954, 402.4, -0.0912];
  assert.deepEqual(
    columns.map(({ name, format }, i) => [name, format?.(row[i] ?? null)]),
    [
      ['size, kB', '51.2'],
      ['over HTTP/3, %', '95'],
      ['onLoad, ms', '402'],
      ['H3-Delta', '−0.09'],
    ],
  );
  assert.equal(
    csvOf({ columns, rows: [row] }),
    '"size, bytes","over HTTP/3, share of 1","onLoad, ms",H3-Delta\r\n51234,0.954,402.4,-0.0912\r\n',
  );
});
