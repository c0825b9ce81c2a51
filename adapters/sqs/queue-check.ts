import {
  type EventSink,
  isAboveLease,
  leaseFault,
  longerThanLease,
  type QueueFacts,
  queueFacts,
  queueWarnings,
  type Warning,
  warn,
} from '../../src/adapter-kit.ts';
import { type HandleOnceSettings, InvalidOptionsError } from '../../src/index.ts';
import type { SqsEvent, SqsWarning } from './events.ts';
import type { Queue } from './queue.ts';

/** Its names in the SDK, and in servers that speak the older protocol. */
const NO_SUCH_QUEUE = /QueueDoesNotExist$|NonExistentQueue$/;

/** Throws `InvalidOptionsError`: a redelivery must not come while the lease of a dead worker still runs. */
export function checkLease(subject: string, leaseMs: number, visibilityTimeoutSeconds: number): void {
  if (isAboveLease(visibilityTimeoutSeconds, leaseMs)) return;
  const field = 'visibilityTimeoutSeconds';
  throw invalidOption(subject, field, leaseFault(field, visibilityTimeoutSeconds, leaseMs));
}

function invalidOption(subject: string, field: string, message: string): InvalidOptionsError {
  return new InvalidOptionsError(subject, [{ field, message }]);
}

/** How long messages are invisible, in seconds. */
export interface VisibilityTimeouts {
  /** After a receive that does not say. */
  readonly received: number;
  /** After a heartbeat, and after a receive of the worker's own. */
  readonly held: number;
}

/**
 * Reads the queue's attributes, reports what will surprise, and gives the visibility timeouts to use.
 *
 * Throws `InvalidOptionsError` when there is no such queue, and when a timeout is neither given nor readable.
 */
export async function checkQueue(
  subject: string,
  queue: Queue,
  settings: HandleOnceSettings,
  givenSeconds: number | undefined,
  events: EventSink<SqsEvent>,
): Promise<VisibilityTimeouts> {
  const facts = await readFacts(subject, queue, events);
  for (const warning of queueWarnings(facts, settings)) warn(warning, events);
  if (givenSeconds !== undefined) return { received: givenSeconds, held: givenSeconds };
  const received = facts.visibilityTimeoutSeconds;
  if (received === undefined) {
    throw invalidOption(
      subject,
      'visibilityTimeoutSeconds',
      "is missing, and the queue's own cannot be read: pass it, or allow sqs:GetQueueAttributes",
    );
  }
  if (isAboveLease(received, settings.leaseMs)) return { received, held: received };
  const held = longerThanLease(settings.leaseMs);
  checkLease(subject, settings.leaseMs, held);
  warn(shortVisibility(received, held, settings.leaseMs), events);
  return { received, held };
}

function shortVisibility(received: number, held: number, leaseMs: number): Warning<SqsWarning> {
  return {
    warning: 'VISIBILITY_TIMEOUT_TOO_SHORT',
    message:
      `the queue's visibility timeout of ${received} s is not above the lease of ${leaseMs / 1_000} s: messages in ` +
      `hand are held for ${held} s at a time instead. Raise the queue's own, or pass visibilityTimeoutSeconds`,
  };
}

async function readFacts(subject: string, queue: Queue, events: EventSink<SqsEvent>): Promise<QueueFacts> {
  try {
    return queueFacts(await queue.attributes());
  } catch (error) {
    const name = error instanceof Error ? error.name : 'unknown error';
    if (NO_SUCH_QUEUE.test(name))
      throw invalidOption(subject, 'queueUrl', 'names a queue that does not exist');
    const message = `the queue's attributes cannot be read (${name}): its settings were not checked`;
    warn({ warning: 'QUEUE_ATTRIBUTES_UNREADABLE', message }, events);
    return queueFacts({});
  }
}
