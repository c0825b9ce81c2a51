import type { SqlClient } from '../../../src/index.ts';
import { createPostgresStore } from '../../../src/store/postgres/index.ts';
import { toDatabaseClient } from '../../../src/postgres/sql-client.ts';
import type { ControlledStore } from '../../../testing/contracts/store/actor.ts';

/** Without an interval: Citus, whose store has the same contract, subtracts none from a column. */
function earlier(column: string): string {
  return `to_timestamp(date_part('epoch', ${column} - to_timestamp(0)) - $2::text::float8 / 1000)`;
}

/** Tests hold locks until all that should wait for them do, however busy the machine is. */
const LOCK_WAIT_MS = 30_000;

/**
 * The Postgres store over `client`. The database's clock cannot be moved: time passes by moving the records back;
 * `admin` does that, where `client` itself is what is tested.
 */
export function controlledPostgresStore(admin: SqlClient, client: SqlClient = admin): ControlledStore {
  return {
    store: createPostgresStore(client, 'handle_once', LOCK_WAIT_MS),
    async advance(scope, milliseconds) {
      const moveBack = `
        update handle_once.records
        set live_until = ${earlier('live_until')}, created_at = ${earlier('created_at')}
        where scope = $1::text`;
      await toDatabaseClient(admin).query(moveBack, [scope, String(milliseconds)]);
    },
  };
}
