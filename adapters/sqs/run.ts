import { type Clock, endsWithin } from '../../src/adapter-kit.ts';
import { MAX_BATCH } from '../shared/sqs/queue.ts';
import { type Batching, createBatchLanes } from './batch-lanes.ts';
import { createLanes, type LanesOptions, type RunningItem } from './lanes.ts';
import { type ReceivedMessage, messageGroupId, type SqsMessage, toReceivedMessage } from './message.ts';
import { kept, processDelivery, type Processor, returnToQueue } from './process-delivery.ts';
import { createReceiver } from './receiver.ts';
import { seatedTurn } from '../shared/deliver-in-turn.ts';
import { LaneStep } from '../shared/lanes.ts';
import { createVisibilityKeeper, type HeldMessage } from './visibility.ts';
import { storeAnswered } from '../shared/store-health.ts';

export interface RunOptions {
  readonly clock: Clock;
  readonly processor: Processor<unknown>;
  readonly concurrency: number;
  /** Where a handler gets many messages at once. `concurrency` is of batches then. */
  readonly batching: Batching | undefined;
  readonly inTransaction: boolean;
  readonly waitTimeSeconds: number;
  readonly visibilityTimeoutSeconds: number;
  /** Whether a stop may abort a long poll. */
  readonly abortsPolls: boolean;
}

/** What still runs after `stop`. */
export interface StopReport {
  /**
   * Handlers that still run although their signals aborted; for a batch handler, its messages. The messages come back
   * when lease and visibility timeout have passed.
   */
  readonly abandoned: number;
}

/** The longest wait of a receive, and the time that its reply gets beyond it; for a client that does neither. */
const LONGEST_RECEIVE_MS = 40_000;

/**
 * What waits behind its own FIFO group takes no room, or a few slow groups would keep all others waiting: the queue
 * gives the group to no other worker until then. In capacities, in case a queue sends a group twice.
 */
const MOST_BLOCKED = 10;

/** What handlers get, once their signals have aborted, to end and have their messages kept. */
const ABORT_GRACE_MS = 5_000;

/** A worker from start to stop. */
export function startRun(options: RunOptions) {
  const { clock, processor, concurrency, batching } = options;
  const { delivery, queue, events } = processor;
  const { abortsPolls, inTransaction, visibilityTimeoutSeconds: seconds } = options;
  const handled = concurrency * (batching?.size ?? 1);
  // One batch waits in line, so that a free handler does not wait for a receive.
  const capacity = handled + Math.min(handled, Math.max(MAX_BATCH, batching?.size ?? 1));
  const keeper = createVisibilityKeeper(queue, { received: seconds, held: seconds }, events, clock);
  const handlers = new AbortController();
  const returning = new Set<Promise<boolean>>();
  /** The received messages that the store was not called for yet, or has not answered. */
  const untried = new Set<HeldMessage>();
  let runningHandlers = 0;
  let handledAt: Date | undefined;
  let stopping: Promise<void> | undefined;

  const lanesOptions: LanesOptions<HeldMessage> = {
    concurrency,
    groupOf: ({ message }) => (queue.isFifo ? messageGroupId(message) : undefined),
    run,
    giveBack,
    onRoom: () => {
      receiver.pump();
    },
  };
  const bytesOf = ({ message }: HeldMessage): number => Buffer.byteLength(message.Body ?? '');
  const batches = batching && createBatchLanes({ ...lanesOptions, batching, clock, bytesOf });
  const lanes = batches ?? createLanes(lanesOptions);
  const receiver = createReceiver({
    clock,
    queue,
    events,
    waitTimeSeconds: options.waitTimeSeconds,
    abortsPolls,
    visibilityTimeoutSeconds: seconds,
    capacity,
    inFlight: () => lanes.size() - Math.min(lanes.blocked(), MOST_BLOCKED * capacity),
    untried: () => untried.size - lanes.blocked(),
    onMessages,
    onIdle: () => batches?.startNow(),
  });

  function onMessages(messages: readonly SqsMessage[], receivedAt: number): void {
    delivery.look(messages);
    const items = messages.flatMap((message) => {
      const received = receivedOf(message, receivedAt);
      return received === undefined || joins(received) ? [] : [keeper.hold(received)];
    });
    if (stopping !== undefined) giveBack(items);
    else {
      for (const item of items) untried.add(item);
      lanes.add(items);
    }
  }

  /** Undefined for a message that cannot be deleted or made visible. */
  function receivedOf(message: SqsMessage, receivedAt: number): ReceivedMessage | undefined {
    try {
      const received = toReceivedMessage('createSqsWorker', message, receivedAt);
      const count = message.Attributes?.ApproximateReceiveCount;
      const receiveCount = count === undefined ? undefined : Number(count);
      events.emit({ type: 'received', messageId: received.messageId, receiveCount });
      return received;
    } catch (error) {
      const { MessageId } = message;
      const id = MessageId === undefined ? {} : { messageId: MessageId };
      events.emit({ type: 'queue-error', queue: queue.name, verb: 'receive', ...id, error });
      return undefined;
    }
  }

  /** A redelivery of a message that is being handled is the same message: it runs once, and one delete ends it. */
  function joins(received: ReceivedMessage): boolean {
    const isJoined = keeper.join(received);
    if (isJoined) kept(processor, received.messageId, { key: '', reason: 'in-flight' });
    return isJoined;
  }

  const mayStart = (): boolean => stopping === undefined;

  async function run(item: HeldMessage, { step, seat, onHandled, onAnswered }: RunningItem): Promise<void> {
    // Its batch must not wait until its last heartbeat has ended.
    if (!item.isOurs()) onAnswered?.(false);
    await processDelivery(processor, item, {
      signal: handlers.signal,
      turn: seat === undefined ? (step ?? LaneStep.first()).turn(mayStart) : seatedTurn(seat, mayStart),
      onStart() {
        runningHandlers += 1;
        untried.delete(item);
        receiver.storeAnswered(true);
      },
      onHandled() {
        runningHandlers -= 1;
        // A transaction that loses a conflict runs its handler again: it keeps its slot until it has ended.
        if (!inTransaction) onHandled();
      },
      onAnswered(acknowledged, handled) {
        step?.onEnded(acknowledged);
        onAnswered?.(acknowledged);
        onHandled();
        untried.delete(item);
        const answered = handled && storeAnswered(handled);
        if (answered !== undefined) receiver.storeAnswered(answered);
      },
    });
    handledAt = new Date(clock.wall());
  }

  function giveBack(items: readonly HeldMessage[]): void {
    for (const item of items) {
      untried.delete(item);
      const returned = returnToQueue(processor, item).finally(() => returning.delete(returned));
      returning.add(returned);
    }
  }

  async function allEnded(received: Promise<void>): Promise<void> {
    await received;
    await Promise.all(lanes.running());
    await Promise.all(returning);
  }

  async function end(drained: Promise<void>): Promise<void> {
    const received = receiver.stop();
    lanes.clear();
    const ended = allEnded(received);
    const inTime = await Promise.race([ended.then(() => true), drained.then(() => false)]);
    if (!inTime) {
      handlers.abort(new DOMException('the worker is stopping', 'AbortError'));
      if (abortsPolls) receiver.abort();
      else await endsWithin(received, LONGEST_RECEIVE_MS, clock);
      await endsWithin(ended, ABORT_GRACE_MS, clock);
    }
    keeper.stop();
  }

  receiver.pump();
  return {
    health: () => ({
      ...receiver.health(),
      /** When the last message was handled. */
      handledAt,
      /** Messages that wait for a handler, or have one. */
      inFlight: lanes.size(),
    }),
    /** Handlers have time until `drained` resolves. A second call waits for the first. */
    async stop(drained: Promise<void>): Promise<StopReport> {
      stopping ??= end(drained);
      await stopping;
      return { abandoned: runningHandlers };
    },
  };
}

export type Run = ReturnType<typeof startRun>;

export type RunHealth = ReturnType<Run['health']>;
