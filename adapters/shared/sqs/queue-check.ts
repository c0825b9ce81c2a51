import { type EventSink, toStoredError } from '../../../src/adapter-kit.ts';
import { type Warning, type WarningEvent, warn } from '../warn.ts';
import type { HandleOnceSettings } from '../../../src/index.ts';
import type { Queue } from './queue.ts';
import type { SqsOnFailed } from './queue-options.ts';
import { isNoSuchQueue, noSuchQueue, queueName } from './queue-url.ts';
import { type QueueFacts, queueFacts, type QueueWarning, queueWarnings } from './queue-settings.ts';

type ReadQueue = Pick<Queue, 'name' | 'isFifo' | 'attributes'>;

/** What works, and will surprise. */
type QueueFinding =
  | QueueWarning
  | Warning<
      | 'NO_REDRIVE_POLICY'
      | 'REDRIVE_MOVES_GROUP'
      | 'QUEUE_ATTRIBUTES_UNREADABLE'
      | 'DEAD_LETTER_QUEUE_TOO_SMALL'
    >;

/** The attributes of a queue, or why they cannot be read. */
export type ReadFacts =
  | { readonly facts: QueueFacts; readonly error?: never }
  | { readonly facts?: never; readonly error: unknown };

/** Of the queue, or of another one. */
export async function readFacts(queue: ReadQueue, ofUrl?: string): Promise<ReadFacts> {
  try {
    return { facts: queueFacts(await queue.attributes(ofUrl)) };
  } catch (error) {
    return { error };
  }
}

export interface QueueCheck {
  readonly queue: ReadQueue;
  readonly read: ReadFacts;
  readonly settings: HandleOnceSettings;
  readonly events: Pick<EventSink<WarningEvent<QueueFinding['warning']>>, 'emit'>;
  /** As it was given. */
  readonly onFailed: SqsOnFailed | undefined;
  /** How long a received message is invisible. */
  readonly visibilityTimeoutSeconds: number;
}

/**
 * Warns of settings of a queue that contradict the options. Gives what is wrong with `onFailed` where a failed message
 * would block a FIFO queue, or its dead-letter queue is not there. It never throws.
 */
export async function checkQueue(check: QueueCheck): Promise<string | undefined> {
  const { queue, read, settings, events, onFailed, visibilityTimeoutSeconds } = check;
  const { facts } = read;
  const found = (warning: QueueFinding | undefined): void => {
    warn(ofQueue(queue, warning), events);
  };
  if (facts === undefined) {
    found(unreadableQueue(read.error, queue.isFifo && onFailed === undefined));
    return undefined;
  }
  if (onFailed === undefined && facts.maxReceiveCount === undefined) {
    if (queue.isFifo) return fifoRedriveFault(facts);
    found(noRedrivePolicy(facts, visibilityTimeoutSeconds));
  }
  found(redriveMovesGroup(queue.isFifo, onFailed, facts));
  for (const warning of queueWarnings(facts, settings)) found(warning);
  if (typeof onFailed !== 'object') return undefined;
  const { deadLetterQueueUrl: url } = onFailed;
  const deadLetters = await readFacts(queue, url);
  found(deadLetterQueueWarning(url, deadLetters, facts));
  return isNoSuchQueue(deadLetters.error) ? `deadLetterQueueUrl ${noSuchQueue(url)}` : undefined;
}

/** A finding with the name of the queue that it is about. */
export function ofQueue<Name extends string>(
  { name }: Pick<Queue, 'name'>,
  found: Warning<Name> | undefined,
): (Warning<Name> & { readonly queue: string }) | undefined {
  return found && { ...found, queue: name };
}

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
      'the queue has no redrive policy, and onFailed is not given: a message that fails permanently stays in the ' +
      `queue and comes back every ${visibilityTimeoutSeconds} s ${returns}. ${REMEDY}`,
  };
}

/** The same of a FIFO queue, as what is wrong with the option `onFailed`. */
export function fifoRedriveFault({ retentionSeconds }: QueueFacts): string {
  const retention = retentionSeconds === undefined ? 'retention' : `retention of ${retentionSeconds} s`;
  return (
    'is missing, and the FIFO queue has no redrive policy: a message that fails permanently would block its message ' +
    `group until the queue's ${retention} ends. ${REMEDY}`
  );
}

/** What was not looked at, when the queue's attributes cannot be read. */
export function unreadableQueue(error: unknown, mayBlock: boolean): Warning<'QUEUE_ATTRIBUTES_UNREADABLE'> {
  const fifo = mayBlock
    ? '. Without a redrive policy a message that fails permanently blocks its message group: pass onFailed'
    : '';
  return {
    warning: 'QUEUE_ATTRIBUTES_UNREADABLE',
    message: `the queue's attributes ${cannotBeRead(error, 'its settings were not checked')}${fifo}`,
  };
}

/** What a redrive policy does to messages of a FIFO group behind a failed one that stays. */
function redriveMovesGroup(
  isFifo: boolean,
  onFailed: SqsOnFailed | undefined,
  { maxReceiveCount }: QueueFacts,
): Warning<'REDRIVE_MOVES_GROUP'> | undefined {
  if (!isFifo || maxReceiveCount === undefined || (onFailed ?? 'keep') !== 'keep') return undefined;
  return {
    warning: 'REDRIVE_MOVES_GROUP',
    message:
      `the FIFO queue's redrive policy moves a message after ${maxReceiveCount} receives, and a message that fails ` +
      "permanently stays (onFailed: 'keep', the default): the later messages of its group are received with it " +
      'each time, do not run, and are moved too. Pass onFailed: { deadLetterQueueUrl }',
  };
}

/** What a queue takes that does not say. */
const DEFAULT_MAX_BYTES = 1_048_576;

/** Reads the queue that gets the dead letters, and says where it would refuse what the queue of the messages takes. */
function deadLetterQueueWarning(
  url: string,
  { facts, error }: ReadFacts,
  { maxMessageBytes: sent = DEFAULT_MAX_BYTES }: QueueFacts,
): QueueFinding | undefined {
  if (facts === undefined) return unreadableDeadLetterQueue(queueName(url), error);
  const { maxMessageBytes: taken } = facts;
  return taken === undefined || taken >= sent ? undefined : tooSmall(taken, sent);
}

function tooSmall(taken: number, sent: number): QueueFinding {
  return {
    warning: 'DEAD_LETTER_QUEUE_TOO_SMALL',
    message:
      `the dead-letter queue takes messages of up to ${taken} bytes, and the queue of up to ${sent}: it refuses ` +
      'the copy of a larger message, which then stays in the queue. Raise MaximumMessageSize of the dead-letter ' +
      'queue',
  };
}

function unreadableDeadLetterQueue(name: string, error: unknown): QueueFinding {
  return {
    warning: 'QUEUE_ATTRIBUTES_UNREADABLE',
    message: `the attributes of the dead-letter queue ${name} ${cannotBeRead(error, 'whether it takes all copies was not checked')}`,
  };
}

/** What to do about a call that failed, by what its error says. */
const READ_FIXES: readonly (readonly [says: RegExp, fix: string])[] = [
  [/QueueDoesNotExist|NonExistentQueue/, 'Create it, or correct its URL: account and region are part of it'],
  [/AccessDenied|NotAuthorized|not authorized/i, 'Allow sqs:GetQueueAttributes on it'],
  [/credential|token|signature/i, 'Give the SQS client the credentials of a role that may read it'],
  [/region/i, 'Give the SQS client the region of the queue'],
  [
    /\bE[A-Z_]{4,}\b|[Tt]imeout|[Ss]ocket|[Nn]etwork/,
    'Check that the endpoint of the SQS client can be reached from here',
  ],
];

function cannotBeRead(error: unknown, unchecked: string): string {
  const { name, message, code = '' } = toStoredError(error, 0);
  const says = `${name} ${code} ${message}`;
  const fix = READ_FIXES.find(([known]) => known.test(says))?.[1] ?? 'Correct what the error names';
  return `cannot be read (${name}: ${message}): ${unchecked}. ${fix}`;
}
