import type { Savepoint } from '../transactional-store.ts';
import { overlappingCalls, unusableTransaction } from '../unusable-transaction.ts';
import type { DatabaseQueries } from './database-client.ts';
import { sqlState } from './error-layers.ts';
import { readOnlyError, toStoreError } from './failure.ts';

type Tell = (error: unknown) => void;

const NAME = 'handle_once';
/** Whether a call is under way in this transaction. What is rolled back is forgotten with it. */
const MARK = 'handle_once.within';
const OVERLAPPING = 'another call of within is under way in this transaction';

/**
 * In one text, which costs one round trip:
 *
 * - The level and the mode must be what they are already: behind a savepoint the server refuses others. A snapshot that
 *   is older than the claim would not have its record, and the settle would find nothing.
 * - Calls that overlap are refused: a rollback of one would undo what the other has put on record. The server then says
 *   that the text is no number, which also `sql.begin` of `postgres` throws.
 */
const SET =
  `savepoint ${NAME}; set transaction isolation level read committed, read write; ` +
  `select (case coalesce(current_setting('${MARK}', true), '') when '' then '0' else '${OVERLAPPING}' end)::int, ` +
  `set_config('${MARK}', 'on', true)`;
const RELEASE = `select set_config('${MARK}', '', true); release savepoint ${NAME}`;
const UNDO = `rollback to savepoint ${NAME}; release savepoint ${NAME}`;

/** `queriesWith` gives what runs statements in the transaction, and tells when its connection breaks. */
export async function setSavepoint(queriesWith: (onBroken: Tell) => DatabaseQueries): Promise<Savepoint> {
  let tell: Tell = () => undefined;
  let hasRun = false;
  const transaction = queriesWith((error) => {
    tell(error);
  });
  await begin(transaction);
  return {
    async run(work, onBroken) {
      hasRun = true;
      tell = onBroken;
      try {
        const value = await work();
        await release(transaction);
        return value;
      } catch (error) {
        await quietly(transaction, UNDO);
        throw error;
      }
    },
    async release() {
      if (!hasRun) await quietly(transaction, RELEASE);
    },
  };
}

const NO_TRANSACTION = '25P01';
const NO_SAVEPOINT = '3B001';

async function begin(transaction: DatabaseQueries): Promise<void> {
  try {
    await transaction.execute(SET);
  } catch (error) {
    const state = sqlState(error) ?? '';
    const refusal = REFUSALS[state];
    if (refusal === undefined) throw toStoreError(error);
    if (state !== NO_TRANSACTION) await quietly(transaction, UNDO);
    throw refusal();
  }
}

/** What the server refuses the savepoint with, and what the caller is told. */
const REFUSALS: Readonly<Record<string, () => Error>> = {
  '22P02': overlappingCalls,
  '25001': () =>
    unusableTransaction('must be READ COMMITTED and READ WRITE: begin it so, or use inTransaction'),
  // To a standby every transaction is read-only.
  '0A000': readOnlyError,
  [NO_TRANSACTION]: () =>
    unusableTransaction(
      'has ended, or was never begun: call within inside of a transaction, and await it there',
    ),
};

async function release(transaction: DatabaseQueries): Promise<void> {
  try {
    await transaction.execute(RELEASE);
  } catch (error) {
    if (![NO_TRANSACTION, NO_SAVEPOINT].includes(sqlState(error) ?? '')) throw error;
    throw new Error(
      'the handler ended the transaction, or went back to a savepoint from before the call: ' +
        'leave both to the caller of within',
      { cause: error },
    );
  }
}

/** Where it fails nothing of the transaction can be committed any more: what is told instead says more. */
async function quietly(transaction: DatabaseQueries, statement: string): Promise<void> {
  await transaction.execute(statement).catch(() => undefined);
}
