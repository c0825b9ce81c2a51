import { randomUUID } from 'node:crypto';
import { createHandleOnce } from '../../../src/api/create-handle-once.ts';
import { migrate } from '../../../src/migrations/migrate.ts';
import type { Rule } from '../contract-case.ts';
import type { ControlledStore } from '../store/actor.ts';
import type { DatabaseClient } from '../../../src/postgres/database-client.ts';
import { createPostgresStore } from '../../../src/store/postgres/index.ts';
import type { ClientAbilities, ClientLibrary } from './client-under-test.ts';

/** Apart from the records of an application, if the database has some. */
export const SCHEMA = 'handle_once_contract';

/** What clients promise of one kind. */
export type ClientRule = Rule<Bench>;

type Queries = Pick<DatabaseClient, 'query'>;

const ID_LENGTH = 36;

/** A client with effects of one case alone. What a transaction is only its library knows. */
export function benchOf(library: ClientLibrary, can: ClientAbilities) {
  const { client } = library;
  const id = randomUUID();
  const options = {
    sql: client,
    databaseSchema: SCHEMA,
    scope: id,
    backoff: () => 0,
    onEvent: () => undefined,
  };
  return {
    client,
    can,
    handleOnce: createHandleOnce(options),
    /** Inserts an effect in the library's own way. */
    insert: async (transaction: unknown, effect: string) => {
      await library.insert(transaction, id + effect);
    },
    /** Inserts an effect by a statement, and gives its row: the id of the effect, and of the transaction. */
    insertBy: (queries: Queries, effect: string) =>
      queries.query(
        'insert into handle_once_effects (id) values ($1::text) returning id, xmin::text as xid',
        [id + effect],
      ),
    /** The effects that `queries` sees, sorted. Default: the client. */
    effects: async (queries: Queries = client) => {
      const rows = await queries.query('select id from handle_once_effects where starts_with(id, $1::text)', [
        id,
      ]);
      return rows.map(([effect = null]) => effect?.slice(ID_LENGTH) ?? null).toSorted();
    },
  };
}

export type Bench = ReturnType<typeof benchOf>;

/** The tables that the cases write to. */
export async function prepare(client: DatabaseClient): Promise<void> {
  await migrate(client, { schema: SCHEMA });
  await client.execute(`
    create table if not exists handle_once_effects (id text not null);
    create table if not exists ${SCHEMA}.links (
      id text primary key, parent text references ${SCHEMA}.links (id) deferrable initially deferred
    )`);
}

/** The store over the client. The clock of the server cannot be moved: time passes by moving the records back. */
export function storeOver(client: DatabaseClient): ControlledStore {
  return {
    store: createPostgresStore(client, SCHEMA),
    advance: (scope, milliseconds) =>
      client.query(
        `update ${SCHEMA}.records set live_until = live_until - $2::text::float8 * interval '1 millisecond'
        where scope = $1::text`,
        [scope, String(milliseconds)],
      ),
  };
}
