import { toStoredError, type Warning } from '../../../src/adapter-kit.ts';
import type { SqsOnFailed } from './queue-options.ts';
import { type QueueFacts, queueFacts } from './queue-settings.ts';

export type LetterQueueWarning = Warning<'DEAD_LETTER_QUEUE_TOO_SMALL' | 'QUEUE_ATTRIBUTES_UNREADABLE'>;

type ReadAttributes = (queueUrl: string) => Promise<Readonly<Partial<Record<string, string>>>>;

/** What a queue takes that does not say. */
const DEFAULT_MAX_BYTES = 1_048_576;

/** Reads the queue that gets the dead letters, and says where it would refuse what the queue of the messages takes. */
export async function letterQueueWarning(
  onFailed: SqsOnFailed | undefined,
  { maxMessageBytes = DEFAULT_MAX_BYTES }: Pick<QueueFacts, 'maxMessageBytes'>,
  attributes: ReadAttributes,
): Promise<LetterQueueWarning | undefined> {
  if (typeof onFailed !== 'object') return undefined;
  try {
    const { maxMessageBytes: taken } = queueFacts(await attributes(onFailed.deadLetterQueueUrl));
    return taken === undefined || taken >= maxMessageBytes ? undefined : tooSmall(taken, maxMessageBytes);
  } catch (error) {
    return unreadable(error);
  }
}

function tooSmall(taken: number, sent: number): LetterQueueWarning {
  return {
    warning: 'DEAD_LETTER_QUEUE_TOO_SMALL',
    message:
      `the dead-letter queue takes messages of ${taken} bytes, and the queue those of ${sent}: it refuses the copy of a ` +
      'larger one, which stays in the queue. Raise MaximumMessageSize of the dead-letter queue',
  };
}

function unreadable(error: unknown): LetterQueueWarning {
  const { name, message } = toStoredError(error, 0);
  return {
    warning: 'QUEUE_ATTRIBUTES_UNREADABLE',
    message:
      `the attributes of the dead-letter queue cannot be read (${name}: ${message}): whether it takes all copies was ` +
      'not checked. Allow sqs:GetQueueAttributes on it too',
  };
}
