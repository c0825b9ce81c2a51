import type { SqsOnFailed } from './queue-options.ts';
import type { QueueFacts } from './queue-settings.ts';
import { type Warning } from '../../../src/adapter-kit.ts';

const REMEDY =
  'Give the queue a redrive policy (deadLetterTargetArn and maxReceiveCount), ' +
  "or pass onFailed: { deadLetterQueueUrl }, 'acknowledge', or 'keep' to accept it";

/** What happens to a failed message of a standard queue when neither the queue nor the user says where it goes. */
export function noRedrivePolicy(
  { retentionSeconds }: QueueFacts,
  visibilityTimeoutSeconds: number,
): Warning<'NO_REDRIVE_POLICY'> {
  const returns =
    retentionSeconds === undefined
      ? "until the queue's retention ends"
      : `until the queue's retention of ${retentionSeconds} s ends, ` +
        `up to ${Math.ceil(retentionSeconds / visibilityTimeoutSeconds)} times`;
  return {
    warning: 'NO_REDRIVE_POLICY',
    message:
      'the queue has no redrive policy, and onFailed is not given: a message that fails for good stays in the queue ' +
      `and comes back every ${visibilityTimeoutSeconds} s ${returns}. ${REMEDY}`,
  };
}

/** The same of a FIFO queue, as what is wrong with the option `onFailed`. */
export function fifoRedriveFault({ retentionSeconds }: QueueFacts): string {
  const retention = retentionSeconds === undefined ? 'retention' : `retention of ${retentionSeconds} s`;
  return (
    'is missing, and the FIFO queue has no redrive policy: a message that fails for good would block its message ' +
    `group until the queue's ${retention} ends. ${REMEDY}`
  );
}

/** What was not looked at, when the queue's attributes cannot be read. */
export function unreadableQueue(
  errorName: string,
  mayBlock: boolean,
): Warning<'QUEUE_ATTRIBUTES_UNREADABLE'> {
  const fifo = mayBlock
    ? '. Without a redrive policy a message that fails for good blocks its message group: pass onFailed'
    : '';
  return {
    warning: 'QUEUE_ATTRIBUTES_UNREADABLE',
    message:
      `the queue's attributes cannot be read (${errorName}): its settings were not checked. ` +
      `Allow sqs:GetQueueAttributes${fifo}`,
  };
}

/** What a redrive policy does to messages of a FIFO group behind a failed one that stays. */
export function redriveMovesGroup(
  isFifo: boolean,
  onFailed: SqsOnFailed | undefined,
  { maxReceiveCount }: QueueFacts,
): Warning<'REDRIVE_MOVES_GROUP'> | undefined {
  if (!isFifo || maxReceiveCount === undefined || (onFailed ?? 'keep') !== 'keep') return undefined;
  return {
    warning: 'REDRIVE_MOVES_GROUP',
    message:
      `the FIFO queue's redrive policy moves a message after ${maxReceiveCount} receives, and a message that fails for ` +
      "good stays (onFailed: 'keep', the default): those behind it in its group are received with it each time, are " +
      'not run, and are moved as well. Pass onFailed: { deadLetterQueueUrl }',
  };
}
