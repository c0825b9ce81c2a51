import { runLanes, type Turn, type Verdict } from '../../src/adapter-kit.ts';
import type { Deadline } from './deadline.ts';
import type { LambdaKeptReason } from './events.ts';

/** What became of a record. */
export type RecordVerdict = Verdict<LambdaKeptReason>;

export interface Batch<Item> {
  readonly lanes: readonly (readonly Item[])[];
  readonly concurrency: number;
  readonly deadline: Deadline;
  /** Handles one record, in its turn. It must not throw. */
  readonly process: (item: Item, signal: AbortSignal, turn: Turn) => Promise<RecordVerdict | 'not-started'>;
  /** Called once for each record, before the answer. */
  readonly onVerdict: (item: Item, verdict: RecordVerdict) => void;
}

/**
 * Runs the records of one invocation, and gives those that are not acknowledged when the function has to answer.
 *
 * One that was not started, or still runs, is among them. What settles after the answer is delivered again, and
 * answered from its record.
 */
export async function runBatch<Item>(batch: Batch<Item>): Promise<ReadonlySet<Item>> {
  const { lanes, concurrency, deadline, process, onVerdict } = batch;
  const started = new Set<Item>();
  const unacknowledged = new Set(lanes.flat());
  const reported = new Set<Item>();
  let answered = false;

  async function run(item: Item, turn: Turn): Promise<boolean> {
    started.add(item);
    const verdict = await process(item, deadline.signal, turn);
    if (verdict === 'not-started') {
      started.delete(item);
      return false;
    }
    if (!answered) tell(item, verdict);
    return verdict.acknowledge;
  }

  function tell(item: Item, verdict: RecordVerdict): void {
    if (verdict.acknowledge) unacknowledged.delete(item);
    else reported.add(item);
    onVerdict(item, verdict);
  }

  await Promise.race([runLanes(lanes, { concurrency, hasTime: deadline.hasTime, run }), deadline.answerDue]);
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
  return unacknowledged;
}
