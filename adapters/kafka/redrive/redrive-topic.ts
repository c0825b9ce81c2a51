import { parseOptions } from '../../../src/adapter-kit.ts';
import { createRedriver, type RedriveReport } from '../../operations/redrive/redriver.ts';
import { isWanted } from '../../operations/redrive/options.ts';
import type { KeptLetter, Letter } from '../../operations/redrive/letter.ts';
import { produceCopy } from '../log/produce.ts';
import { redriveTopicOptions, type RedriveTopicOptions, type ResolvedRedrive } from './options.ts';
import type { FetchedLetter } from './letter-taker.ts';
import { readLetters } from './read-letters.ts';
import { type LetterOwner, whoseLetter } from './whose-letter.ts';

/**
 * Produces the letters of a dead-letter topic to their source again, so that they run again: of each it reopens the
 * record, produces a copy to all replicas, and then commits the position behind the letter. Killed at any point it
 * loses nothing: the next call goes on. It reads up to where the topic ends when it starts.
 *
 * The copy has the headers of one in a retry topic, by which `onceEachMessage` of the same group finds the record: a
 * second copy does not run beside the first, nor after it has succeeded. A letter whose record has succeeded is passed.
 * One that is kept is taken again by the next call: `onLetter` and the report say why. Letters behind it that were sent
 * are not: the metadata of the committed offset tells them.
 *
 * Throws `InvalidOptionsError`, `StoreError`, `SchemaError`, and what kafkajs throws.
 *
 * @example
 * ```ts
 * import { redriveTopic } from 'handle-once/kafka';
 *
 * const options = { kafka, sql, from: 'orders-failed' };
 * const planned = await redriveTopic({ ...options, dryRun: true, onLetter: console.log });
 * if (planned.sent > 0) console.log(await redriveTopic({ ...options, perSecond: 10 }));
 * ```
 */
export async function redriveTopic(options: RedriveTopicOptions): Promise<RedriveReport> {
  const resolved = parseOptions('redriveTopic', redriveTopicOptions(), options);
  const { kafka, from, groupId = `handle-once-redrive-${from}`, signal, dryRun } = resolved;
  const redriver = createRedriver(resolved);
  const producer = kafka.producer();
  await producer.connect();

  async function take(fetched: FetchedLetter): Promise<'passed' | 'kept' | 'untouched'> {
    const owner = ownerOf(fetched, resolved);
    const outcome = await redriver.take(letterOf(owner, fetched.isOurs));
    if (outcome === undefined) return 'untouched';
    const { partition, message } = fetched;
    const record = 'kept' in owner ? {} : { scope: owner.scope, key: owner.key };
    resolved.onLetter?.({ partition, offset: message.offset, ...record, ...outcome });
    return outcome.state === 'kept' ? 'kept' : 'passed';
  }

  function letterOf(owner: LetterOwner | KeptLetter, isOurs: () => boolean): Letter {
    if ('kept' in owner) return owner;
    return {
      ...owner,
      hasRoom: true,
      isOurs,
      async send() {
        await produceCopy(producer, resolved.to ?? owner.topic, owner.copy);
        return true;
      },
      // It is passed by the position that is committed.
      remove: () => Promise.resolve(),
    };
  }

  try {
    const { isOver } = redriver;
    await readLetters({ kafka, topic: from, groupId, commits: !dryRun, signal, isOver, take });
  } finally {
    await producer.disconnect();
  }
  return redriver.report();
}

function ownerOf(
  { partition, message, hasRoom }: FetchedLetter,
  { scope: asked, filter }: ResolvedRedrive,
): LetterOwner | KeptLetter {
  const owner = whoseLetter(message, asked);
  if ('kept' in owner) return owner;
  const { scope, key } = owner;
  if (!isWanted(filter, { partition, scope, key, message })) return { kept: 'filtered' };
  return hasRoom ? owner : { kept: 'too-many-kept' };
}
