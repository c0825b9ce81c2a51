import { type HandleOnceSettings, retryBudget } from '../../../src/index.ts';
import type { Warning } from '../warn.ts';
import { MAX_VISIBILITY_SECONDS } from './visibility-limits.ts';

/** What works, and will surprise. */
export type QueueWarning = Warning<'RETENTION_TOO_SHORT' | 'MAX_RECEIVE_COUNT_TOO_LOW'>;

/** Whether a queue keeps the order of each message group: its URL and its ARN say so. */
export function isFifoQueue(urlOrArn: string): boolean {
  return urlOrArn.endsWith('.fifo');
}

/** What adapters need to know of a queue. */
export function queueFacts(attributes: Readonly<Partial<Record<string, string>>>) {
  return {
    visibilityTimeoutSeconds: numberOf(attributes['VisibilityTimeout']),
    retentionSeconds: numberOf(attributes['MessageRetentionPeriod']),
    maxReceiveCount: maxReceiveCount(attributes['RedrivePolicy']),
    maxMessageBytes: numberOf(attributes['MaximumMessageSize']),
  };
}

export type QueueFacts = ReturnType<typeof queueFacts>;

function numberOf(attribute: string | undefined): number | undefined {
  return attribute === undefined ? undefined : Number(attribute);
}

/** The redrive policy is JSON, and its count a number or a string, as its author chose. */
function maxReceiveCount(policy: string | undefined): number | undefined {
  if (policy === undefined || policy === '') return undefined;
  const count = Number((JSON.parse(policy) as { maxReceiveCount?: unknown }).maxReceiveCount);
  return Number.isNaN(count) ? undefined : count;
}

/** The highest that SQS takes. */
const MAX_RECEIVE_COUNT = 1_000;

export function queueWarnings(facts: QueueFacts, settings: HandleOnceSettings): QueueWarning[] {
  const warnings: QueueWarning[] = [];
  const shortestRetentionMs = Math.min(settings.succeededRetentionMs, settings.failedRetentionMs);
  if (facts.retentionSeconds !== undefined && shortestRetentionMs < facts.retentionSeconds * 1_000) {
    warnings.push({
      warning: 'RETENTION_TOO_SHORT',
      message:
        `the queue keeps messages for ${facts.retentionSeconds} s, but records expire after ` +
        `${shortestRetentionMs / 1_000} s: a later redelivery would run again. Raise succeededRetentionMs and ` +
        `failedRetentionMs to at least ${facts.retentionSeconds * 1_000}`,
    });
  }
  const needed = retryBudget(settings).maxReceiveCount;
  if (facts.maxReceiveCount !== undefined && facts.maxReceiveCount < needed) {
    warnings.push({
      warning: 'MAX_RECEIVE_COUNT_TOO_LOW',
      message:
        `the queue's redrive policy moves a message after ${facts.maxReceiveCount} receives, but with a maxAttempts ` +
        `of ${settings.maxAttempts} and a maxDeaths of ${settings.maxDeaths} it can take ${needed}: the queue would ` +
        'move a message whose record is still pending. ' +
        (needed > MAX_RECEIVE_COUNT
          ? `Lower maxAttempts: SQS allows a maxReceiveCount of at most ${MAX_RECEIVE_COUNT}`
          : `Raise maxReceiveCount to at least ${needed}`),
    });
  }
  return warnings;
}

/** Redeliveries have to come after the lease of a worker that died has lapsed. */
export function isAboveLease(visibilityTimeoutSeconds: number, leaseMs: number): boolean {
  return visibilityTimeoutSeconds * 1_000 > leaseMs;
}

/** A visibility timeout that suits a lease. */
export function longerThanLease(leaseMs: number): number {
  return Math.min(Math.ceil(leaseMs / 500), MAX_VISIBILITY_SECONDS);
}

/** What is wrong with a visibility timeout, the option `name`, that is not above the lease. */
export function leaseFault(name: string, seconds: number, leaseMs: number): string {
  return (
    `is ${seconds} s and must be above the lease of ${leaseMs / 1_000} s; ` +
    `pass ${name}: ${longerThanLease(leaseMs)}, or a lower leaseMs to createHandleOnce`
  );
}
