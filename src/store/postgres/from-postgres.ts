import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasMethods } from '../../options/parse-options.ts';
import type { PostgresClient, PostgresQueries } from './postgres-client.ts';
import type { DatabaseClient, DatabaseQueries, DatabaseRow } from './database-client.ts';
import { notATransaction } from './not-a-transaction.ts';
import { poolSize } from './pool-size.ts';
import { createPreparing } from './preparing.ts';

/** A `postgres` client as a database client. */
export function fromPostgres<Tx>(sql: PostgresClient<Tx>): DatabaseClient<Tx> {
  const ended = new WeakSet<object>();
  const preparing = createPreparing(true);
  return {
    ...queriesOf(sql, preparing),
    maxConnections: poolSize(sql.options?.max),
    begin: (work, onBroken) => begin(sql, ended, work, onBroken),
    in(transaction) {
      if (!hasMethods(transaction, ['unsafe', 'savepoint']))
        throw notATransaction('a transaction of sql.begin');
      // The transactions of this client are its queries, whatever else its types call them.
      const queries = transaction as unknown as PostgresQueries;
      return queriesOf(queries, preparing, async () => {
        // A connection that has just closed is heard of in this turn.
        await nextTurn();
        if (ended.has(queries)) throw connectionBroken();
      });
    },
  };
}

/**
 * - Rows are read raw: column renaming, value transforms and custom parsers of the client do not reach them.
 * - `prepare: true` is only leave to prepare: a client made with `prepare: false` does not.
 */
function queriesOf(
  sql: PostgresQueries,
  preparing: ReturnType<typeof createPreparing>,
  ready?: () => Promise<void>,
): DatabaseQueries {
  return {
    async query(statement, parameters) {
      await ready?.();
      const rows = await preparing((prepare) => sql.unsafe(statement, parameters, { prepare }).raw());
      // Without the places that are empty: after a statement that failed in the middle of its rows `postgres` 3.4.9
      // counts on, and begins those of the next statement behind them.
      return rows.flatMap((row) => [toText(row)]);
    },
    async execute(statements) {
      await ready?.();
      return await sql.unsafe(statements).raw();
    },
  };
}

/** Not row.map: a row transform of the client gets even raw rows, and may have made an object of the array. */
function toText(row: readonly (Buffer | null)[]): DatabaseRow {
  return Object.values(row).map((cell) => (cell === null ? null : cell.toString('utf8')));
}

/** How the work of a transaction ended. */
type Ended<T> = { readonly value: T } | { readonly error: unknown };

/** A transaction of ours. */
interface Begun<T> {
  readonly transaction: object;
  readonly working: Promise<Ended<T>>;
  /** Set when the work has ended. */
  ended?: Ended<T>;
  /** Whether the client has been told how the work ended, and so commits or rolls back. */
  isHandedBack?: boolean;
}

/**
 * Runs work in a transaction, to which nothing is sent once it has ended by its connection: no statement of ours, no
 * commit, no rollback.
 *
 * With `postgres` 3.4.9 a statement on a broken connection is an exception that no code can catch, and a transaction
 * whose work has thrown sends its rollback there. What never settles is not rolled back; the client has given it up.
 */
async function begin<Tx, T>(
  sql: PostgresClient<Tx>,
  ended: WeakSet<object>,
  work: (transaction: Tx) => Promise<T>,
  onBroken: ((error: unknown) => void) | undefined,
): Promise<T> {
  let begun: Begun<T> | undefined;
  const running = sql.begin('', async (transaction) => {
    begun = { transaction: transaction as object, working: endOf(() => work(transaction)) };
    begun.ended = await begun.working;
    // A statement hears of the broken connection before the transaction does.
    await nextTurn();
    if (ended.has(begun.transaction)) await new Promise(() => undefined);
    begun.isHandedBack = true;
    if ('error' in begun.ended) throw begun.ended.error;
  });
  try {
    await running;
  } catch (error) {
    if (begun === undefined) throw error;
    ended.add(begun.transaction);
    if (begun.isHandedBack) throw error;
    if (begun.ended === undefined) onBroken?.(error);
    const end = await begun.working;
    throw 'error' in end ? end.error : error;
  }
  // The client's own promise unwraps arrays of promises: the value must not pass through it.
  return (begun as unknown as { readonly ended: { readonly value: T } }).ended.value;
}

async function endOf<T>(work: () => Promise<T>): Promise<Ended<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

function connectionBroken(): Error {
  return Object.assign(new Error('the connection of the transaction has broken'), {
    code: 'CONNECTION_CLOSED',
  });
}
