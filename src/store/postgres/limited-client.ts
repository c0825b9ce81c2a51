import { systemClock } from '../../lib/clock.ts';
import type { DatabaseClient } from '../../postgres/database-client.ts';
import { createReplyLimit } from '../reply-in-time.ts';

/** The same client with a time limit for statements and transactions: a connection can hang. */
export function limitedClient<Tx>(client: DatabaseClient<Tx>, timeoutMs: number): DatabaseClient<Tx> {
  const inTime = createReplyLimit(timeoutMs, systemClock);
  return {
    ...client,
    query: (statement, parameters) => inTime(client.query(statement, parameters)),
    execute: (statements) => inTime(client.execute(statements)),
    begin: (work, onBroken) => inTime(client.begin(work, onBroken)),
    in: (transaction) => client.in(transaction),
  };
}
