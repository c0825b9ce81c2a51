import { randomUUID } from 'node:crypto';
import type { Savepoint } from '../transactional-store.ts';
import { settleIn } from './settle-in.ts';
import { MARK } from './statements/settle-in.ts';
import { overlapped, overlappingCalls, savepointGone, unusableTransaction } from '../unusable-transaction.ts';
import type { DatabaseQueries } from '../../postgres/database-client.ts';
import { sqlState } from '../../postgres/error-layers.ts';
import { readOnlyError, toStoreError } from '../../postgres/failure.ts';

type Tell = (error: unknown) => void;

const UNDER_WAY = Symbol.for('handle-once.within');
const shared = globalThis as Record<symbol, Set<string> | undefined>;
/** The marks of calls that no other call has met yet, of all copies of this package in the process. */
const underWay = (shared[UNDER_WAY] ??= new Set());

/** The same for all calls: until version 17 `pg_stat_statements` has a row for each name. */
const NAME = 'handle_once';
const OVERLAPPING = 'another call of within is under way in this transaction';
const NOT_UNDONE = 'the handler of within has set a savepoint of the same name';

/**
 * In one text, which costs one round trip:
 *
 * - The level and the mode must be what they are already: behind a savepoint the server refuses others. A snapshot that
 *   is older than the claim would not have its record, and the settle would find nothing.
 * - Calls that overlap are refused: a rollback of one would undo what the other has put on record. The server then says
 *   that the text is no number, which also `sql.begin` of `postgres` throws.
 */
const setWith = (mark: string): string =>
  `savepoint ${NAME}; set transaction isolation level read committed, read write; ` +
  `select ${failingUnless(`coalesce(current_setting('${MARK}', true), '') = ''`, OVERLAPPING)}, ` +
  `set_config('${MARK}', '${mark}', true)`;
const RELEASE = `select set_config('${MARK}', '', true); release savepoint ${NAME}`;
/** A mark that is still there has been set before the savepoint: nothing of the transaction may be committed then. */
const undoOf = (mark: string): string =>
  `rollback to savepoint ${NAME}; release savepoint ${NAME}; ` +
  `select ${failingUnless(`current_setting('${MARK}', true) is distinct from '${mark}'`, NOT_UNDONE)}`;
const FIND_MARK = `select current_setting('${MARK}', true)`;

function failingUnless(condition: string, message: string): string {
  return `(case when ${condition} then '0' else '${message}' end)::int`;
}

/** `queriesWith` gives what runs statements in the transaction, and tells when its connection breaks. */
export async function setSavepoint(
  settleStatement: string,
  queriesWith: (onBroken: Tell) => DatabaseQueries,
): Promise<Savepoint> {
  const mark = randomUUID();
  let tell: Tell = () => undefined;
  let hasRun = false;
  const transaction = queriesWith((error) => {
    tell(error);
  });
  await begin(transaction, mark);
  underWay.add(mark);
  return {
    settle: (request, scope) => settleIn(transaction, settleStatement, mark, request, scope),
    async run(work, onBroken) {
      hasRun = true;
      tell = onBroken;
      try {
        const value = await work();
        if (!underWay.has(mark)) throw overlapped();
        await release(transaction);
        return value;
      } catch (error) {
        await quietly(transaction, undoOf(mark));
        throw error;
      } finally {
        underWay.delete(mark);
      }
    },
    async release() {
      if (hasRun) return;
      underWay.delete(mark);
      await quietly(transaction, RELEASE);
    },
  };
}

const NO_TRANSACTION = '25P01';
const NO_SAVEPOINT = '3B001';
const OVERLAPS = '22P02';

async function begin(transaction: DatabaseQueries, mark: string): Promise<void> {
  try {
    await transaction.execute(setWith(mark));
  } catch (error) {
    const state = sqlState(error) ?? '';
    const refusal = REFUSALS[state];
    if (refusal === undefined) throw toStoreError(error);
    if (state !== NO_TRANSACTION) await quietly(transaction, undoOf(mark));
    if (state === OVERLAPS) await spoilOther(transaction);
    throw refusal();
  }
}

/**
 * The call that this one met cannot succeed any more: the caller's own savepoint around this one may lie inside of the
 * other's, and what that handler has written since goes with it when it is rolled back.
 */
async function spoilOther(transaction: DatabaseQueries): Promise<void> {
  const [row] = await transaction.query(FIND_MARK, []).catch(() => []);
  underWay.delete(row?.[0] ?? '');
}

/** What the server refuses the savepoint with, and what the caller is told. */
const REFUSALS: Readonly<Record<string, () => Error>> = {
  [OVERLAPS]: overlappingCalls,
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
    throw savepointGone(error);
  }
}

/** Where it fails nothing of the transaction can be committed any more: what is told instead says more. */
async function quietly(transaction: DatabaseQueries, statement: string): Promise<void> {
  await transaction.execute(statement).catch(() => undefined);
}
