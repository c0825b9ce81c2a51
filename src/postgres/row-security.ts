import { SchemaError } from '../words/errors.ts';
import { arraysOf } from './batch.ts';
import type { DatabaseClient } from './database-client.ts';
import { quoteIdentifier } from './identifier.ts';
import { RIGHTS, type TableName, type Use } from './rights.ts';
import { run } from './run-statement.ts';
import { LEAVES } from './statements/leaves.ts';

/**
 * Parameters: $1 the schema, $2 and $3 tables and a right on each, $4 whether partitions are named too, as a walk does:
 * what goes through their table has the policies of that. Those rights that row level security takes from this
 * role, since no policy is for them: a select then finds nothing, without an error. What policies say is not looked at.
 */
const HIDDEN = `
select c.relname, string_agg(t.privilege, ', ' order by t.place) as privileges
from unnest($2::text::text[], $3::text::text[]) with ordinality as t(name, privilege, place)
  join pg_catalog.pg_class c on c.relname = t.name or ($4::text::boolean and t.name = 'records' and c.oid in (${LEAVES}))
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text
where row_security_active(c.oid) and has_table_privilege(c.oid, t.privilege) and not exists (
  select from pg_catalog.pg_policy p, unnest(p.polroles) as r(oid)
  where p.polrelid = c.oid and p.polpermissive
    and p.polcmd in ('*', case t.privilege when 'insert' then 'a' when 'update' then 'w' when 'delete' then 'd' else 'r' end)
    and (r.oid = 0 or pg_has_role(r.oid, 'usage')))
group by c.relname
order by min(t.place), c.relname`;

/** A table with rows that row level security hides. */
interface Hidden {
  readonly table: string;
  /** Such as `insert, update`. */
  readonly rights: string;
}

type Rights = Readonly<Partial<Record<TableName, string>>>;

/** Those of the tables that row level security hides from the role of the client. */
export async function hiddenTables(
  client: DatabaseClient,
  schema: string,
  rights: Rights,
  walks: boolean,
): Promise<readonly Hidden[]> {
  const needed = Object.entries(rights).flatMap(([table, all]) =>
    all.split(', ').map((right) => ({ table, right })),
  );
  const rows = await run(client, HIDDEN, [schema, ...arraysOf(needed, ['table', 'right']), String(walks)]);
  return rows.map(([table, hidden]) => ({ table: table ?? '', rights: hidden ?? '' }));
}

export function hiddenText(hidden: readonly Hidden[]): string {
  const tables = hidden.map(({ table, rights }) => `${table} (${rights})`).join(' and ');
  return `row level security is on for ${tables}, and no policy is for the role of the client`;
}

export function hiddenFix(schema: string, table: string): string {
  return (
    `run \`alter table ${quoteIdentifier(schema)}.${table} disable row level security\`, as the owner of the tables, or ` +
    'create policy for that role'
  );
}

/** Throws `SchemaError` where row level security hides a table that the role needs: it would seem to be empty. */
export async function requirePolicies(client: DatabaseClient, schema: string, use: Use): Promise<void> {
  // Messages are handled without the other tables that workers write.
  const rights = use === 'handle' ? { records: RIGHTS.handle.records ?? '' } : RIGHTS[use];
  const hidden = await hiddenTables(client, schema, rights, use !== 'handle');
  const [first] = hidden;
  if (first === undefined) return;
  throw new SchemaError(`in schema ${schema} ${hiddenText(hidden)}: ${hiddenFix(schema, first.table)}`);
}
