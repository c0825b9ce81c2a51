import { SchemaError } from '../words/errors.ts';
import { arrayLiteral } from './array.ts';
import { arraysOf } from './batch.ts';
import type { DatabaseClient } from './database-client.ts';
import { quoteIdentifier } from './identifier.ts';
import type { TableName } from './rights.ts';
import { run } from './run-statement.ts';
import { LEAVES } from './statements/leaves.ts';

interface Shape {
  readonly columns: string;
  /** Of its primary key. */
  readonly key?: string;
}

/** What the statements need of each table. */
export const SHAPE: Readonly<Record<TableName, Shape>> = {
  records: {
    columns:
      'live_until, created_at, began_at, token, attempts, failures, deaths, owned, state, scope, key, fingerprint, ' +
      'failed_reason, result_omitted, result, error, steps',
    key: 'scope, key',
  },
  migrations: { columns: 'version, name, applied_at, checksum', key: 'version' },
  workers: { columns: 'id, host, pid, version, started_at, seen_at', key: 'id' },
  failures: {
    columns: 'id, ended_at, took_ms, attempt, batch_size, scope, key, ending, worker, error',
    key: 'scope, key, id',
  },
  stats: { columns: 'minute, count, scope, event', key: 'scope, minute, event' },
  maintenance: { columns: 'only_row, runner, live_until, due_at, purged, walk', key: 'only_row' },
  census: { columns: 'scope, state, records, abandoned, oldest_at, taken_at', key: 'scope, state' },
  audit: {
    columns:
      'id, begun_at, ended_at, seen_at, expected, done, stop, person, action, scope, key, filter, outcome',
    key: 'id',
  },
  archive: {
    columns:
      'purged_at, live_until, created_at, began_at, token, attempts, failures, deaths, state, scope, key, fingerprint, ' +
      'failed_reason, result_omitted, result, error, steps',
  },
};

export const ALL_TABLES = /* @__PURE__ */ Object.keys(SHAPE) as readonly TableName[];

const TABLE = `join pg_catalog.pg_class c on c.relname = t.name and c.relkind in ('r', 'p')
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text`;

/**
 * Parameters: $1 the schema, $2 and $3 tables and a column of each, $4 and $5 tables and the columns of their keys, $6
 * tables that a crash must not empty. From the catalogue, which every role may read. Of a table that is not there it
 * says nothing.
 */
const faultsStatement = (): string => `
select t.name, 'column' as fault, t.part, null as other_key
from unnest($2::text::text[], $3::text::text[]) as t(name, part) ${TABLE}
where not exists (
  select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attname = t.part and not a.attisdropped)
union all
select t.name, 'key' as fault, t.part,
  (select quote_ident(o.conname) from pg_catalog.pg_constraint o where o.conrelid = c.oid and o.contype = 'p')
from unnest($4::text::text[], $5::text::text[]) as t(name, part) ${TABLE}
where not exists (
  select from pg_catalog.pg_index i
  where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indimmediate
    and i.indpred is null and i.indexprs is null
    and (select string_agg(a.attname::text, ',' order by a.attname::text collate "C") from pg_catalog.pg_attribute a
        where a.attrelid = c.oid and a.attnum = any(i.indkey))
      = (select string_agg(p, ',' order by p collate "C") from unnest(string_to_array(t.part, ', ')) as p))
union all
select l.relname as name, 'unlogged' as fault, '' as part, null
from pg_catalog.pg_class l
where l.oid in (${LEAVES}) and l.relpersistence = 'u' and 'records' = any($6::text::text[])`;

/** What is wrong with a table. */
export interface Fault {
  readonly table: string;
  readonly says: string;
  readonly fix: string;
}

/** What the tables lack of what the statements need. */
export async function faultsOf(
  client: DatabaseClient,
  schema: string,
  tables: readonly TableName[],
): Promise<readonly Fault[]> {
  const columns = tables.flatMap((table) =>
    SHAPE[table].columns.split(', ').map((part) => ({ table, part })),
  );
  const keys = tables.flatMap((table) => {
    const part = SHAPE[table].key;
    return part === undefined ? [] : [{ table, part }];
  });
  const names = ['table', 'part'] as const;
  const parameters = [schema, ...arraysOf(columns, names), ...arraysOf(keys, names), arrayLiteral(tables)];
  const rows = await run(client, faultsStatement(), parameters);
  return rows.map(([table, fault, part, otherKey]) =>
    faultOf(table ?? '', fault ?? '', part ?? '', otherKey ?? undefined, schema),
  );
}

function faultOf(
  table: string,
  fault: string,
  part: string,
  otherKey: string | undefined,
  schema: string,
): Fault {
  const alter = `run \`alter table ${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;
  switch (fault) {
    case 'column':
      return {
        table,
        says: `the table ${table} lacks the column ${part}`,
        fix:
          `add the column as npx handle-once sql --schema ${schema} prints it: migrate does not run a migration ` +
          'twice',
      };
    case 'key':
      return {
        table,
        says: `the table ${table} lacks the primary key (${part})${otherKey === undefined ? '' : ', and has another one, or a deferrable one'}`,
        fix: `${alter} ${otherKey === undefined ? '' : `drop constraint ${otherKey}, `}add primary key (${part})\`, as the owner of the tables`,
      };
    default:
      return {
        table: 'records',
        says: `the table ${table} is UNLOGGED: a crash of the server, or a failover, empties it, and messages run again`,
        fix: `${alter} set logged\`, as the owner of the tables`,
      };
  }
}

/** Throws `SchemaError` for tables that lack something. */
export async function requireShape(
  client: DatabaseClient,
  schema: string,
  tables: readonly TableName[],
): Promise<void> {
  const faults = await faultsOf(client, schema, tables);
  if (faults.length === 0) return;
  const all = faults.map(({ says }) => says).join('; ');
  const fixes = new Set(faults.map(({ fix }) => fix));
  throw new SchemaError(`in schema ${schema} ${all}: ${[...fixes].join('; and ')}`);
}
