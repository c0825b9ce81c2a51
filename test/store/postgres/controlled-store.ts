import type postgres from 'postgres';
import type { PostgresClient } from '../../../src/index.ts';
import { createPostgresStore } from '../../../src/store/postgres/index.ts';
import type { ControlledStore } from '../contract/actor.ts';

/**
 * The Postgres store over `client`. Nobody can move the database's clock, so time passes by moving the records back;
 * `admin` does that, where `client` itself is what is tested.
 */
export function controlledPostgresStore(
  admin: postgres.Sql,
  client: PostgresClient = admin,
): ControlledStore {
  return {
    store: createPostgresStore(client, 'handle_once'),
    async advance(scope, milliseconds) {
      await admin`
        update handle_once.records set live_until = live_until - ${milliseconds}::float8 * interval '1 millisecond'
        where scope = ${scope}`;
    },
  };
}
