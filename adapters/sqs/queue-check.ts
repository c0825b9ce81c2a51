import type { EventSink } from '../../src/adapter-kit.ts';
import { warn } from '../shared/warn.ts';
import { type HandleOnceSettings, InvalidOptionsError } from '../../src/index.ts';
import type { Queue } from '../shared/sqs/queue.ts';
import { checkQueue, ofQueue, readFacts } from '../shared/sqs/queue-check.ts';
import type { SqsOnFailed } from '../shared/sqs/queue-options.ts';
import { isNoSuchQueue, noSuchQueue } from '../shared/sqs/queue-url.ts';
import { isAboveLease, leaseFault, longerThanLease, type QueueFacts } from '../shared/sqs/queue-settings.ts';
import type { SqsEvent } from './events.ts';

/** Throws `InvalidOptionsError`: a redelivery must not come while the lease of a dead worker still runs. */
export function checkLease(subject: string, leaseMs: number, visibilityTimeoutSeconds = Infinity): void {
  if (isAboveLease(visibilityTimeoutSeconds, leaseMs)) return;
  const field = 'visibilityTimeoutSeconds';
  throw invalidOption(subject, field, leaseFault(field, visibilityTimeoutSeconds, leaseMs));
}

function invalidOption(subject: string, field: string, message: string): InvalidOptionsError {
  return new InvalidOptionsError(subject, [{ field, message }]);
}

export interface StartCheck {
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

/**
 * Reads the queue's attributes, warns of settings that contradict the options, and gives the timeouts to use.
 *
 * Throws `InvalidOptionsError` when there is no such queue or dead-letter queue, when a failed message would block a
 * FIFO queue, and when the timeout of the receives of a loop is neither given nor readable.
 */
export async function checkAtStart(check: StartCheck) {
  const { subject, queue } = check;
  const read = await readFacts(queue);
  if (isNoSuchQueue(read.error)) throw invalidOption(subject, 'queueUrl', noSuchQueue(queue.url));
  const timeouts = timeoutsOf(check, read.facts);
  const fault = await checkQueue({ ...check, read, visibilityTimeoutSeconds: timeouts.held });
  if (fault !== undefined) throw invalidOption(subject, 'onFailed', fault);
  warnShortVisibility(check, timeouts);
  return {
    timeouts,
    /** Undefined where it has no redrive policy, or its attributes cannot be read. */
    maxReceiveCount: read.facts?.maxReceiveCount,
  };
}

function timeoutsOf(
  { subject, settings: { leaseMs }, visibilityTimeoutSeconds: given, ownsReceives }: StartCheck,
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

/**
 * Warns of a loop whose receives hide messages for less than the lease: what a dead worker held comes back while its
 * lease runs, and that redelivery is spent on waiting. The worker's own receives ask for what they need.
 */
function warnShortVisibility(
  { queue, ownsReceives, settings: { leaseMs }, events }: StartCheck,
  { received, held }: VisibilityTimeouts,
): void {
  if (ownsReceives || received * 1_000 >= leaseMs) return;
  const message =
    `the queue's visibility timeout of ${received} s is below the lease of ${leaseMs / 1_000} s: after a crash ` +
    `redeliveries come while the lease still runs, and use up their receive counts. Receive with ` +
    `VisibilityTimeout: ${held}, and pass visibilityTimeoutSeconds: ${held}`;
  warn(
    ofQueue<'VISIBILITY_TIMEOUT_TOO_SHORT'>(queue, { warning: 'VISIBILITY_TIMEOUT_TOO_SHORT', message }),
    events,
  );
}
