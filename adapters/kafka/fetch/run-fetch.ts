import type { BatchOptions, Clock, createTrial, EventSink } from '../../../src/adapter-kit.ts';
import type { BatchHandler } from '../../../src/index.ts';
import type { Assignments } from '../partition/assignments.ts';
import type { Generation } from '../partition/generation.ts';
import type { KafkaEvent } from '../log/events.ts';
import { waitForEnd } from './end-of-fetch.ts';
import { FetchProgress } from './fetch-progress.ts';
import type { Running } from './running.ts';
import { kafkaDelivery } from './kafka-delivery.ts';
import { startKeepAlive } from './keep-alive.ts';
import type { KeyTrial } from './key-trial.ts';
import { commitAtEnd } from './commit-at-end.ts';
import type { Fetch, KafkaMessage, LogConsumer } from '../log/log-client.ts';
import type { LogAdmin } from '../log/log-admin.ts';
import { emitShortened } from '../partition/log-watch.ts';
import { type Ordering, toLanes } from '../options/ordering.ts';
import type { Ownership, PartitionTracker } from '../partition/partition-tracker.ts';
import type { Pauses } from '../partition/pauses.ts';
import { type MessageVerdict, type Processor, processMessage } from './process-message.ts';
import { runBatches, type TakeSlot } from './run-batches.ts';
import { rewindIfSkipped } from './rewind-if-skipped.ts';
import { emitRefusal } from '../partition/refusal.ts';
import type { RetryTopics } from '../retry/retry-topics.ts';
import { idOf } from '../log/place-id.ts';
import type { Slots } from './slots.ts';
import type { Turn } from '../../shared/deliver-in-turn.ts';
import { type LaneStep, runPipelined } from '../../shared/lanes.ts';

/** What all fetches of a consumer share. */
export interface Consumption {
  readonly clock: Clock;
  readonly client: LogConsumer;
  readonly processor: Processor;
  readonly assignments: Assignments;
  readonly pauses: Pauses;
  readonly slots: Slots;
  readonly inTransaction: boolean;
  readonly running: Running<MessageVerdict>;
  readonly keyTrial: KeyTrial;
  readonly trial: Pick<ReturnType<typeof createTrial>, 'look'>;
  readonly events: EventSink<KafkaEvent>;
  readonly ordering: Ordering;
  readonly batch?: BatchOptions | undefined;
  readonly retryTopics?: Pick<RetryTopics, 'split'> | undefined;
  readonly admin?: LogAdmin | undefined;
  readonly drainMs: number;
  readonly rebalanceGraceMs: number;
}

interface FetchRun extends Consumption {
  readonly fetch: Fetch;
  readonly generation: Generation;
  readonly tracker: PartitionTracker;
  readonly ownership: Ownership;
}

/**
 * Handles the messages of one fetch of one partition, and moves the client as far as all of them are acknowledged.
 *
 * It throws only the group's own errors, which make the client join again, and errors that have to stop the consumer. A
 * message that cannot be acknowledged now pauses its partition and is fetched again later: to throw would stop all
 * partitions, and in the end the consumer.
 */
export async function runFetch(consumption: Consumption, fetch: Fetch): Promise<void> {
  const { assignments, pauses, events } = consumption;
  const generation = assignments.generation;
  const tracker = assignments.trackerOf(fetch);
  if (tracker === undefined) return;
  pauses.fetched(fetch);
  const isCurrent = () => !generation.isOver && !fetch.isStale();
  if (await rewindIfSkipped(fetch, { ...consumption, tracker, isCurrent })) {
    if (isCurrent()) withhold(consumption, fetch, [undefined]);
    return;
  }
  beginFetch(tracker, fetch, events);
  const run = { ...consumption, fetch, generation, tracker, ownership: tracker.ownership };
  const mayHandle = await commitFirstPosition(run);
  if (mayHandle) tryFunctions(run);
  const waits = mayHandle ? await handleMessages(run) : [undefined];
  if (!fetch.isRunning()) return;
  generation.interrupted.throwIfAborted();
  if (waits.length > 0 && isCurrent()) withhold(consumption, fetch, waits);
}

/** Gives the fetch to the tracker. Emits an event where it is another log, or does not go on where the last ended. */
function beginFetch(tracker: PartitionTracker, fetch: Fetch, events: EventSink<KafkaEvent>): void {
  const { topic, partition } = fetch;
  const { lastEnd } = tracker;
  if (lastEnd !== undefined && fetch.end < lastEnd) emitShortened(tracker, lastEnd, fetch.end, events);
  const expected = tracker.begin(fetch);
  if (expected === undefined) return;
  const offsets = { expected: String(expected), found: String(fetch.from) };
  events.emit({ type: 'log-changed', topic, partition, reason: 'position-moved', ...offsets });
}

/**
 * Commits where the first fetch of a partition begins. Without that, a member that takes the partition over before
 * anything is acknowledged begins at the end of the partition by default, and what runs here is lost. False where
 * the commit is refused: then nothing may run.
 */
async function commitFirstPosition(run: FetchRun): Promise<boolean> {
  try {
    await run.tracker.commit(run.fetch);
    return true;
  } catch (error) {
    emitRefusal('commit', error, run);
    return false;
  }
}

/** Whether the user's functions work at all is seen on the whole fetch: its first message may be one at fault. */
function tryFunctions({ keyTrial, trial, processor, fetch, ownership }: FetchRun): void {
  const { topic, partition, messages } = fetch;
  keyTrial.look(fetch, messages);
  trial.look(messages, (message) =>
    kafkaDelivery(processor, processor.toOriginal({ topic, partition, message }), ownership),
  );
}

/** Runs the lanes of a fetch. Returns how long each message that could not be acknowledged has to wait. */
async function handleMessages(run: FetchRun): Promise<(number | undefined)[]> {
  const { fetch, pauses, generation, ownership, tracker, batch, ordering } = run;
  const waits: (number | undefined)[] = [];
  const progress = new FetchProgress(run);
  const keepAlive = startKeepAlive(fetch, run);

  function mayStart(): boolean {
    const isCalledBack = generation.interrupted.aborted || ownership.signal.aborted;
    if (generation.isOver || isCalledBack || progress.isHalted || pauses.user.has(fetch)) return false;
    return fetch.isRunning() && !fetch.isStale();
  }

  function settle(message: KafkaMessage, verdict: MessageVerdict): boolean {
    if (verdict === 'not-started') return false;
    if (!verdict.acknowledge) {
      waits.push(verdict.retryAfterMs);
      // Nothing can be claimed: what would come next fails as well.
      if (verdict.reason === 'store-error') progress.halt();
      return false;
    }
    pauses.progress(fetch);
    progress.acknowledge(message);
    return true;
  }

  async function handle(message: KafkaMessage, turn: Turn, take: TakeSlot): Promise<boolean> {
    const start = { turn, takeSlot: take, mayStart, heartbeat: keepAlive.beat };
    return settle(message, await handleMessage(run, message, start));
  }

  const takeSlot = () => run.slots.take(idOf(fetch));
  const handleAlone = (message: KafkaMessage, step: LaneStep) =>
    handle(message, step.turn(mayStart), takeSlot);
  const unacknowledged = progress.unacknowledged();
  const { due, nextAt } = run.retryTopics?.split(tracker, unacknowledged) ?? { due: unacknowledged };
  const isEnded = () => progress.isEnded;
  const lanes = toLanes(due, ordering);
  const handling =
    batch === undefined
      ? Promise.all(lanes.map((lane) => runPipelined(lane, handleAlone, isEnded)))
      : runBatches(due, {
          ...{ ...batch, ordering, lanes, mayStart, isEnded, takeSlot, handle },
          // With the option `batch` it is one.
          handler: run.processor.handler as unknown as BatchHandler<never, never>,
          join: (message) => run.running.known(fetch, message)?.then((verdict) => settle(message, verdict)),
        });
  try {
    await waitForEnd(handling, keepAlive.stopping, run);
  } finally {
    progress.end();
    await keepAlive.end();
  }
  await commitAtEnd({ ...run, through: fetch });
  if (nextAt !== undefined) waits.push(Math.max(0, nextAt - run.clock.monotonic()));
  return waits;
}

interface Start {
  readonly turn: Turn;
  readonly takeSlot: TakeSlot;
  readonly mayStart: () => boolean;
  readonly heartbeat: () => Promise<void>;
}

function handleMessage(
  { inTransaction, running, processor, fetch, pauses, ownership }: FetchRun,
  message: KafkaMessage,
  { turn, takeSlot, mayStart, heartbeat }: Start,
): Promise<MessageVerdict> {
  const { topic, partition } = fetch;
  const pause = (): (() => void) => pauses.pauseByUser(fetch);
  const held = { topic, partition, message, heartbeat, pause, ownership };
  return running.join(fetch, message, async () => {
    const giveBack = await takeSlot();
    try {
      if (!mayStart()) return 'not-started';
      return await processMessage(processor, held, {
        ...turn,
        onReturned() {
          // A transaction that loses a conflict runs its handler again: it keeps its slot until it has ended.
          if (!inTransaction) giveBack();
          turn.onReturned();
        },
      });
    } finally {
      giveBack();
    }
  });
}

function withhold(
  { pauses, events }: Consumption,
  fetch: Fetch,
  waits: readonly (number | undefined)[],
): void {
  const { topic, partition } = fetch;
  const retryAfterMs = pauses.withhold(fetch, waits);
  events.emit({ type: 'partition-paused', topic, partition, retryAfterMs });
}
