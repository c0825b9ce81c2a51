import { readFile } from 'node:fs';
import { StoreError } from '../words/errors.ts';
import type { TransactionGate } from './transaction-gate.ts';
import { endOf, type Ended, valueOf } from './ended.ts';

/** A query of `postgres` 3.4.9, which calls its handler once, to be sent. */
interface DriverQuery extends PromiseLike<unknown> {
  handler: { (query: DriverQuery): unknown; debug?: unknown };
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
  catch(listener: () => void): unknown;
  execute(): unknown;
  simple(): unknown;
  strings: readonly string[];
  cursorFn?: CursorStep;
}

const COPY = /^\s*copy\s/i;

/** Takes rows of a cursor. When its promise resolves `postgres` asks for more. */
type CursorStep = (rows: unknown) => unknown;

type Call = (...given: unknown[]) => unknown;

interface DriverTransaction extends Call {
  readonly unsafe: Call;
  readonly file: Call;
  readonly savepoint: (...given: unknown[]) => Promise<unknown>;
}

/**
 * A transaction of `postgres` into which nothing is sent when its gate has closed: each statement is rejected instead.
 *
 * A transaction of `postgres` 3.4.9 keeps its connection object, which has no socket after a break, and then the next
 * socket of the pool. A statement that is sent there throws past all callers, or runs in the transaction of another
 * caller, as does the rollback of a savepoint whose work throws.
 */
export function guardedTransaction<Tx>(transaction: Tx, gate: TransactionGate): Tx {
  return guard(transaction as DriverTransaction, gate) as Tx;
}

function guard(transaction: DriverTransaction, gate: TransactionGate): DriverTransaction {
  return new Proxy(transaction, {
    apply: (target, _, given: unknown[]) => guardQuery(target(...given), gate),
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      switch (name) {
        case 'unsafe':
          return (...given: unknown[]) => guardQuery(target.unsafe(...given), gate);
        case 'file':
          return (...given: unknown[]) => guardFile(target, given, gate);
        case 'savepoint':
          return (...given: unknown[]) => guardSavepoint(target, given, gate);
        case 'notify':
          return (channel: unknown, payload: unknown) => guardNotify(target, channel, payload, gate);
        case 'prepare':
          return refusePrepare;
        default:
          return member;
      }
    },
  });
}

/** A fragment has a handler too, which is never called. A name or a list of values has none. */
function guardQuery(made: unknown, gate: TransactionGate): unknown {
  const query = made as DriverQuery | undefined;
  if (typeof query?.handler !== 'function') return made;
  const send = query.handler;
  query.handler = Object.assign(() => void sendIfOpen(query, send, gate), { debug: send.debug });
  return query;
}

/** Its own is sent on another connection of the pool, and is delivered whatever becomes of the transaction. */
function guardNotify(
  target: DriverTransaction,
  channel: unknown,
  payload: unknown,
  gate: TransactionGate,
): unknown {
  const query = target`select pg_notify(${channel}, ${String(payload)})`;
  return (guardQuery(query, gate) as DriverQuery).execute();
}

function refusePrepare(): never {
  throw new StoreError(
    'a transaction of inTransaction cannot be prepared (PREPARE TRANSACTION): it commits with its record',
    { retriable: false },
  );
}

/** Its own handler would ask the gate, then read the file, and then send. */
function guardFile(target: DriverTransaction, given: unknown[], gate: TransactionGate): unknown {
  const query = target.file(...given) as DriverQuery;
  const { handler: send } = target.unsafe('') as DriverQuery;
  query.handler = () => {
    readFile(given[0] as string, 'utf8', (error, text) => {
      if (error !== null) {
        query.reject(error);
        return;
      }
      query.strings = [text];
      void sendIfOpen(query, send, gate);
    });
  };
  return query;
}

async function sendIfOpen(
  query: DriverQuery,
  send: DriverQuery['handler'],
  gate: TransactionGate,
): Promise<void> {
  try {
    await gate.pass();
  } catch (error) {
    // As of one that was sent: where nobody waits for it, its error does not end the process.
    query.catch(() => undefined);
    query.reject(error);
    return;
  }
  if (query.cursorFn !== undefined) guardCursor(query, query.cursorFn, gate);
  // One FROM STDIN that is sent otherwise never ends.
  if (COPY.test(query.strings[0] ?? '')) query.simple();
  gate.expectAnswer(query);
  send(query);
}

/**
 * An iterator sets a step of its own for each batch. When the gate closes, a step that `postgres` waits for is cut off:
 * what is sent behind the cursor would wait for its reader.
 */
function guardCursor(query: DriverQuery, first: CursorStep, gate: TransactionGate): void {
  let step = first;
  let cutOff: ((refusal: unknown) => void) | undefined;
  let refusal: unknown;
  const take = async (rows: unknown): Promise<unknown> => {
    const closed = new Promise<never>((_, reject) => {
      cutOff = reject;
    });
    const taken = await Promise.race([(async () => await step(rows))(), closed]);
    await gate.pass();
    return taken;
  };
  gate.whenClosed().catch((closed: unknown) => {
    refusal = closed;
    cutOff?.(closed);
  });
  Object.defineProperty(query, 'cursorFn', {
    get: () => (rows: unknown) => {
      const taken = take(rows).catch(async (error: unknown) => {
        await gate.stayIfBroken();
        if (refusal !== undefined) endReading(query, refusal);
        throw error;
      });
      // For the last rows no caller waits: a rejection must not end the process.
      taken.catch(() => undefined);
      return taken;
    },
    set: (next: CursorStep) => {
      step = next;
      // The iterator sets what rejects it after this.
      if (refusal === undefined) return;
      queueMicrotask(() => {
        query.reject(refusal);
      });
    },
  });
}

/** One that counts as active has its iterator ask for more, and that is refused: it would end as if all were read. */
function endReading(query: DriverQuery, refusal: unknown): void {
  query.reject(refusal);
  Object.assign(query, { active: true, resolve: () => undefined, reject: () => undefined });
}

function guardSavepoint(
  target: DriverTransaction,
  given: unknown[],
  gate: TransactionGate,
): Promise<unknown> {
  const running = runSavepoint(target, given, gate);
  // As a statement that nobody waits for, one that is cut off does not end the process.
  void gate.whenClosed().catch(() => running.catch(() => undefined));
  return running;
}

/** With a name or without, or as a tag for a single statement. After a break it rejects when its work has ended. */
async function runSavepoint(
  transaction: DriverTransaction,
  given: unknown[],
  gate: TransactionGate,
): Promise<unknown> {
  const [name] = given;
  const work = isTemplate(name) ? (inner: DriverTransaction) => inner(...given) : (given.at(-1) as Call);
  let working: Promise<Ended<unknown>> | undefined;
  const run = async (inner: DriverTransaction): Promise<unknown> => {
    working = endOf(async () => {
      const made = work(guard(inner, gate));
      return await (Array.isArray(made) ? Promise.all(made) : made);
    });
    const ended = await working;
    if ('error' in ended) await gate.endCopy();
    await gate.stayIfClosed();
    return valueOf(ended);
  };
  await gate.pass();
  const running = typeof name === 'string' ? transaction.savepoint(name, run) : transaction.savepoint(run);
  const closed = gate.whenClosed().catch(async (refusal: unknown) => {
    if (working !== undefined) valueOf(await working);
    throw refusal;
  });
  return await Promise.race([running, closed]);
}

function isTemplate(value: unknown): boolean {
  return Array.isArray((value as Partial<TemplateStringsArray> | null | undefined)?.raw);
}
