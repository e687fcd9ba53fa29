import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageWithin } from './page.ts';

test('a page of rows that are megabytes each ends early, has at least one, and says where the next begins', () => {
  const rows = [1, 2, 3, 4].map((id) => ({ id, size: id === 3 ? 20_000_000 : 3_000_000 }));
  let read = 0;
  const page = (after: number, limit: number) => {
    read = 0;
    function* from() {
      for (const row of rows.filter(({ id }) => id > after).slice(0, limit + 1)) {
        read += 1;
        yield row;
      }
    }
    return pageWithin(
      from(),
      limit,
      ({ size }) => size,
      ({ id }) => id,
      ({ id }) => id,
    );
  };
  assert.deepEqual(page(0, 10), { items: [1, 2], nextCursor: '2' });
  assert.equal(read, 3);
  assert.deepEqual(page(2, 10), { items: [3], nextCursor: '3' });
  assert.deepEqual(page(3, 10), { items: [4], nextCursor: null });
  assert.deepEqual(page(0, 1), { items: [1], nextCursor: '1' });
});
