import { parseOptions } from '../../../src/adapter-kit.ts';
import type { Letter } from '../../operations/redrive/letter.ts';
import { createRedrive } from '../../operations/redrive/redrive.ts';
import type { RedriveReport } from '../../operations/redrive/redriver.ts';
import { produceCopy } from '../log/produce.ts';
import { connected } from './kafka-client.ts';
import {
  redriveTopicOptions,
  type RedrivenTopicLetter,
  type RedriveTopicOptions,
  type TopicLetter,
} from './options.ts';
import { readLetters } from './read-letters.ts';
import { whoseLetter } from './whose-letter.ts';

type Place = Pick<RedrivenTopicLetter, 'partition' | 'offset'>;
type Facts = Pick<TopicLetter, 'partition' | 'message'>;

/**
 * Produces the letters of a dead-letter topic to their source again, so that they run again: of each it retries the
 * record, produces a copy to all replicas, and then commits the position behind the letter. Killed at any point it
 * loses nothing: the next call goes on. It reads up to where the topic ends when it starts.
 *
 * The copy has the headers of one in a retry topic, by which `onceEachKafkaMessage` of the same group finds the record:
 * a second copy does not run beside the first, nor after it has succeeded. A letter whose record has succeeded is
 * passed. One that is kept is taken again by the next call: `onLetter` and the report say why. Letters behind it that
 * were sent are not: the metadata of the committed offset tells them.
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
  const { kafka, from, to, groupId = `handle-once-redrive-${from}`, scope, signal, dryRun } = resolved;
  const { take, isOver, report } = createRedrive<Place, Facts>(resolved);
  await connected(kafka.producer(), (producer) =>
    readLetters({
      ...{ kafka, topic: from, groupId, commits: !dryRun, signal, isOver },
      async take({ partition, message, isOurs, hasRoom }) {
        const owner = whoseLetter(message, scope);
        const letter: Letter =
          'kept' in owner
            ? owner
            : {
                ...owner,
                hasRoom: true,
                mustStay: hasRoom ? undefined : 'too-many-kept',
                isOurs,
                async send() {
                  await produceCopy(producer, to ?? owner.topic, owner.copy);
                  return true;
                },
                // It is passed by the position that is committed.
                remove: () => Promise.resolve(),
              };
        const place = { partition, offset: message.offset };
        const outcome = await take({ letter, place, facts: { partition, message } });
        if (outcome === undefined) return 'untouched';
        return outcome.state === 'kept' ? 'kept' : 'passed';
      },
    }),
  );
  return report();
}
