import { parseOptions } from '../../../src/adapter-kit.ts';
import { createRedrive } from '../../operations/redrive/redrive.ts';
import type { RedriveReport } from '../../operations/redrive/redriver.ts';
import type { KafkaProducer } from '../log/kafkajs-types.ts';
import { produceCopy } from '../log/produce.ts';
import { connected } from './kafka-client.ts';
import {
  redriveTopicOptions,
  type RedrivenTopicDeadLetter,
  type RedriveTopicOptions,
  type TopicDeadLetter,
} from './options.ts';
import { readDeadLetters } from './read-dead-letters.ts';
import { type DeadLetterOwner, ownerOf } from './owner-of.ts';
import { isDenied, namingDenied } from './denied.ts';
import { createTopicCheck, isRefusal, requireTopic, type TopicCheck } from './topic-check.ts';

const SUBJECT = 'redriveTopic';

type Place = Pick<RedrivenTopicDeadLetter, 'partition' | 'offset'>;
type Facts = Pick<TopicDeadLetter, 'partition' | 'message'>;

/**
 * Produces the dead letters of a dead-letter topic to their source again, so that they run again. For each it retries
 * the record, produces a copy to all replicas, and then commits the offset after the dead letter. You can kill it at
 * any time: the next call continues. It stops at the end that the topic has when it starts.
 *
 * The copy has the headers of one in a retry topic, by which `onceEachKafkaMessage` of the same group finds the record:
 * a second copy does not run at the same time as the first, nor after it has succeeded. A dead letter whose record has
 * succeeded is skipped. A dead letter that is kept is tried again by the next call: `onDeadLetter` and the report say
 * why it was kept. Later dead letters that were sent are not tried again: the metadata of the committed offset lists
 * them. A dead letter is kept if its topic does not exist, or this client may not write to it.
 *
 * A dead letter without a record is kept as `ambiguous`: an earlier redrive may have sent it, and its record may have
 * expired since. `sendUnrecorded` sends it.
 *
 * It ends as `blocked` where another member of the group `groupId` has partitions with remaining dead letters: a
 * running redrive, one that was killed less than six seconds ago, or any other consumer of that group.
 *
 * Throws `InvalidOptionsError`, also where the brokers do not let the client read the dead letters, `StoreError`,
 * `SchemaError`, and what kafkajs throws. The error has no report: count in `onDeadLetter`.
 *
 * @example
 * ```ts
 * import { redriveTopic } from 'handle-once/kafka';
 *
 * const options = { kafka, sql, from: 'orders-failed' };
 * const planned = await redriveTopic({ ...options, dryRun: true, onDeadLetter: console.log });
 * if (planned.sent > 0) console.log(await redriveTopic({ ...options, perSecond: 10 }));
 * ```
 */
export async function redriveTopic(options: RedriveTopicOptions): Promise<RedriveReport> {
  const resolved = parseOptions(SUBJECT, redriveTopicOptions(), options);
  const {
    kafka,
    from,
    to,
    groupId = `handle-once-redrive-${from}`,
    scope,
    signal,
    dryRun,
    sendUnrecorded,
  } = resolved;
  const { take, isOver, report } = createRedrive<Place, Facts>(SUBJECT, resolved);
  return await connected(kafka.admin(), async (admin) => {
    const topics = createTopicCheck(admin);
    await requireTopic(topics, 'from', from);
    if (to !== undefined) await requireTopic(topics, 'to', to);
    return await connected(kafka.producer(), async (producer) => {
      const isBlocked = await readDeadLetters({
        ...{ kafka, admin, topic: from, groupId, commits: !dryRun, signal, isOver },
        async take({ partition, message, isOurs, hasRoom }) {
          const owner = ownerOf(message, scope);
          const deadLetter =
            'kept' in owner
              ? owner
              : {
                  ...(await ownedDeadLetter(owner, to ?? owner.topic, { producer, topics })),
                  mustStay: hasRoom ? undefined : ('too-many-kept' as const),
                  mayHaveBeenSent: !sendUnrecorded,
                  isOurs,
                };
          const place = { partition, offset: message.offset };
          const outcome = await take({ deadLetter, place, facts: { partition, message } });
          if (outcome === undefined) return 'untouched';
          return outcome.state === 'kept' ? 'kept' : 'passed';
        },
      }).catch((error: unknown) => {
        throw namingDenied(error, from, groupId);
      });
      return report(isBlocked);
    });
  });
}

interface Target {
  readonly producer: KafkaProducer;
  readonly topics: TopicCheck;
}

async function ownedDeadLetter(owner: DeadLetterOwner, topic: string, { producer, topics }: Target) {
  return {
    ...owner,
    unsendable: (await topics.look(topic)) === 'usable' ? undefined : ('send-refused' as const),
    async send() {
      try {
        await produceCopy(producer, topic, owner.copy);
        return true;
      } catch (error) {
        // The next of this topic is kept before its record is retried.
        if (isDenied(error, 'topic')) topics.deny(topic);
        else if (!isRefusal(error)) throw error;
        return false;
      }
    },
    // It is passed by the position that is committed.
    remove: () => Promise.resolve(),
  };
}
