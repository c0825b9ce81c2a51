import type { Attempt, BatchAttempt } from '../../../src/index.ts';
import type { Transaction } from '../models/transactions.ts';
import type { PlannedMessage } from '../plan/plan.ts';
import type { createHandler } from './handler.ts';

/** Does for each message what is planned for it. One that throws undoes the transaction of all, or is marked. */
export async function handleBatch(
  handle: ReturnType<typeof createHandler>,
  messages: readonly PlannedMessage[],
  attempts: readonly (Attempt | BatchAttempt)[],
  transaction?: Transaction,
): Promise<readonly unknown[]> {
  const ends = await Promise.allSettled(
    messages.map((message, index) =>
      handle(message, attempts[index] as Attempt, transaction, { together: messages }),
    ),
  );
  return ends.map((end, index) => {
    if (end.status === 'fulfilled') return end.value;
    const { fail } = attempts[index] as Partial<BatchAttempt>;
    if (fail === undefined) throw end.reason;
    fail(end.reason);
    return undefined;
  });
}
