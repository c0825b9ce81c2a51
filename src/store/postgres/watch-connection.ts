import type { PostgresConnection, PostgresQueries } from './postgres-client.ts';

type OnBroken = (error: unknown) => void;

/** Gives what a statement is sent with, as `onexecute`, to hear when the connection of its transaction breaks. */
export type WatchConnection = (
  queries: PostgresQueries,
  onBroken: OnBroken,
) => (connection: PostgresConnection) => boolean;

/**
 * `postgres` tells that a connection has broken to what has begun its transaction, and to nothing else. A transaction
 * whose connection has broken is added to `ended`.
 */
export function createWatchConnection(ended: WeakSet<object>): WatchConnection {
  const told = new WeakMap<object, OnBroken>();
  return (queries, onBroken) => (connection) => {
    // Once for a transaction, however many calls are in it: what the earlier ones had in hand is let go of.
    if (!told.has(queries)) {
      const { onclose } = connection;
      connection.onclose = (error) => {
        onclose?.(error);
        ended.add(queries);
        told.get(queries)?.(error);
      };
    }
    told.set(queries, onBroken);
    return true;
  };
}
