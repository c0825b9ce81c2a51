import { arrayLiteral } from './array.ts';
import type { Size } from './request-rows.ts';

export type Cell = string | number | null;

/** Some members of rows, as one array parameter each. */
export function arraysOf<Name extends string>(
  rows: readonly Readonly<Record<Name, Cell>>[],
  names: readonly Name[],
): string[] {
  return names.map((name) => arrayLiteral(rows.map((row) => row[name])));
}

/** The parameters of `batchRows`: one row of cells for each request. */
export function batchOf(rows: readonly (readonly Cell[])[]): {
  size: Size;
  parameters: (string | null)[];
} {
  const [first = []] = rows;
  if (rows.length === 1) {
    return { size: 'one', parameters: first.map((cell) => (cell === null ? null : String(cell))) };
  }
  return {
    size: 'many',
    parameters: first.map((_, column) => arrayLiteral(rows.map((row) => row[column] ?? null))),
  };
}
