import type { OnExecute, PostgresConnection, PostgresQueries } from './postgres-client.ts';

type Tell = (error: unknown) => void;

interface Watched {
  onBroken: Tell;
  /** Whether its connection is known, and tells. */
  isHeard: boolean;
  /** Of statements that have no answer yet. */
  readonly unanswered: Set<Tell>;
}

/** Hears when connections of transactions break. */
export interface ConnectionWatch {
  /** What a statement is sent with: from then on `onBroken` is called when its connection breaks. */
  watch(queries: PostgresQueries, onBroken: Tell): OnExecute;
  /** The answer to a statement, which rejects when the connection breaks. */
  answer<Answer>(queries: PostgresQueries, answer: PromiseLike<Answer>): PromiseLike<Answer>;
}

/**
 * `postgres` 3.4.9 tells that a connection has broken to what has begun its transaction, and to nothing else. A
 * statement that is sent between the error of a socket and its close never settles. A transaction whose connection has
 * broken is added to `ended`.
 */
export function watchConnections(ended: WeakSet<object>): ConnectionWatch {
  const transactions = new WeakMap<object, Watched>();

  function hear(connection: PostgresConnection, queries: PostgresQueries, watched: Watched): void {
    const { onclose } = connection;
    watched.isHeard = true;
    connection.onclose = (error) => {
      onclose?.(error);
      ended.add(queries);
      watched.onBroken(error);
      for (const reject of watched.unanswered) reject(error);
    };
  }

  return {
    watch(queries, onBroken) {
      // One for a transaction, however many calls are in it: what the earlier ones had in hand is let go of.
      const watched = transactions.get(queries) ?? { onBroken, isHeard: false, unanswered: new Set() };
      watched.onBroken = onBroken;
      transactions.set(queries, watched);
      return (connection) => {
        if (!watched.isHeard) hear(connection, queries, watched);
        return true;
      };
    },
    answer(queries, answer) {
      const unanswered = transactions.get(queries)?.unanswered;
      if (unanswered === undefined) return answer;
      return new Promise((resolve, reject) => {
        unanswered.add(reject);
        const settled = (): boolean => unanswered.delete(reject);
        answer.then(resolve, reject).then(settled, settled);
      });
    },
  };
}
