import type { DatabaseRow } from '../../src/index.ts';

/**
 * Rows that a library gives as objects. They have the columns in their order: none of ours is named by a number. A hook
 * of the user, such as `postProcessResponse` of Knex, may have made nulls undefined.
 */
export function textRows(rows: readonly object[]): DatabaseRow[] {
  return rows.map((row) =>
    Object.values(row).map((cell: string | number | null | undefined) =>
      cell === null || cell === undefined ? null : String(cell),
    ),
  );
}
