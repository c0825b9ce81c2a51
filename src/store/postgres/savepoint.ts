import { InvalidOptionsError } from '../../api/errors.ts';
import type { Savepoint } from '../transactional-store.ts';
import type { DatabaseQueries } from './database-client.ts';
import { sqlState } from './error-layers.ts';
import { toStoreError } from './failure.ts';

type Tell = (error: unknown) => void;

const NAME = 'handle_once';
const RELEASE = `release savepoint ${NAME}`;
const UNDO = `rollback to savepoint ${NAME}; ${RELEASE}`;

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
        await transaction.execute(RELEASE);
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

/**
 * The level must be what it is already: behind a savepoint the server refuses each other. That costs no round trip. A
 * snapshot that is older than the claim would not have its record, and the settle would find nothing.
 */
async function begin(transaction: DatabaseQueries): Promise<void> {
  try {
    await transaction.execute(`savepoint ${NAME}; set transaction isolation level read committed`);
  } catch (error) {
    const state = sqlState(error) ?? '';
    const message = UNUSABLE[state];
    if (message === undefined) throw toStoreError(error);
    if (state === OTHER_LEVEL) await quietly(transaction, UNDO);
    throw new InvalidOptionsError('within', [{ field: 'transaction', message }]);
  }
}

const OTHER_LEVEL = '25001';

/** What the server refuses the savepoint with, and what the caller is told. */
const UNUSABLE: Readonly<Record<string, string>> = {
  [OTHER_LEVEL]: 'must be READ COMMITTED: begin it at that level, or use inTransaction',
  '25P01': 'has ended, or was never begun: call within inside of a transaction, and await it there',
};

/** Where it fails nothing of the transaction can be committed any more: what is told instead says more. */
async function quietly(transaction: DatabaseQueries, statement: string): Promise<void> {
  await transaction.execute(statement).catch(() => undefined);
}
