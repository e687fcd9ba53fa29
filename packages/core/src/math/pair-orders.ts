// Order statistics of pairs of values, without storing all pairs.
import { quickselect } from 'simple-statistics';

/** Values that ascend along each row and down each column; none is stored. */
type SortedTable = {
  rows: number;
  columns: number;
  /** The first column that counts in a row; it never descends. */
  first(row: number): number;
  at(row: number, column: number): number;
};

/** Up to this many values are stored and selected from, which is faster than counting. */
const few = 16_384;

/** All differences xᵢ − yⱼ, at indexes in their order as of `valuesAt`. */
export function differencesAt(x: readonly number[], y: readonly number[], places: readonly number[]): number[] {
  if (x.length * y.length > few) return valuesAt(sortedDifferences(x, y), places);
  const differences = new Float64Array(x.length * y.length);
  let place = 0;
  for (const first of x) for (const second of y) differences[place++] = first - second;
  return places.map((wanted) => selected(differences, wanted));
}

/** The Walsh averages (xᵢ + xⱼ) ÷ 2 with i ≤ j, in the same way. */
export function walshAveragesAt(values: readonly number[], places: readonly number[]): number[] {
  const count = (values.length * (values.length + 1)) / 2;
  if (count > few) return valuesAt(sortedAverages(values), places);
  const averages = new Float64Array(count);
  let place = 0;
  for (let i = 0; i < values.length; i++) {
    for (let j = i; j < values.length; j++) averages[place++] = ((values[i] as number) + (values[j] as number)) / 2;
  }
  return places.map((wanted) => selected(averages, wanted));
}

function sortedDifferences(x: readonly number[], y: readonly number[]): SortedTable {
  const up = Float64Array.from(x).sort();
  const down = Float64Array.from(y).sort().reverse();
  return {
    ...{ rows: up.length, columns: down.length, first: () => 0 },
    at: (row, column) => (up[row] as number) - (down[column] as number),
  };
}

function sortedAverages(values: readonly number[]): SortedTable {
  const up = Float64Array.from(values).sort();
  return {
    ...{ rows: up.length, columns: up.length, first: (row: number) => row },
    at: (row, column) => ((up[row] as number) + (up[column] as number)) / 2,
  };
}

/**
 * The values at indexes in the order of all, exactly as if they were stored and sorted. The range that holds the wanted value is halved,
 * counting the values on each side along the border between them, until few are left (the counting is that of Johnson & Mizoguchi,
 * "Selecting the Kth Element in X + Y", SIAM Journal on Computing 7, 1978). O(rows + columns) of memory, and of time for each halving; some
 * tens of halvings, as the range has powers of two above the closeness of the values.
 *
 * @param places from 0, each below the number of values.
 */
function valuesAt(table: SortedTable, places: readonly number[]): number[] {
  const whole = wholeRows(table);
  return places.map((place) => valueAt(table, whole, place));
}

/** For each row, the columns from `from` up to `to`. */
type Rows = { from: Int32Array; to: Int32Array; count: number };

function wholeRows({ rows, columns, first }: SortedTable): Rows {
  const from = Int32Array.from({ length: rows }, (_, row) => first(row));
  return { from, to: new Int32Array(rows).fill(columns), count: rows * columns - from.reduce((sum, column) => sum + column, 0) };
}

function valueAt(table: SortedTable, whole: Rows, place: number): number {
  let rest = { from: whole.from.slice(), to: whole.to.slice(), count: whole.count };
  let border = new Int32Array(table.rows);
  let wanted = place;
  while (rest.count > few) {
    const { low, high } = rangeOf(table, rest);
    if (low === high) return low;
    const upper = countUpTo(table, rest, middleOf(low, high), border);
    if (wanted < upper) [rest, border] = [{ ...rest, to: border, count: upper }, rest.to];
    else {
      [rest, border] = [{ ...rest, from: border, count: rest.count - upper }, rest.from];
      wanted -= upper;
    }
  }
  return selected(writtenDown(table, rest), wanted);
}

function rangeOf({ at }: SortedTable, { from, to }: Rows): { low: number; high: number } {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let row = 0; row < from.length; row++) {
    const [begin, end] = [from[row] as number, to[row] as number];
    if (begin === end) continue;
    low = Math.min(low, at(row, begin));
    high = Math.max(high, at(row, end - 1));
  }
  return { low, high };
}

/** At least `low` and below `high`, so that either side of it has a value despite rounding. */
function middleOf(low: number, high: number): number {
  const middle = Math.max(low, -Number.MAX_VALUE) / 2 + Math.min(high, Number.MAX_VALUE) / 2;
  return middle >= low && middle < high ? middle : low;
}

/** Sets `border` to the first column of each row above `limit`, within the rest; counts what lies before it. */
function countUpTo({ columns, at }: SortedTable, { from, to }: Rows, limit: number, border: Int32Array): number {
  let [column, count] = [columns, 0];
  for (let row = 0; row < from.length; row++) {
    const [begin, end] = [from[row] as number, to[row] as number];
    while (column > begin && at(row, column - 1) > limit) column--;
    const cut = Math.max(begin, Math.min(column, end));
    border[row] = cut;
    count += cut - begin;
  }
  return count;
}

function writtenDown({ at }: SortedTable, { from, to, count }: Rows): Float64Array {
  const values = new Float64Array(count);
  let place = 0;
  for (let row = 0; row < from.length; row++) {
    for (let column = from[row] as number; column < (to[row] as number); column++) values[place++] = at(row, column);
  }
  return values;
}

/** Reorders the values. */
function selected(values: Float64Array, place: number): number {
  quickselect(values as unknown as number[], place);
  return values[place] as number;
}
