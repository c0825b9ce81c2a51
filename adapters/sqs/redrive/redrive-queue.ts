import { isError, parseOptions, systemClock } from '../../../src/adapter-kit.ts';
import { createRedriver, type RedriveReport } from '../../operations/redrive/redriver.ts';
import { isWanted } from '../../operations/redrive/options.ts';
import type { KeptLetter, Letter } from '../../operations/redrive/letter.ts';
import { InvalidOptionsError } from '../../../src/index.ts';
import { fitsInQueue } from '../../shared/sqs/dead-letter-attributes.ts';
import { addressOf, isTooLong } from '../../shared/sqs/send-dead-letter.ts';
import type { InHandMessage } from '../message.ts';
import { createQueue, isNoSuchQueue, type Queue } from '../../shared/sqs/queue.ts';
import { copyOf } from './copy.ts';
import { createLetterQueue, type LetterQueue } from './letter-queue.ts';
import { redriveQueueOptions, type RedriveQueueOptions, type ResolvedRedrive } from './options.ts';
import { type LetterOwner, whoseLetter } from './whose-letter.ts';

const SUBJECT = 'redriveQueue';

/**
 * Sends the letters of a dead-letter queue back to their source, so that they run again: of each it reopens the record,
 * sends a copy, and then deletes the letter. Killed at any point it loses nothing: the next call goes on.
 *
 * The copy has the body and attributes of the original, and in the attribute `HandleOnceIdentity` its scope and key, by
 * which the adapters of this package find the record: a second copy does not run beside the first, nor after it has
 * succeeded. A letter whose message has succeeded meanwhile is deleted. One whose record is live is kept, as is one of
 * which the record cannot be told: `onLetter` and the report say why. So is one of a message that this call has sent
 * already, so that the call ends where the cause of the failures is still there.
 *
 * Throws `InvalidOptionsError`, `StoreError`, `SchemaError`, and what the client throws.
 *
 * @example
 * ```ts
 * import { redriveQueue } from 'handle-once/sqs';
 *
 * const options = { client, sql, from: deadLetterQueueUrl, to: queueUrl, scope: 'billing' };
 * const planned = await redriveQueue({ ...options, dryRun: true, onLetter: console.log });
 * if (planned.sent > 0) console.log(await redriveQueue({ ...options, perSecond: 10 }));
 * ```
 */
export async function redriveQueue(options: RedriveQueueOptions): Promise<RedriveReport> {
  const resolved = parseOptions(SUBJECT, redriveQueueOptions(), options);
  const queue = createQueue(resolved.client, resolved.from, systemClock);
  await checkExists('from', queue);
  await checkExists('to', createQueue(resolved.client, resolved.to, systemClock));
  const letters = createLetterQueue(SUBJECT, queue, resolved.visibilityTimeoutSeconds);
  const redriver = createRedriver(resolved);
  try {
    while (!redriver.isOver()) {
      const batch = await letters.receive(redriver.isOver);
      if (batch.length === 0) break;
      for (const inHand of batch) {
        if (redriver.isOver()) break;
        const owner = ownerOf(inHand, resolved);
        const outcome = await redriver.take(letterOf(inHand, owner, { queue, letters, to: resolved.to }));
        if (outcome === undefined) continue;
        if (outcome.state === 'kept' || resolved.dryRun) letters.keep(inHand);
        const { messageId } = inHand;
        const record = 'kept' in owner ? {} : { scope: owner.scope, key: owner.key };
        resolved.onLetter?.({ messageId, ...record, ...outcome });
      }
    }
  } finally {
    await letters.returnAll();
  }
  return redriver.report();
}

/** A queue that is not there would be found out after a record was reopened. One that cannot be read is tried. */
async function checkExists(field: 'from' | 'to', queue: Queue): Promise<void> {
  try {
    await queue.attributes();
  } catch (error) {
    if (!isNoSuchQueue(error)) return;
    throw new InvalidOptionsError(SUBJECT, [{ field, message: 'names a queue that does not exist' }]);
  }
}

function ownerOf({ message, messageId }: InHandMessage, options: ResolvedRedrive): LetterOwner | KeptLetter {
  const owner = whoseLetter(message, options);
  if ('kept' in owner) return owner;
  const { scope, key } = owner;
  return isWanted(options.filter, { messageId, scope, key, message }) ? owner : { kept: 'filtered' };
}

interface Queues {
  readonly queue: Queue;
  readonly letters: LetterQueue;
  readonly to: string;
}

function letterOf(
  inHand: InHandMessage,
  owner: LetterOwner | KeptLetter,
  { queue, letters, to }: Queues,
): Letter {
  if ('kept' in owner) return owner;
  const copy = copyOf(inHand.message, owner.identity);
  return {
    ...owner,
    hasRoom: fitsInQueue(copy.MessageBody, copy.MessageAttributes),
    isOurs: () => letters.isOurs(inHand),
    remove: () => letters.remove(inHand),
    async send(attempts) {
      // Once the record was tried again, the message of this id is used up.
      const address = addressOf(inHand.message, to, `${inHand.messageId}-${attempts}`);
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

/** How queues refuse a message for what it is. Any other error would meet the next letter too. */
const REFUSALS = /InvalidMessageContents|InvalidParameterValue|InvalidAttributeValue/;

function isRefusal(error: unknown): boolean {
  return isTooLong(error) || (isError(error) && REFUSALS.test(error.name));
}
