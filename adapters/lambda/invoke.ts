import {
  connectionWarning,
  type EventSink,
  handlesOf,
  type Turn,
  verdictEvent,
  warn,
} from '../../src/adapter-kit.ts';
import type { AnyHandleOnce } from '../../src/index.ts';
import { createDeadline, type LambdaContext } from './deadline.ts';
import type { LambdaRecordEvent } from './events.ts';
import { type RecordVerdict, runBatch } from './run-batch.ts';
import { createTimeCheck } from './time-check.ts';

export interface InvokeOptions {
  readonly handleOnce: AnyHandleOnce;
  readonly concurrency: number;
  readonly inTransaction: boolean;
  readonly deadlineMarginMs: number;
}

export interface Records<Item, Id> {
  readonly idOf: (item: Item) => Id;
  readonly process: (item: Item, signal: AbortSignal, turn: Turn) => Promise<RecordVerdict | 'not-started'>;
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
  const { clock } = handlesOf(handleOnce);
  const { leaseMs, maxConnections } = handleOnce.settings;
  warn(connectionWarning({ maxConnections, concurrency, inTransaction }), events);
  const checkTime = createTimeCheck({ leaseMs, deadlineMarginMs }, events);

  return async function invoke(context, lanes, { idOf, process }) {
    checkTime(context.getRemainingTimeInMillis());
    const deadline = createDeadline(context, deadlineMarginMs, clock);
    try {
      const unacknowledged = await runBatch({
        lanes,
        concurrency,
        deadline,
        process,
        onVerdict: (item, verdict) => {
          events.emit({ ...verdictEvent(verdict), itemIdentifier: idOf(item) });
        },
      });
      return [...unacknowledged].map((item) => ({ itemIdentifier: idOf(item) }));
    } finally {
      deadline.end();
    }
  };
}
