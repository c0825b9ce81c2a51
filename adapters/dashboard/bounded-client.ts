import type { DatabaseClient, DatabaseQueries } from '../../src/postgres/database-client.ts';
import { limitedClient } from '../../src/store/postgres/limited-client.ts';

/** A page is looked at by a person, who waits no longer. */
const PAGE_MS = 5_000;
/** A connection can hang, where the limits of the server do not help. */
export const REPLY_TIMEOUT_MS = 8_000;
/** A record that a worker has locked is not waited for. */
const LOCK_MS = 250;

/**
 * The same client with each statement in a transaction of its own, which the server ends after a time, and in which it
 * refuses to write. Another process never waits for a page.
 */
export function readingClient(client: DatabaseClient, timeoutMs: number = PAGE_MS): DatabaseClient {
  const inTransaction = <T>(work: (queries: DatabaseQueries) => Promise<T>): Promise<T> =>
    client.begin(async (transaction) => {
      const queries = client.in(transaction);
      await queries.execute(limits(timeoutMs, ', read only'));
      return await work(queries);
    });
  return {
    query: (statement, parameters) => inTransaction((queries) => queries.query(statement, parameters)),
    execute: (statements) => inTransaction((queries) => queries.execute(statements)),
    begin: (work, onBroken) => client.begin(work, onBroken),
    in: (transaction) => client.in(transaction),
  };
}

/** Does work in one transaction with the same limits: what it changes is on record as a whole, or not at all. */
export function changing<T>(client: DatabaseClient, work: (client: DatabaseClient) => Promise<T>) {
  return limitedClient(client, REPLY_TIMEOUT_MS).begin(async (transaction) => {
    const queries = client.in(transaction);
    await queries.execute(limits(PAGE_MS));
    return await work({
      query: (statement, parameters) => queries.query(statement, parameters),
      execute: (statements) => queries.execute(statements),
      begin: () => Promise.reject(new Error('a transaction is open')),
      in: () => queries,
    });
  });
}

/** The first statement of a transaction. */
function limits(timeoutMs: number, access = ''): string {
  return `set transaction isolation level read committed${access}; set local statement_timeout = ${timeoutMs};
    set local lock_timeout = ${LOCK_MS}; set local idle_in_transaction_session_timeout = ${PAGE_MS}`;
}
