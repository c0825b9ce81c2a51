import {
  type AnyBatchHandler,
  type BatchOptions,
  type EventSink,
  clockOf,
  type Hold,
  type Verdict,
  verdictEvent,
} from '../../src/adapter-kit.ts';
import { connectionWarning } from '../shared/connection-warning.ts';
import { warn } from '../shared/warn.ts';
import type { AnyHandleOnce } from '../../src/index.ts';
import { createDeadline, type LambdaContext } from './deadline.ts';
import type { LambdaKeptReason, LambdaRecordEvent } from './events.ts';
import { runBatches } from '../shared/run-batches.ts';
import { createTimeCheck } from './time-check.ts';
import { runLanes } from '../shared/lanes.ts';
import type { Turn } from '../shared/deliver-in-turn.ts';

export interface InvokeOptions {
  readonly handleOnce: AnyHandleOnce;
  readonly concurrency: number;
  readonly inTransaction: boolean;
  readonly deadlineMarginMs: number;
  readonly batch?: BatchOptions | undefined;
  /** With `batch` one of batches. */
  readonly handler: unknown;
}

export interface Records<Item, Id> {
  readonly idOf: (item: Item) => Id;
  /** Whether a batch may have records of many lanes. */
  readonly mixesLanes: boolean;
  /** Handles one record, in its turn. It must not throw. */
  readonly process: (item: Item, context: RecordContext) => Promise<Verdict | 'not-started'>;
}

export interface RecordContext {
  readonly turn: Turn;
  readonly signal: AbortSignal;
  /** Whether Lambda has no answer yet: after it the record is delivered again. */
  readonly hold: Pick<Hold, 'isOurs'>;
}

/**
 * Handles the records of one invocation, and returns those not acknowledged when the function has to answer.
 *
 * One that was not started, or still runs, is among them. What settles after the answer is delivered again, and
 * answered from its record.
 */
export type Invoke<Id> = <Item>(
  context: LambdaContext,
  lanes: readonly (readonly Item[])[],
  records: Records<Item, Id>,
) => Promise<{ itemIdentifier: Id }[]>;

export function createInvoke<Id>(
  { handleOnce, concurrency, inTransaction, deadlineMarginMs, batch, handler }: InvokeOptions,
  events: EventSink<LambdaRecordEvent<Id>>,
): Invoke<Id> {
  const clock = clockOf(handleOnce);
  const { leaseMs, maxConnections, scope } = handleOnce.settings;
  warn(connectionWarning({ scope, maxConnections, concurrency, inTransaction }), events);
  const checkTime = createTimeCheck({ leaseMs, deadlineMarginMs }, events);

  return async function invoke<Item>(
    context: LambdaContext,
    lanes: readonly (readonly Item[])[],
    { idOf, mixesLanes, process }: Records<Item, Id>,
  ) {
    checkTime(context.getRemainingTimeInMillis());
    const { signal, hasTime, answerDue, end } = createDeadline(context, deadlineMarginMs, clock);
    const started = new Set<Item>();
    const unacknowledged = new Set(lanes.flat());
    const reported = new Set<Item>();
    let answered = false;
    const hold = { isOurs: () => !answered };

    function runInTurn(item: Item, turn: Turn): Promise<boolean> {
      // The next of its lane would begin a transaction beside it, and concurrency bounds those that are open.
      return run(item, inTransaction ? { ...turn, onReturned: () => undefined } : turn);
    }

    async function run(item: Item, turn: Turn): Promise<boolean> {
      started.add(item);
      const verdict = await process(item, { signal, hold, turn });
      if (verdict === 'not-started') {
        started.delete(item);
        return false;
      }
      if (!answered) emit(item, inTimeOf(verdict));
      return verdict.acknowledge;
    }

    function emit(item: Item, verdict: Verdict<LambdaKeptReason>): void {
      if (verdict.acknowledge) unacknowledged.delete(item);
      else reported.add(item);
      events.emit({ ...verdictEvent(verdict), itemIdentifier: idOf(item) });
    }

    function runAll(): Promise<void> {
      if (batch === undefined) return runLanes(lanes, { concurrency, hasTime, run: runInTurn });
      return runBatches(lanes, {
        handler: handler as AnyBatchHandler,
        size: batch.size,
        mixesLanes,
        concurrency,
        hasTime,
        run,
      });
    }

    try {
      await Promise.race([runAll(), answerDue]);
    } finally {
      end();
    }
    answered = true;
    for (const lane of lanes) {
      let isBehind = false;
      for (const item of lane) {
        if (unacknowledged.has(item) && !reported.has(item)) {
          const reason = started.has(item) ? 'unfinished' : isBehind ? 'behind' : 'out-of-time';
          emit(item, { acknowledge: false, key: '', reason });
        }
        isBehind ||= unacknowledged.has(item);
      }
    }
    return [...unacknowledged].map((item) => ({ itemIdentifier: idOf(item) }));
  };
}

/** Only the end of the invocation aborts a record. */
function inTimeOf(verdict: Verdict): Verdict<LambdaKeptReason> {
  if (verdict.acknowledge) return verdict;
  const { reason } = verdict;
  return { ...verdict, reason: reason === 'aborted' ? 'out-of-time' : reason };
}
