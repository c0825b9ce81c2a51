import type postgres from 'postgres';

/** What worker processes write to. Ids tell the order. */
export async function createChaosTables(sql: postgres.Sql): Promise<void> {
  await sql`
    create table runs (
      id        serial primary key,
      worker    integer not null,
      partition integer not null,
      "offset"  integer not null,
      together  integer not null,                -- how many messages its handler got
      state     text,                            -- of the record, when the handler began
      began_at  timestamptz not null default clock_timestamp(),
      ended_at  timestamptz                      -- when the handler came to its end, if it did
    )`;
  await sql`
    create table effects (
      id          serial primary key,
      partition   integer not null,
      "offset"    integer not null,
      message_key text not null,
      effect_key  text not null unique
    )`;
}
