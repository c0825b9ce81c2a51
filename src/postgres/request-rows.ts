/**
 * Whether a statement takes one request or any number. For one the server plans and runs a plain row of parameters,
 * a quarter cheaper than arrays of one: that is what a caller that works alone waits for.
 */
export type Size = 'one' | 'many';

export type BySize = Readonly<Record<Size, string>>;

/** Both statements. */
export function bySize(statement: (size: Size) => string): BySize {
  return { one: onOneLine(statement('one')), many: onOneLine(statement('many')) };
}

/** A statement as it is sent: the client hashes the text for every query, and half of it would be indentation. */
export function onOneLine(statement: string): string {
  return statement.replaceAll(/\s+/g, ' ').trim();
}

/** The columns of requests and their types, in the order of the parameters from $2 on. */
type Columns = Readonly<Record<string, string>>;

/** More columns, as SQL of the cells of the row. */
type Computed = Readonly<Record<string, (cell: (column: string) => string) => string>>;

/** Requests as rows of a `from` clause. */
export function batchRows(size: Size, alias: string, columns: Columns): string {
  if (size === 'one') return oneRow(alias, columns, {});
  // A bare parameter in unnest is planned again at each run; with a subselect it gets one generic plan.
  const arrays = Object.values(columns).map((type, index) => `(select $${index + 2}::text::${type}[])`);
  return `unnest(${arrays.join(', ')}) as ${alias}(${Object.keys(columns).join(', ')})`;
}

function oneRow(alias: string, columns: Columns, computed: Computed): string {
  const cells = new Map(
    Object.entries(columns).map(([name, type], index) => [name, `$${index + 2}::text::${type}`]),
  );
  const more = Object.entries(computed).map(([name, of]) => [name, of((column) => cells.get(column) ?? '')]);
  return `(select ${[...cells, ...more].map(([name, value]) => `${value} as ${name}`).join(', ')}) as ${alias}`;
}

/**
 * The same, for an update to find its records by: see `isInScope`.
 *
 * The limit cuts nothing off. To the planner it leaves one row, so that each record is looked up by its key and locked
 * in the order of the requests, however small the table seems: a scan would lock in an order that deadlocks.
 */
export function rowsToUpdateBy(size: Size, alias: string, columns: Columns, computed: Computed = {}): string {
  if (size === 'one') return oneRow(alias, columns, computed);
  const more = Object.entries(computed).map(([name, of]) => `, ${of((column) => `r.${column}`)} as ${name}`);
  const rows = batchRows(size, 'r', columns);
  return `(select *, $1::text as scope${more.join('')} from ${rows} limit (select 2147483647)) as ${alias}`;
}

/**
 * Whether record `t` has the scope, $1.
 *
 * For many as a column of the requests and as an array, which can be looked up for a request but not joined by. With
 * only a comparison with $1 there could be an index scan of the whole scope: a planner that expects one record in it,
 * as in a table vacuumed while it was empty, reads all records of the scope for each statement: 737 us of the server
 * for a message instead of 36, after 60,000 messages. The array costs 0.2 us.
 *
 * A distributed Postgres needs the comparison with $1 to find the shard. In the collation "POSIX", which means the same
 * as "C" of the index, that comparison has no index scan.
 */
export function isInScope(size: Size, alias: string): string {
  if (size === 'one') return 't.scope = $1::text';
  return `t.scope = $1::text collate "POSIX" and t.scope = any(array[${alias}.scope])`;
}
