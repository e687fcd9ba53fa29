// A chart's numbers as a table.
export type Column = {
  name: string;
  /** Numbers stand at the right. */
  align?: 'left' | 'right';
  /** How a cell is shown; in CSV it stands as it is. */
  format?: (cell: Cell) => string;
};
export type Cell = string | number | null;
export type ChartTable = { columns: readonly Column[]; rows: readonly (readonly Cell[])[] };
