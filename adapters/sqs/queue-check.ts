import type { EventSink } from '../../src/adapter-kit.ts';
import { type HandleOnceSettings, InvalidOptionsError } from '../../src/index.ts';
import type { SqsEvent, SqsWarning } from './events.ts';
import { MAX_VISIBILITY_SECONDS, type Queue } from './queue.ts';

/** What the adapter needs to know of a queue. */
export interface QueueFacts {
  readonly visibilityTimeoutSeconds: number | undefined;
  readonly retentionSeconds: number | undefined;
  readonly maxReceiveCount: number | undefined;
}

export interface Warning {
  readonly warning: SqsWarning;
  readonly message: string;
}

export function queueFacts(attributes: Readonly<Partial<Record<string, string>>>): QueueFacts {
  return {
    visibilityTimeoutSeconds: numberOf(attributes['VisibilityTimeout']),
    retentionSeconds: numberOf(attributes['MessageRetentionPeriod']),
    maxReceiveCount: maxReceiveCount(attributes['RedrivePolicy']),
  };
}

/** Its names in the SDK, and in servers that speak the older protocol. */
const NO_SUCH_QUEUE = /QueueDoesNotExist$|NonExistentQueue$/;

/** Throws `InvalidOptionsError`: a redelivery must not come while the lease of a dead worker still runs. */
export function checkLease(subject: string, leaseMs: number, visibilityTimeoutSeconds: number): void {
  if (isAboveLease(visibilityTimeoutSeconds, leaseMs)) return;
  throw invalidOption(
    subject,
    'visibilityTimeoutSeconds',
    `is ${visibilityTimeoutSeconds} s and must be above the lease of ${leaseMs / 1_000} s; ` +
      `pass visibilityTimeoutSeconds: ${longerThanLease(leaseMs)}, or a lower leaseMs to createHandleOnce`,
  );
}

function isAboveLease(visibilityTimeoutSeconds: number, leaseMs: number): boolean {
  return visibilityTimeoutSeconds * 1_000 > leaseMs;
}

function longerThanLease(leaseMs: number): number {
  return Math.min(Math.ceil(leaseMs / 500), MAX_VISIBILITY_SECONDS);
}

function invalidOption(subject: string, field: string, message: string): InvalidOptionsError {
  return new InvalidOptionsError(subject, [{ field, message }]);
}

/** What works, and will surprise. */
export function queueWarnings(facts: QueueFacts, settings: HandleOnceSettings): Warning[] {
  const warnings: Warning[] = [];
  const shortestRetentionMs = Math.min(settings.succeededRetentionMs, settings.failedRetentionMs);
  if (facts.retentionSeconds !== undefined && shortestRetentionMs < facts.retentionSeconds * 1_000) {
    warnings.push({
      warning: 'RETENTION_TOO_SHORT',
      message:
        `the queue keeps messages for ${facts.retentionSeconds} s, and records expire after ` +
        `${shortestRetentionMs / 1_000} s: a later redelivery would run again. Raise succeededRetentionMs and ` +
        `failedRetentionMs to at least ${facts.retentionSeconds * 1_000}`,
    });
  }
  if (facts.maxReceiveCount !== undefined && facts.maxReceiveCount <= settings.maxAttempts) {
    warnings.push({
      warning: 'MAX_RECEIVE_COUNT_TOO_LOW',
      message:
        `the queue's redrive policy moves a message after ${facts.maxReceiveCount} receives, and handle-once tries ` +
        `${settings.maxAttempts} times: the queue would bury a message whose record is still pending. Raise ` +
        'maxReceiveCount above maxAttempts, with room for redeliveries that only wait',
    });
  }
  return warnings;
}

function numberOf(attribute: string | undefined): number | undefined {
  return attribute === undefined ? undefined : Number(attribute);
}

/** The redrive policy is JSON, and its count a number or a string, as whoever wrote it chose. */
function maxReceiveCount(policy: string | undefined): number | undefined {
  if (policy === undefined || policy === '') return undefined;
  const count = Number((JSON.parse(policy) as { maxReceiveCount?: unknown }).maxReceiveCount);
  return Number.isNaN(count) ? undefined : count;
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

function shortVisibility(received: number, held: number, leaseMs: number): Warning {
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

/** A warning is for whoever runs the process, so it is told without a hook too. */
function warn({ warning, message }: Warning, events: EventSink<SqsEvent>): void {
  events.emit({ type: 'warning', warning, message });
  process.emitWarning(message, { type: 'HandleOnceWarning', code: warning });
}
