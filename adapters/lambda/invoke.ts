import { connectionWarning, type EventSink, warn } from '../../src/adapter-kit.ts';
import type { HandleOnceSettings } from '../../src/index.ts';
import { createDeadline, type LambdaContext } from './deadline.ts';
import type { LambdaRecordEvent } from './events.ts';
import { runBatch, type Verdict } from './run-batch.ts';
import { createTimeCheck } from './time-check.ts';

export interface InvokeOptions {
  readonly handleOnce: { readonly settings: HandleOnceSettings };
  readonly concurrency: number;
  readonly inTransaction: boolean;
  readonly deadlineMarginMs: number;
}

export interface Records<Item, Id> {
  readonly idOf: (item: Item) => Id;
  readonly process: (item: Item, signal: AbortSignal) => Promise<Verdict>;
}

/** Handles the records of one invocation. Gives those that have to be delivered again, in time for the answer. */
export type Invoke<Id> = <Item>(
  context: LambdaContext,
  lanes: readonly (readonly Item[])[],
  records: Records<Item, Id>,
) => Promise<{ itemIdentifier: Id }[]>;

export function createInvoke<Id>(
  { handleOnce, concurrency, inTransaction, deadlineMarginMs }: InvokeOptions,
  events: EventSink<LambdaRecordEvent<Id>>,
): Invoke<Id> {
  const { leaseMs, maxConnections } = handleOnce.settings;
  warn(connectionWarning({ maxConnections, concurrency, inTransaction }), events);
  const checkTime = createTimeCheck({ leaseMs, deadlineMarginMs }, events);

  function tell(itemIdentifier: Id, verdict: Verdict): void {
    const { key } = verdict;
    if (verdict.settled) {
      events.emit({ type: 'settled', itemIdentifier, key });
      return;
    }
    const { reason } = verdict;
    const error = 'error' in verdict ? { error: verdict.error } : {};
    events.emit({ type: 'reported', itemIdentifier, key, reason, ...error });
  }

  return async (context, lanes, { idOf, process }) => {
    checkTime(context.getRemainingTimeInMillis());
    const deadline = createDeadline(context, deadlineMarginMs);
    try {
      const unsettled = await runBatch({
        lanes,
        concurrency,
        deadline,
        process,
        onVerdict: (item, verdict) => {
          tell(idOf(item), verdict);
        },
      });
      return [...unsettled].map((item) => ({ itemIdentifier: idOf(item) }));
    } finally {
      deadline.end();
    }
  };
}
