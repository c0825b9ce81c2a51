import {
  connectionWarning,
  type EventSink,
  handlesOf,
  runLanes,
  type Turn,
  type Verdict,
  verdictEvent,
  warn,
} from '../../src/adapter-kit.ts';
import type { AnyHandleOnce } from '../../src/index.ts';
import { createDeadline, type LambdaContext } from './deadline.ts';
import type { LambdaKeptReason, LambdaRecordEvent } from './events.ts';
import { createTimeCheck } from './time-check.ts';

export interface InvokeOptions {
  readonly handleOnce: AnyHandleOnce;
  readonly concurrency: number;
  readonly inTransaction: boolean;
  readonly deadlineMarginMs: number;
}

export interface Records<Item, Id> {
  readonly idOf: (item: Item) => Id;
  /** Handles one record, in its turn. It must not throw. */
  readonly process: (item: Item, place: RecordPlace) => Promise<Verdict | 'not-started'>;
}

export interface RecordPlace {
  readonly signal: AbortSignal;
  readonly turn: Turn;
}

/**
 * Handles the records of one invocation, and gives those that are not acknowledged when the function has to answer.
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
  { handleOnce, concurrency, inTransaction, deadlineMarginMs }: InvokeOptions,
  events: EventSink<LambdaRecordEvent<Id>>,
): Invoke<Id> {
  const { clock } = handlesOf(handleOnce);
  const { leaseMs, maxConnections, scope } = handleOnce.settings;
  warn(connectionWarning({ scope, maxConnections, concurrency, inTransaction }), events);
  const checkTime = createTimeCheck({ leaseMs, deadlineMarginMs }, events);

  return async function invoke<Item>(
    context: LambdaContext,
    lanes: readonly (readonly Item[])[],
    { idOf, process }: Records<Item, Id>,
  ) {
    checkTime(context.getRemainingTimeInMillis());
    const { signal, hasTime, answerDue, end } = createDeadline(context, deadlineMarginMs, clock);
    const started = new Set<Item>();
    const unacknowledged = new Set(lanes.flat());
    const reported = new Set<Item>();
    let answered = false;

    async function run(item: Item, turn: Turn): Promise<boolean> {
      started.add(item);
      const verdict = await process(item, { signal, turn });
      if (verdict === 'not-started') {
        started.delete(item);
        return false;
      }
      if (!answered) tell(item, inTimeOf(verdict));
      return verdict.acknowledge;
    }

    function tell(item: Item, verdict: Verdict<LambdaKeptReason>): void {
      if (verdict.acknowledge) unacknowledged.delete(item);
      else reported.add(item);
      events.emit({ ...verdictEvent(verdict), itemIdentifier: idOf(item) });
    }

    try {
      await Promise.race([runLanes(lanes, { concurrency, hasTime, run }), answerDue]);
    } finally {
      end();
    }
    answered = true;
    for (const lane of lanes) {
      let isBehind = false;
      for (const item of lane) {
        if (unacknowledged.has(item) && !reported.has(item)) {
          const reason = started.has(item) ? 'unfinished' : isBehind ? 'behind' : 'out-of-time';
          tell(item, { acknowledge: false, key: '', reason });
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
