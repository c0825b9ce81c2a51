import * as z from 'zod/mini';
import { lazily, NOT_AN_OBJECT, wholeNumber, withMethods } from '../../../src/adapter-kit.ts';
import { goElsewhere, redriveFields, type RedriveOptions } from '../../operations/redrive/options.ts';
import type { DeadLetterRecord, RedrivenDeadLetter } from '../../operations/redrive/dead-letter.ts';
import { messageFields } from '../../shared/sqs/queue-options.ts';
import { queueUrlOption } from '../../shared/sqs/queue-url.ts';
import { MAX_VISIBILITY_SECONDS, TRAVEL_MARGIN_MS } from '../../shared/sqs/visibility-limits.ts';
import type { SqsMessage } from '../message.ts';
import { MAX_BATCH, type SqsClient } from '../../shared/sqs/queue.ts';

/** A dead letter of a dead-letter queue, and the record that it belongs to. */
export interface QueueDeadLetter extends DeadLetterRecord {
  /** Its `MessageId` in the dead-letter queue. */
  readonly messageId: string;
  /** The dead letter as it was received, with its body and attributes. */
  readonly message: SqsMessage;
}

/**
 * A dead letter of a dead-letter queue, and what was done with it. Its `scope` and `key` are undefined where the record
 * is not known. It holds no payload.
 */
export type RedrivenQueueDeadLetter = RedrivenDeadLetter & {
  /** Its `MessageId` in the dead-letter queue. */
  readonly messageId: string;
};

/** Options of `redriveQueue`. */
export interface RedriveQueueOptions extends RedriveOptions<QueueDeadLetter, RedrivenQueueDeadLetter> {
  /** An `SQSClient` of `@aws-sdk/client-sqs`. */
  readonly client: SqsClient;
  /** The URL of the dead-letter queue. */
  readonly from: string;
  /** The URL of the queue that the dead letters go back to. */
  readonly to: string;
  /**
   * The `key` option of the consumer of `to`, if it has one. It is needed for dead letters that the queue's own redrive
   * policy moved: they do not name their records. Default their `MessageId`.
   */
  readonly key?: ((message: SqsMessage) => string | undefined) | undefined;
  /**
   * Seconds that dead letters are hidden from other readers, 1 to 43,200, and long enough to send ten. Default 120. At
   * the end, kept dead letters are visible at once; after a kill, when this time has passed.
   */
  readonly visibilityTimeoutSeconds?: number | undefined;
}

/** Those that are received together are sent at the rate: the last must still be hidden then. */
const OUTLIVED = z.superRefine<{ perSecond: number; visibilityTimeoutSeconds: number }>(
  ({ perSecond, visibilityTimeoutSeconds: seconds }, context) => {
    const least = Math.ceil(MAX_BATCH / perSecond + TRAVEL_MARGIN_MS / 1_000);
    // What is out of its own range is refused for that.
    if (!(seconds >= 1) || !(seconds < least) || least > MAX_VISIBILITY_SECONDS) return;
    const why = `${MAX_BATCH} dead letters are received at once, and sent at perSecond ${perSecond}`;
    const message = `must be at least ${least} (got ${seconds}): ${why}`;
    context.addIssue({ code: 'custom', path: ['visibilityTimeoutSeconds'], message });
  },
);

export const redriveQueueOptions = lazily(() =>
  z
    .strictObject(
      {
        ...redriveFields<QueueDeadLetter, RedrivenQueueDeadLetter>(),
        client: withMethods<SqsClient>(['send'], 'an SQSClient of @aws-sdk/client-sqs'),
        from: queueUrlOption('the dead-letter queue'),
        to: queueUrlOption('the queue that the dead letters go back to'),
        key: messageFields<SqsMessage>().key,
        visibilityTimeoutSeconds: z._default(wholeNumber('seconds', 1, MAX_VISIBILITY_SECONDS), 120),
      },
      NOT_AN_OBJECT,
    )
    .check(goElsewhere('queue'), OUTLIVED),
);
