import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import { isError, parseOptions, systemClock } from '../../../src/adapter-kit.ts';
import type { KeptDeadLetter, DeadLetter } from '../../operations/redrive/dead-letter.ts';
import { createRedrive } from '../../operations/redrive/redrive.ts';
import type { RedriveReport } from '../../operations/redrive/redriver.ts';
import { InvalidOptionsError } from '../../../src/index.ts';
import { type CopyIdentity, IDENTITY_ATTRIBUTE, writeIdentity } from '../../shared/sqs/copy-identity.ts';
import { fitsInQueue, withoutOurs } from '../../shared/sqs/dead-letter-attributes.ts';
import { isNoSuchQueue, noSuchQueue } from '../../shared/sqs/queue-url.ts';
import { addressOf, isTooLong } from '../../shared/sqs/send-dead-letter.ts';
import { createQueue, type Queue } from '../../shared/sqs/queue.ts';
import type { ReceivedMessage, SqsMessage } from '../message.ts';
import { createDeadLetterQueue, type DeadLetterQueue } from './dead-letter-queue.ts';
import { type QueueDeadLetter, redriveQueueOptions, type RedriveQueueOptions } from './options.ts';
import { type DeadLetterOwner, ownerOf, SUBJECT } from './owner-of.ts';

type Place = Pick<QueueDeadLetter, 'messageId'>;

/**
 * Sends the dead letters of a dead-letter queue back to their source, so that they run again: for each it retries the
 * record, sends a copy, and then deletes the dead letter. You can kill it at any time: the next call continues.
 *
 * The copy has the body and attributes of the original, and in the attribute `HandleOnceIdentity` its scope and key, by
 * which the adapters of this package find the record: a second copy does not run while the first runs, nor after it has
 * succeeded. A dead letter whose message has since succeeded is deleted. It is kept if its record is live or not known:
 * `onDeadLetter` and the report say why. It is also kept if this call has already sent its message, so that the call
 * ends even if the cause of the failures remains.
 *
 * It ends as `blocked` if the queue still counts dead letters that this call has not received: another reader has them,
 * or they are in a group of a FIFO queue behind one that another reader has, or behind ten that were kept, as in each
 * dry run. The counts are approximate: if they are late, they are read again for some seconds.
 *
 * Throws `InvalidOptionsError`, `StoreError`, `SchemaError`, and what the client throws. The error has no report: count
 * in `onDeadLetter`.
 *
 * @example
 * ```ts
 * import { redriveQueue } from 'handle-once/sqs';
 *
 * const options = { client, sql, from: deadLetterQueueUrl, to: queueUrl, scope: 'billing' };
 * const planned = await redriveQueue({ ...options, dryRun: true, onDeadLetter: console.log });
 * if (planned.sent > 0) console.log(await redriveQueue({ ...options, perSecond: 10 }));
 * ```
 */
export async function redriveQueue(options: RedriveQueueOptions): Promise<RedriveReport> {
  const resolved = parseOptions(SUBJECT, redriveQueueOptions(), options);
  const { client, from, to, dryRun, visibilityTimeoutSeconds } = resolved;
  const queue = createQueue(client, from, systemClock);
  await checkExists('from', queue);
  await checkExists('to', createQueue(client, to, systemClock));
  const deadLetters = createDeadLetterQueue(SUBJECT, queue, visibilityTimeoutSeconds);
  const { take, isOver, report } = createRedrive<Place, Place & Pick<QueueDeadLetter, 'message'>>(
    SUBJECT,
    resolved,
  );
  try {
    while (!isOver()) {
      const batch = await deadLetters.receive(isOver);
      if (batch.length === 0) break;
      for (const received of batch) {
        if (isOver()) break;
        const { messageId, message } = received;
        const deadLetter = deadLetterOf(received, ownerOf(message, resolved), { queue, deadLetters, to });
        const outcome = await take({ deadLetter, place: { messageId }, facts: { messageId, message } });
        if (outcome?.state === 'kept' || dryRun) deadLetters.keep(received);
      }
    }
    return report(!isOver() && (await deadLetters.hasOthers(isOver)));
  } finally {
    await deadLetters.returnAll();
  }
}

/** A queue that is not there would be found out after a record was retried. One that cannot be read is tried. */
async function checkExists(field: 'from' | 'to', queue: Queue): Promise<void> {
  try {
    await queue.attributes();
  } catch (error) {
    if (!isNoSuchQueue(error)) return;
    throw new InvalidOptionsError(SUBJECT, [{ field, message: noSuchQueue(queue.url) }]);
  }
}

interface Queues {
  readonly queue: Queue;
  readonly deadLetters: DeadLetterQueue;
  readonly to: string;
}

function deadLetterOf(
  received: ReceivedMessage,
  owner: DeadLetterOwner | KeptDeadLetter,
  queues: Queues,
): DeadLetter {
  if ('kept' in owner) return owner;
  const { queue, deadLetters, to } = queues;
  const copy = copyOf(received.message, owner.identity);
  return {
    ...owner,
    unsendable: fitsInQueue(copy.MessageBody, copy.MessageAttributes) ? undefined : 'no-room',
    isOurs: () => deadLetters.isOurs(received),
    remove: () => deadLetters.remove(received),
    async send(attempts) {
      // Once the record was tried again, the message of this id is used up.
      const address = addressOf(received.message, to, `${received.messageId}-${attempts}`);
      try {
        await queue.send({ ...address, ...copy });
        return true;
      } catch (error) {
        if (isRefusal(error)) return false;
        throw error;
      }
    },
  };
}

/** What goes back to the source: body and attributes as the sender wrote them, and one that says whose copy it is. */
function copyOf({ Body = '', MessageAttributes = {} }: SqsMessage, identity: CopyIdentity) {
  const value: MessageAttributeValue = { DataType: 'String', StringValue: writeIdentity(identity) };
  return {
    MessageBody: Body,
    MessageAttributes: { ...withoutOurs(MessageAttributes, identity.scope), [IDENTITY_ATTRIBUTE]: value },
  };
}

/** How queues refuse a message for what it is. Any other error would meet the next dead letter too. */
const REFUSALS = /InvalidMessageContents|InvalidParameterValue|InvalidAttributeValue/;

function isRefusal(error: unknown): boolean {
  return isTooLong(error) || (isError(error) && REFUSALS.test(error.name));
}
