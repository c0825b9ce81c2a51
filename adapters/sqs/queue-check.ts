import { type EventSink, toStoredError, type Warning, warn } from '../../src/adapter-kit.ts';
import type { SqsOnFailed } from '../shared/sqs/queue-options.ts';
import { letterQueueWarning } from '../shared/sqs/letter-queue-check.ts';
import {
  fifoRedriveFault,
  noRedrivePolicy,
  redriveMovesGroup,
  unreadableQueue,
} from '../shared/sqs/queue-redrive.ts';
import {
  isAboveLease,
  leaseFault,
  longerThanLease,
  type QueueFacts,
  queueFacts,
  queueWarnings,
} from '../shared/sqs/queue-settings.ts';
import { type HandleOnceSettings, InvalidOptionsError } from '../../src/index.ts';
import type { SqsEvent, SqsWarning } from './events.ts';
import type { Queue } from './queue.ts';

/** Its names in the SDK, and in servers that speak the older protocol. */
const NO_SUCH_QUEUE = /QueueDoesNotExist$|NonExistentQueue$/;

export function isNoSuchQueue(error: unknown): boolean {
  return NO_SUCH_QUEUE.test(toStoredError(error, 0).name);
}

/** Throws `InvalidOptionsError`: a redelivery must not come while the lease of a dead worker still runs. */
export function checkLease(subject: string, leaseMs: number, visibilityTimeoutSeconds: number): void {
  if (isAboveLease(visibilityTimeoutSeconds, leaseMs)) return;
  const field = 'visibilityTimeoutSeconds';
  throw invalidOption(subject, field, leaseFault(field, visibilityTimeoutSeconds, leaseMs));
}

function invalidOption(subject: string, field: string, message: string): InvalidOptionsError {
  return new InvalidOptionsError(subject, [{ field, message }]);
}

export interface QueueCheck {
  readonly subject: string;
  readonly queue: Queue;
  readonly settings: HandleOnceSettings;
  readonly events: EventSink<SqsEvent>;
  /** The options as they were given. */
  readonly visibilityTimeoutSeconds: number | undefined;
  readonly onFailed: SqsOnFailed | undefined;
  /** Whether its receives say how long messages are invisible: then the queue's own timeout does not matter. */
  readonly ownsReceives: boolean;
}

/** How long messages are invisible, in seconds. */
export interface VisibilityTimeouts {
  /** After a receive that does not say. */
  readonly received: number;
  /** After a heartbeat, and after a receive of the worker's own. */
  readonly held: number;
}

export interface CheckedQueue {
  readonly timeouts: VisibilityTimeouts;
  /** Undefined where it has no redrive policy, or its attributes cannot be read. */
  readonly maxReceiveCount: number | undefined;
}

/**
 * Reads the queue's attributes, warns of settings that contradict the options, and gives the timeouts to use.
 *
 * Throws `InvalidOptionsError` when there is no such queue, when a failed message would block a FIFO queue, and when
 * the timeout of the receives of a loop is neither given nor readable.
 */
export async function checkQueue(check: QueueCheck): Promise<CheckedQueue> {
  const { settings, events, onFailed, queue } = check;
  const facts = await readFacts(check);
  const timeouts = timeoutsOf(check, facts);
  if (facts !== undefined) {
    checkRedrive(check, facts, timeouts);
    for (const warning of queueWarnings(facts, settings)) warn(warning, events);
    warn(await letterQueueWarning(onFailed, facts, (url) => queue.attributes(url)), events);
  }
  return { timeouts, maxReceiveCount: facts?.maxReceiveCount };
}

function timeoutsOf(
  { subject, settings: { leaseMs }, visibilityTimeoutSeconds: given, ownsReceives }: QueueCheck,
  facts: QueueFacts | undefined,
): VisibilityTimeouts {
  if (given !== undefined) return { received: given, held: given };
  const received = facts?.visibilityTimeoutSeconds;
  if (received === undefined && !ownsReceives) {
    throw invalidOption(
      subject,
      'visibilityTimeoutSeconds',
      "is missing, and the queue's own cannot be read: pass it, or allow sqs:GetQueueAttributes",
    );
  }
  if (received !== undefined && isAboveLease(received, leaseMs)) return { received, held: received };
  const held = longerThanLease(leaseMs);
  checkLease(subject, leaseMs, held);
  return { received: received ?? held, held };
}

function checkRedrive(
  { subject, queue, onFailed, events }: QueueCheck,
  facts: QueueFacts,
  { held }: VisibilityTimeouts,
): void {
  warn(redriveMovesGroup(queue.isFifo, onFailed, facts), events);
  if (onFailed !== undefined || facts.maxReceiveCount !== undefined) return;
  if (queue.isFifo) throw invalidOption(subject, 'onFailed', fifoRedriveFault(facts));
  warn(noRedrivePolicy(facts, held), events);
}

async function readFacts({ subject, queue, onFailed, events }: QueueCheck): Promise<QueueFacts | undefined> {
  try {
    return queueFacts(await queue.attributes());
  } catch (error) {
    const { name, message } = toStoredError(error, 0);
    if (isNoSuchQueue(error)) throw invalidOption(subject, 'queueUrl', 'names a queue that does not exist');
    warn(unreadableQueue(`${name}: ${message}`, queue.isFifo && onFailed === undefined), events);
    return undefined;
  }
}

/**
 * Warns of a loop whose receives hide messages for less than the lease: what a dead worker held comes back while its
 * lease runs, and that redelivery is spent on waiting. The worker's own receives ask for what they need.
 */
export function warnShortVisibility(
  { received, held }: VisibilityTimeouts,
  leaseMs: number,
  events: EventSink<SqsEvent>,
): void {
  if (received * 1_000 >= leaseMs) return;
  const warning: Warning<SqsWarning> = {
    warning: 'VISIBILITY_TIMEOUT_TOO_SHORT',
    message:
      `the queue's visibility timeout of ${received} s is below the lease of ${leaseMs / 1_000} s: after a crash ` +
      `redeliveries come while the lease still runs, and use up their receive counts. Receive with ` +
      `VisibilityTimeout: ${held}, and pass visibilityTimeoutSeconds: ${held}`,
  };
  warn(warning, events);
}
