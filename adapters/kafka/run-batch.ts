import { endsWithin, type EventSink, onAbort } from '../../src/adapter-kit.ts';
import type { KafkaEvent } from './events.ts';
import { placeOf } from './identity.ts';
import type { InHand } from './in-hand.ts';
import { type BatchPayload, type FetchedMessage, isMembershipError } from './kafka-client.ts';
import type { Membership, Tenure } from './membership.ts';
import { type Ordering, toLanes } from './ordering.ts';
import type { Pauses } from './pauses.ts';
import { type Delivery, type Processor, processMessage, type Verdict } from './process-message.ts';
import { createSettledPrefix } from './settled-prefix.ts';
import type { Slots } from './slots.ts';

/** What all batches of a consumer share. */
export interface Consumption {
  readonly processor: Processor;
  readonly membership: Membership;
  readonly pauses: Pauses;
  readonly slots: Slots;
  readonly inHand: InHand<Verdict | undefined>;
  readonly events: EventSink<KafkaEvent>;
  readonly ordering: Ordering;
  readonly drainMs: number;
}

/** The client sends a heartbeat only when its own interval is over: to ask more often costs nothing. */
const TICK_MS = 500;
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
  try {
    const tenure = membership.tenureOf(topic, partition);
    const waits = await handleMessages({ ...consumption, payload, generation, tenure });
    if (waits.length > 0 && payload.isRunning() && !generation.aborted && !tenure.isOver()) {
      const retryAfterMs = pauses.withhold(topic, partition, waits);
      events.emit({ type: 'partition-paused', topic, partition, retryAfterMs });
    }
  } catch (error) {
    if (isMembershipError(error)) throw error;
    events.emit({ type: 'client-error', verb: 'batch', error });
    pauses.withhold(topic, partition, [undefined]);
  }
  if (payload.isRunning()) generation.throwIfAborted();
}

interface BatchRun extends Consumption {
  readonly payload: BatchPayload;
  readonly generation: AbortSignal;
  readonly tenure: Tenure;
}

type Wait = number | undefined;

/** Runs the lanes of a batch. Returns how long each message that could not be settled has to wait. */
async function handleMessages(run: BatchRun): Promise<Wait[]> {
  const { payload, pauses, tenure } = run;
  const { topic, partition, messages } = payload.batch;
  const waits: Wait[] = [];
  let halted = false;
  let live = true;
  const prefix = createSettledPrefix(messages, (offset) => {
    // What settles after its batch is fetched again, and answered from its record.
    if (live && !tenure.isOver()) payload.resolveOffset(offset);
  });
  const keepAlive = startKeepAlive(run);

  function mayStart(): boolean {
    if (halted || run.generation.aborted || tenure.signal.aborted) return false;
    return payload.isRunning() && !payload.isStale() && !pauses.isPaused(topic, partition);
  }

  async function runLane(lane: readonly Item[]): Promise<void> {
    for (const { message, index } of lane) {
      const verdict = await handleMessage(run, message, mayStart, keepAlive.beat);
      if (verdict === undefined) return;
      if (verdict !== 'settled') {
        waits.push(verdict.retryAfterMs);
        // Nothing can be claimed: what would come next fails as well.
        if (verdict.reason === 'store-error') halted = true;
        return;
      }
      pauses.progress(topic, partition);
      prefix.settle(index);
    }
  }

  const items = messages.map((message, index) => ({ message, index }));
  try {
    await ended(run, Promise.all(toLanes(items, run.ordering).map(runLane)), keepAlive.stopping);
  } finally {
    live = false;
    keepAlive.end();
  }
  return waits;
}

interface Item {
  readonly message: FetchedMessage;
  readonly index: number;
}

/** Undefined when the message was not started. */
function handleMessage(
  { slots, inHand, processor, payload, pauses, tenure }: BatchRun,
  message: FetchedMessage,
  mayStart: () => boolean,
  heartbeat: () => Promise<void>,
): Promise<Verdict | undefined> {
  const { topic, partition } = payload.batch;
  const delivery: Delivery = {
    topic,
    partition,
    message: { ...message, headers: message.headers ?? {} },
    heartbeat,
    pause: () => pauses.pauseByUser(topic, partition),
  };
  return inHand.join(placeOf(topic, partition, message.offset), () =>
    slots.run(() =>
      mayStart() ? processMessage(processor, delivery, tenure.signal) : Promise.resolve(undefined),
    ),
  );
}

interface KeepAlive {
  /** Sends a heartbeat when it is due, and commits what is settled. Never throws. */
  readonly beat: () => Promise<void>;
  /** Resolves when the consumer begins to stop. */
  readonly stopping: Promise<void>;
  readonly end: () => void;
}

/** Heartbeats on a timer: the client itself sends none while a handler runs, and the group would evict us. */
function startKeepAlive({ payload, membership, events }: BatchRun): KeepAlive {
  let tellStopping: () => void = () => undefined;
  const stopping = new Promise<void>((resolve) => {
    tellStopping = resolve;
  });

  async function beat(): Promise<void> {
    try {
      await payload.heartbeat();
      await payload.commitOffsetsIfNecessary();
    } catch (error) {
      if (isMembershipError(error)) membership.interrupt(error);
      else events.emit({ type: 'client-error', verb: 'heartbeat', error });
    }
  }

  const timer = setInterval(() => {
    if (!payload.isRunning()) tellStopping();
    void beat();
  }, TICK_MS);
  return {
    beat,
    stopping,
    end: () => {
      clearInterval(timer);
    },
  };
}

/** Waits for a batch, but no longer than the group and a stop of the consumer can wait. */
async function ended(
  { generation, tenure, membership, drainMs }: BatchRun,
  lanes: Promise<unknown>,
  stopping: Promise<void>,
): Promise<void> {
  let takeOff: (() => void)[] = [];
  const called = new Promise<'rejoin' | 'stop'>((resolve) => {
    takeOff = [generation, tenure.signal].map((signal) =>
      onAbort(signal, () => {
        resolve('rejoin');
      }),
    );
    void stopping.then(() => {
      resolve('stop');
    });
  });
  const first = await Promise.race([lanes.then(() => 'ended' as const), called]);
  for (const off of takeOff) off();
  if (first === 'rejoin') await endsWithin(lanes, REBALANCE_GRACE_MS);
  if (first === 'stop' && !(await endsWithin(lanes, drainMs))) {
    membership.abortAll('the consumer stops');
    await endsWithin(lanes, ABORT_GRACE_MS);
  }
}
