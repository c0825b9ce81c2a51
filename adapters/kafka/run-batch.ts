import { endsWithin, type EventSink, onAbort, placeOf } from '../../src/adapter-kit.ts';
import type { KafkaEvent } from './events.ts';
import type { InHand } from './in-hand.ts';
import type { BatchPayload, FetchedMessage } from './kafka-client.ts';
import { startKeepAlive } from './keep-alive.ts';
import type { LateCommits } from './late-commits.ts';
import type { Generation, Membership, Tenure } from './membership.ts';
import { type Ordering, toLanes } from './ordering.ts';
import type { Pauses } from './pauses.ts';
import { type Delivery, type Processor, processMessage, type Verdict } from './process-message.ts';
import { type Course, runLane } from './run-lane.ts';
import { createSettledPrefix } from './settled-prefix.ts';
import type { Slots } from './slots.ts';

/** What all batches of a consumer share. */
export interface Consumption {
  readonly processor: Processor;
  readonly membership: Membership;
  readonly pauses: Pauses;
  readonly slots: Slots;
  readonly inHand: InHand<Verdict>;
  readonly lateCommits: LateCommits;
  readonly events: EventSink<KafkaEvent>;
  readonly ordering: Ordering;
  readonly drainMs: number;
}

/** The whole group waits for the slowest member of a rebalance; what takes longer goes on beside it. */
const REBALANCE_GRACE_MS = 2_000;
/** For handlers whose signal has aborted to give up. */
const ABORT_GRACE_MS = 5_000;

/**
 * Handles the messages of one fetch of one partition, and tells the client how far they are settled without a gap.
 *
 * It throws nothing but the group's own errors, which make the client join again. A message that cannot be settled now
 * pauses its partition and is fetched again later: to throw would stop all partitions, and in the end the consumer.
 */
export async function runBatch(consumption: Consumption, payload: BatchPayload): Promise<void> {
  const { membership, events, pauses } = consumption;
  const { topic, partition } = payload.batch;
  const generation = membership.generation();
  const tenure = membership.tenureOf(topic, partition);
  const waits = await handleMessages({ ...consumption, payload, generation, tenure });
  consumption.lateCommits.watch(payload);
  if (!payload.isRunning()) return;
  generation.signal.throwIfAborted();
  if (waits.length === 0 || tenure.isOver()) return;
  const retryAfterMs = pauses.withhold(topic, partition, waits);
  events.emit({ type: 'partition-paused', topic, partition, retryAfterMs });
}

interface BatchRun extends Consumption {
  readonly payload: BatchPayload;
  readonly generation: Generation;
  readonly tenure: Tenure;
}

interface Item {
  readonly message: FetchedMessage;
  readonly index: number;
}

/** Runs the lanes of a batch. Returns how long each message that could not be settled has to wait. */
async function handleMessages(run: BatchRun): Promise<(number | undefined)[]> {
  const { payload, events, pauses, generation, tenure } = run;
  const { topic, partition, messages } = payload.batch;
  const waits: (number | undefined)[] = [];
  let halted = false;
  let live = true;

  function tellSettled(offset: string): void {
    // What settles after its batch is fetched again, and answered from its record.
    if (!live || tenure.isOver()) return;
    try {
      payload.resolveOffset(offset);
    } catch (error) {
      // The client has joined again by itself, and knows nothing of this batch any more.
      events.emit({ type: 'client-error', verb: 'resolve', error });
      halted = true;
    }
  }

  function mayStart(): boolean {
    if (halted || generation.signal.aborted || tenure.signal.aborted) return false;
    return payload.isRunning() && !payload.isStale() && !pauses.isPaused(topic, partition);
  }

  function note({ index }: Item, verdict: Verdict): boolean {
    if (verdict === 'not-started') return false;
    if (verdict !== 'settled') {
      waits.push(verdict.retryAfterMs);
      // Nothing can be claimed: what would come next fails as well.
      if (verdict.reason === 'store-error') halted = true;
      return false;
    }
    pauses.progress(topic, partition);
    prefix.settle(index);
    return true;
  }

  const prefix = createSettledPrefix(messages, tellSettled);
  const keepAlive = startKeepAlive(payload, generation, events);
  const start = (item: Item, turn: Promise<boolean>) =>
    startMessage(run, item.message, { turn, mayStart, heartbeat: keepAlive.beat });
  const items = messages.map((message, index) => ({ message, index }));
  const lanes = toLanes(items, run.ordering).map((lane) => runLane(lane, start, note));
  try {
    await ended(run, Promise.all(lanes), keepAlive.stopping);
  } finally {
    live = false;
    keepAlive.end();
  }
  return waits;
}

/** As Kafka writes it. */
const NO_TIMESTAMP = '-1';

interface Start {
  readonly turn: Promise<boolean>;
  readonly mayStart: () => boolean;
  readonly heartbeat: () => Promise<void>;
}

function startMessage(
  { slots, inHand, processor, payload, pauses, tenure }: BatchRun,
  message: FetchedMessage,
  { turn, mayStart, heartbeat }: Start,
): Course<Verdict> {
  const { topic, partition } = payload.batch;
  const delivery: Delivery = {
    topic,
    partition,
    message: { ...message, timestamp: message.timestamp ?? NO_TIMESTAMP, headers: message.headers ?? {} },
    heartbeat,
    pause: () => pauses.pauseByUser(topic, partition),
  };
  let tellReturned: (returned: true) => void = () => undefined;
  const returned = new Promise<true>((resolve) => {
    tellReturned = resolve;
  });
  const verdict = inHand.join(placeOf(topic, partition, message.offset), async () => {
    const giveBack = await slots.take();
    const isItsTurn = async (): Promise<boolean> => (await turn) && mayStart();
    const onReturned = (): void => {
      giveBack();
      tellReturned(true);
    };
    try {
      if (!mayStart()) return 'not-started';
      return await processMessage(processor, delivery, { signal: tenure.signal, isItsTurn, onReturned });
    } finally {
      giveBack();
    }
  });
  return { returned, verdict };
}

/** Waits for a batch, but no longer than the group and a stop of the consumer can wait. */
async function ended(
  { payload, generation, tenure, membership, drainMs }: BatchRun,
  lanes: Promise<unknown>,
  stopping: Promise<void>,
): Promise<void> {
  let takeOff: (() => void)[] = [];
  const called = new Promise<'called'>((resolve) => {
    const call = (): void => {
      resolve('called');
    };
    takeOff = [generation.signal, tenure.signal].map((signal) => onAbort(signal, call));
    void stopping.then(call);
  });
  const first = await Promise.race([lanes.then(() => 'ended' as const), called]);
  for (const off of takeOff) off();
  if (first === 'ended') return;
  if (payload.isRunning()) await endsWithin(lanes, REBALANCE_GRACE_MS);
  // A stop waits for handlers in a rebalance too: the process may end after it.
  if (payload.isRunning() || (await endsWithin(lanes, drainMs))) return;
  membership.abortAll('the consumer stops');
  await endsWithin(lanes, ABORT_GRACE_MS);
}
