import { isReadTimeout } from '../../src/adapter-kit.ts';
import type { StoreError } from '../../src/index.ts';
import { type End, isEnd, type LateStatements, rejected } from './late-statements.ts';
import type { PgConnection } from './pg-pool.ts';
import { commit, type PgQueryable } from './pg-query.ts';

/** A connection of `pg` that its pool drops once it has ended. */
export interface EndingConnection extends PgConnection {
  /** Closes it, also while a statement is under way. */
  end(): Promise<void>;
}

/**
 * A connection of `pg` that sends nothing for a handler that has returned or thrown. `release` does nothing: the
 * connection goes back to its pool at the end of the transaction.
 *
 * `onEnd` may answer in place of the connection.
 */
export function guardedConnection<Connection extends object>(
  connection: Connection,
  late: LateStatements,
  onEnd: (statement: unknown) => Promise<unknown> | undefined = () => undefined,
): Connection {
  return new Proxy(connection, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name === 'release') return () => undefined;
      if (name !== 'query') return member;
      return (...given: unknown[]) => {
        const text = textOf(given[0]);
        const answer = onEnd(text);
        if (answer !== undefined) return answered(given, answer);
        const refusal = late.endBy(text) === undefined ? late.refusal() : undefined;
        return refusal === undefined ? (member as Query).apply(target, given) : refused(given, refusal);
      };
    },
  });
}

/**
 * Puts the guard on a connection itself, until its library ends the transaction. Returns what sends to it without the
 * guard.
 *
 * `isCompleted`: whether the library gives the connection back, also where the handler has ended the transaction by a
 * method of the library. It is another caller's then.
 */
export function guardUntilEnd(
  connection: EndingConnection,
  late: LateStatements,
  isCompleted: () => boolean,
): PgQueryable {
  const send = connection.query.bind(connection);
  const hasOwn = Object.hasOwn(connection, 'query');

  function removeGuard(): void {
    if (hasOwn) connection.query = send;
    else delete (connection as Partial<EndingConnection>).query;
  }

  async function sendOwnEnd(text: string): Promise<unknown> {
    try {
      return await send({ text });
    } finally {
      if (isCompleted()) removeGuard();
    }
  }

  const guard = (...given: unknown[]): unknown => {
    const text = textOf(given[0]);
    const end = late.endBy(text);
    if (end !== undefined) {
      // The library refuses what comes after.
      removeGuard();
      return answered(given, endTransaction({ query: send, end: () => connection.end() }, end));
    }
    const refusal = late.refusal();
    if (refusal !== undefined) return refused(given, refusal);
    return isEnd(text) ? answered(given, sendOwnEnd(text)) : (send as Query)(...given);
  };
  connection.query = guard as typeof send;
  return { query: (query) => (isCompleted() ? rejected(outsideTransaction()) : send(query)) };
}

/**
 * Ends the transaction of a connection. Where that gets no answer the connection is closed: its next caller would be in
 * the transaction.
 */
export async function endTransaction(
  connection: Pick<EndingConnection, 'query' | 'end'>,
  end: End,
): Promise<unknown> {
  try {
    return await (end === 'commit' ? commit(connection) : connection.query({ text: end }));
  } catch (error) {
    closeIfUnanswered(connection, error);
    throw error;
  }
}

/** After its `query_timeout` `pg` takes a statement that waits out of its queue, and never sends it. */
function closeIfUnanswered(connection: Pick<EndingConnection, 'end'>, error: unknown): void {
  if (isReadTimeout(error)) connection.end().catch(() => undefined);
}

/** As the database answers a settle outside of its transaction. */
function outsideTransaction(): Error {
  return Object.assign(new Error('the transaction has ended'), { code: '2201F' });
}

type Query = (...given: unknown[]) => unknown;
type Callback = (error: unknown, result?: unknown) => void;

function refused(given: readonly unknown[], refusal: StoreError): unknown {
  return answered(given, rejected(refusal));
}

/** As `pg` answers: to a callback where there is one. */
function answered(given: readonly unknown[], answer: Promise<unknown>): Promise<unknown> | undefined {
  const callback = given.at(-1);
  if (typeof callback !== 'function') return answer;
  answer.then((result) => {
    (callback as Callback)(null, result);
  }, callback as Callback);
  return undefined;
}

function textOf(query: unknown): unknown {
  return typeof query === 'string' ? query : (query as { text?: unknown } | undefined)?.text;
}
