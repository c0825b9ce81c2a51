import type postgres from 'postgres';

/** What workers write to. Ids tell the order. */
export async function createTables(sql: postgres.Sql): Promise<void> {
  await sql`
    create table effects (
      id        serial primary key,
      run       text not null unique,
      message   integer not null,
      looked_at double precision not null        -- when its handler last looked at its signal
    )`;
  await sql`create table keyed_effects (effect_key text primary key)`;
  await sql`create table processed (message integer primary key)`;
}

export interface Effect {
  readonly run: string;
  readonly message: number;
  readonly lookedAt: number;
}

/** In the order in which they happened. */
export async function readEffects(sql: postgres.Sql): Promise<Effect[]> {
  return sql<Effect[]>`select run, message, looked_at as "lookedAt" from effects order by id`;
}

export async function countKeyedEffects(sql: postgres.Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::integer as count from keyed_effects`;
  return row?.count ?? 0;
}

/** Messages without a record that says `succeeded`, with what it says. */
export async function notSucceeded(sql: postgres.Sql, scope: string, messages: number): Promise<string[]> {
  const rows = await sql<{ message: number; state: string | null }[]>`
    select message, state from generate_series(0, ${messages - 1}::integer) as message
    left join handle_once.records on scope = ${scope} and key = message::text
    where state is distinct from 'succeeded' order by message`;
  return rows.map(({ message, state }) => `message ${message}: ${state ?? 'no record'}`);
}
