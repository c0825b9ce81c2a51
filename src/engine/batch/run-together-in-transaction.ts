import { LeaseLostError } from '../../words/errors.ts';
import { rolledBack } from '../../postgres/rolled-back-error.ts';
import type { TransactionalStore } from '../../store/transactional-store.ts';
import { AbandonedError } from '../abandoned.ts';
import {
  createProgress,
  type Progress,
  setBeating,
  transact,
  type Written,
} from '../attempt-in-transaction.ts';
import type { Threw } from '../attempt-ending.ts';
import { conclude, settleBy } from '../run-attempt.ts';
import { abandon, extendUntilAnswered, notStarted, settleUndone } from '../run-in-transaction.ts';
import { settleUntilAnswered } from '../settle-until-answered.ts';
import type { BatchRun } from './batch-run.ts';
import type { CallBatch } from './call-batch.ts';
import { type Met, type Undone, valueOf } from './seat.ts';

/** The handler and the records of a batch in one transaction. */
interface Together extends Pick<Run, 'met'> {
  readonly progress: Progress<unknown>;
  /** The last call of the handler: it never rejects. */
  called: Promise<unknown>;
}

interface Run {
  readonly run: BatchRun;
  readonly met: readonly Met[];
}

/**
 * Runs a batch in one transaction: what its handler wrote and the records of all messages commit together, or none of
 * it does. Then nothing is counted, and the messages run one by one.
 */
export async function runTogetherInTransaction<Tx>(
  store: TransactionalStore<Tx>,
  run: BatchRun,
  met: readonly Met[],
  call: CallBatch,
): Promise<Undone | undefined> {
  const together: Together = { met, progress: createProgress(), called: Promise.resolve() };
  try {
    const written = await transact(store, run, together.progress, async (tx) => {
      const called = call([tx]);
      together.called = called;
      return (await called).map(valueOf);
    });
    await afterCommit(store, together, written);
    return undefined;
  } catch (error) {
    return await afterThrow(store, run, together, error);
  }
}

/** As for one message: some clients hide that a COMMIT was answered with a rollback. */
async function afterCommit(
  store: Pick<TransactionalStore<never>, 'tellsRollback'>,
  together: Together,
  written: readonly Written<unknown>[],
): Promise<void> {
  const [first] = together.met as readonly [Met];
  if (!store.tellsRollback) {
    const { engine, claim, lease } = first.held;
    const extended = await extendUntilAnswered(engine, claim, lease);
    if (extended !== 'lost' || !lease.isCertain()) {
      await afterLostCommit(together, written, rolledBack());
      return;
    }
  }
  endAll(together, written, 'settled');
}

async function afterThrow(
  store: Pick<TransactionalStore<never>, 'isRolledBack' | 'isConflict'>,
  run: BatchRun,
  together: Together,
  error: unknown,
): Promise<Undone | undefined> {
  const { met, progress } = together;
  const { isStarted, written } = progress;
  const threw: Threw = { kind: 'threw', error, interrupted: true };
  if (error instanceof AbandonedError) {
    for (const each of met) each.abandon(() => abandon(each.held, progress, threw), together.called);
    return undefined;
  }
  if (!isStarted) {
    for (const { held, end } of met) end({ error }, () => settleBy(held, notStarted(threw)));
    return undefined;
  }
  if (written !== undefined && !store.isRolledBack(error) && !(error instanceof LeaseLostError)) {
    await afterLostCommit(together, written, error);
    return undefined;
  }
  setBeating(run, true);
  if (store.isConflict(error)) return { met, byConflict: true, error };
  return { met: await stillOurs(met), byConflict: false, error };
}

/** Those whose records are ours: what another worker has must not run here. */
async function stillOurs(met: readonly Met[]): Promise<readonly Met[]> {
  const replies = await Promise.all(
    met.map(({ held: { engine, claim, lease } }) => extendUntilAnswered(engine, claim, lease)),
  );
  return met.filter(({ end }, index) => {
    const isOurs = replies[index] !== 'lost';
    if (!isOurs) end({ error: new LeaseLostError('another worker has taken over the message') });
    return isOurs;
  });
}

/**
 * Finds out what became of a transaction that may have committed, as for one message. It is all or nothing, so that the
 * first certain answer is one for all; a record that is another's by now gives none.
 *
 * Where nothing was committed, the messages are released, uncounted, and do not run here: the settle that was sent with
 * the COMMIT may still land, and only a settle fences it off.
 */
async function afterLostCommit(
  together: Together,
  written: readonly Written<unknown>[],
  error: unknown,
): Promise<void> {
  const { met } = together;
  for (const [index, { held }] of met.entries()) {
    const { engine, claim, lease } = held;
    const extended = await extendUntilAnswered(engine, claim, lease, 'alone');
    if (extended === 'extended') {
      const undone: Threw = { kind: 'threw', error, interrupted: true };
      for (const each of met) each.end({ error }, () => settleUndone(each.held, notStarted(undone)));
      return;
    }
    if (extended === 'unanswered') continue;
    const { settlement } = written[index] as Written<unknown>;
    const { reply } = await settleUntilAnswered(engine, claim, settlement, lease);
    if (reply === 'settled') {
      endAll(together, written, 'settled');
      return;
    }
  }
  endAll(together, written, 'unrecorded');
}

function endAll(
  { met }: Together,
  written: readonly Written<unknown>[],
  reply: 'settled' | 'unrecorded',
): void {
  met.forEach(({ held, end }, index) => {
    const { value, settlement } = written[index] as Written<unknown>;
    end({ value }, () => conclude(held, { kind: 'returned', value }, { reply, settlement }));
  });
}
