import { arrayLiteral } from '../../../src/postgres/array.ts';
import { arraysOf } from '../../../src/postgres/batch.ts';
import { schemaFlag } from '../../../src/postgres/failure.ts';
import { quoteIdentifier } from '../../../src/postgres/identifier.ts';
import { grantsOn, RIGHTS, type TableName, type Use } from '../../../src/postgres/rights.ts';
import { LEAVES } from '../../../src/postgres/statements/leaves.ts';
import { run } from '../run.ts';
import { type Found, notice, ok, problem, type Subject } from './finding.ts';
import { OF_HANDLING } from './tables.ts';

/**
 * Parameters: $1 the schema, $2 and $3 tables and a right on each. By oid, since a table of a schema that the role may
 * not use has no name for it. A table that is not there lacks no right.
 */
const LACKED = `
select r.table_name, r.privilege
from unnest($2::text::text[], $3::text::text[]) with ordinality as r(table_name, privilege, place)
  join pg_catalog.pg_class c on c.relname = r.table_name
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = $1::text
where not (has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, r.privilege))
order by r.place`;

/** The rights that a partition lacks: a walk names each partition. Parameters: $1 the schema, $2 rights. */
const LACKED_ON_PARTITIONS = `
select r.privilege
from unnest($2::text::text[]) with ordinality as r(privilege, place)
where exists (
  select from (${LEAVES}) as leaves(oid) join pg_catalog.pg_class c on c.oid = leaves.oid and c.relispartition
  where not has_table_privilege(c.oid, r.privilege))
order by r.place`;

type Rights = Readonly<Partial<Record<TableName, string>>>;

/** What the role of the client may do: handle messages, maintain the tables, or both. */
export async function rights(subject: Subject): Promise<Found> {
  const role = await roleOf(subject);
  const forHandle = await lackedRights(subject, 'handle');
  const onTables = await lackedRights(subject, 'maintain');
  const onPartitions = await lackedOnPartitions(subject);
  const forMaintain = onPartitions === '' ? onTables : { ...onTables, 'partitions of records': onPartitions };
  const mayHandle = !Object.keys(forHandle).some((table) => OF_HANDLING.includes(table));
  const mayMaintain = isNone(forMaintain);
  const schema = quoteIdentifier(subject.schema);
  const grants = grantsOn(schema, role, forHandle)
    .map((grant) => `${grant};`)
    .join(' ');
  if (mayHandle && !isNone(forHandle)) {
    return notice(
      `the role ${role} may handle messages, but lacks ${listed(forHandle)}: ` +
        'which attempts failed, in which process, or how often each event happened, is not recorded',
      `as the owner of the tables, run: ${grants}`,
    );
  }
  if (mayHandle && mayMaintain) return ok(`the role ${role} may handle messages, and maintain the tables`);
  if (mayHandle) return ok(`the role ${role} may handle messages, but not maintain the tables`);
  if (mayMaintain) return ok(`the role ${role} may maintain the tables, but not handle messages`);
  return problem(
    `the role ${role} may neither handle messages (it lacks ${listed(forHandle)}) ` +
      `nor maintain the tables (it lacks ${listed(forMaintain)})`,
    `to handle messages, run as the owner of the tables what \`npx handle-once grants ${role}${schemaFlag(schema)}\` ` +
      `prints: ${grants} To maintain the tables, run what \`npx handle-once grants ${role} --for maintain${schemaFlag(schema)}\` prints` +
      (onPartitions === '' ? '' : ', and the same rights on each partition of records'),
  );
}

async function roleOf({ client }: Subject): Promise<string> {
  const [row] = await run(client, 'select quote_ident(current_user) as role', []);
  return row?.[0] ?? '';
}

/** By table, such as `{ records: 'insert, update' }`. */
async function lackedRights({ client, schema }: Subject, use: Use): Promise<Rights> {
  const needed = Object.entries(RIGHTS[use]).flatMap(([table, privileges]) =>
    privileges.split(', ').map((privilege) => ({ table, privilege })),
  );
  const rows = await run(client, LACKED, [schema, ...arraysOf(needed, ['table', 'privilege'])]);
  const lacked: Record<string, string> = {};
  for (const [table, privilege] of rows) {
    const known = lacked[table ?? ''];
    lacked[table ?? ''] = known === undefined ? (privilege ?? '') : `${known}, ${privilege}`;
  }
  return lacked;
}

/** Such as `update, delete`. */
async function lackedOnPartitions({ client, schema }: Subject): Promise<string> {
  const needed = RIGHTS.maintain.records?.split(', ') ?? [];
  const rows = await run(client, LACKED_ON_PARTITIONS, [schema, arrayLiteral(needed)]);
  return rows.map(([privilege]) => privilege).join(', ');
}

function isNone(lacked: Rights): boolean {
  return Object.keys(lacked).length === 0;
}

function listed(lacked: Rights): string {
  return Object.entries(lacked)
    .map(([table, privileges]) => `${privileges} on ${table}`)
    .join('; ');
}
