import type { DatabaseClient } from '../postgres/database-client.ts';
import { type SqlClient, toDatabaseClient } from '../postgres/sql-client.ts';

/** One of its kind for all that share a client and its tables: its limits are those of the process. */
/* @__NO_SIDE_EFFECTS__ */
export function sharedByTables<Thing>(
  make: (client: DatabaseClient, schema: string) => Thing,
): (sql: SqlClient, schema: string) => Thing {
  const made = new WeakMap<object, Map<string, Thing>>();
  return (sql, schema) => {
    const ofClient = made.get(sql) ?? new Map<string, Thing>();
    made.set(sql, ofClient);
    const thing = ofClient.get(schema) ?? make(toDatabaseClient(sql), schema);
    ofClient.set(schema, thing);
    return thing;
  };
}
