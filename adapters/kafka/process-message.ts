import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  defaultParse,
  describeThrown,
  type EventSink,
  failureFacts,
  type FingerprintOptions,
  fingerprintOptionsFor,
  type Handle,
  type Handled,
  handleDelivery,
  identityOf,
  type LogKey,
  replayedState,
  thrownReason,
  validatePayload,
} from '../../src/adapter-kit.ts';
import type { HandleOnceSettings } from '../../src/index.ts';
import { deadLetterOf } from './dead-letter.ts';
import { type Disposition, dispositionOf, type OnFailed, type Withhold } from './disposition.ts';
import type { KafkaEvent } from './events.ts';
import type { KeyTrial } from './key-trial.ts';
import type { KafkaMessage } from './log-client.ts';
import type { AnyHandler, KafkaDelivery } from './options.ts';
import { produceCopy } from './produce.ts';
import type { RetryTopics, Tried } from './retry-topics.ts';
import type { WarnStuck } from './stuck.ts';

export interface Processor extends FingerprintOptions<Buffer | null, [message: KafkaMessage]> {
  readonly handle: Handle<unknown[]>;
  /** Those of the group's own scope. */
  readonly settings: HandleOnceSettings;
  readonly keyTrial: Pick<KeyTrial, 'hasWorked'>;
  readonly handler: AnyHandler;
  readonly key?: LogKey<KafkaMessage> | undefined;
  readonly parse?: ((value: Buffer | null, message: KafkaMessage) => unknown) | undefined;
  readonly schema?: StandardSchemaV1 | undefined;
  readonly onFailed: OnFailed;
  readonly retryTopics?: Pick<RetryTopics, 'originalOf' | 'handOver'> | undefined;
  readonly events: EventSink<KafkaEvent>;
  readonly warnStuck: WarnStuck;
}

/** A message in hand, with what its handler may do to its partition. */
export type Delivery = Omit<KafkaDelivery<unknown>, 'payload'>;

/** Whether the message is settled, so that its offset may be committed; if not, why and for how long. */
export type Verdict = 'settled' | 'not-started' | Pick<Withhold, 'reason' | 'retryAfterMs'>;

export interface Course {
  readonly signal: AbortSignal;
  /** Asked when the message is claimed. If it is not its turn, the claim is given back with its attempt. */
  readonly isItsTurn: () => Promise<boolean>;
  /** Called when the handler has returned, before that is on record. */
  readonly onReturned: () => void;
}

/** Handles one message and does what its outcome asks for. It never throws. */
export async function processMessage(
  processor: Processor,
  delivery: Delivery,
  course: Course,
): Promise<Verdict> {
  const { events, onFailed, retryTopics } = processor;
  const { topic, partition, message } = delivery;
  const original = { ...delivery, ...retryTopics?.originalOf(delivery) };
  const { key, handled, declined } = await handle(processor, original, course);
  if (declined) return 'not-started';
  const place = { topic, partition, offset: message.offset, key };
  const state = replayedState(handled);
  if (state !== undefined) events.emit({ type: 'replayed', ...place, state });
  const tried = { at: delivery, original, key, handled };
  const disposition = await deadLettered(
    processor,
    tried,
    await handedOver(processor, tried, course, dispositionOf(handled, onFailed)),
  );
  if (disposition.action === 'withhold') {
    const { reason, retryAfterMs } = disposition;
    const error = 'thrown' in handled ? { error: handled.thrown } : {};
    events.emit({ type: 'withheld', ...place, reason, ...error });
    if ((reason === 'mismatch' || reason === 'invalid-key') && 'thrown' in handled) {
      processor.warnStuck(topic, partition, message.offset, describeThrown(handled.thrown));
    }
    return { reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  events.emit({ type: 'settled', ...place });
  return 'settled';
}

interface Handling {
  readonly key: string;
  readonly handled: Handled<unknown>;
  /** Whether it was claimed and not run, since it was not its turn. */
  readonly declined: boolean;
}

async function handle(processor: Processor, delivery: Delivery, course: Course): Promise<Handling> {
  const { topic, partition, message } = delivery;
  let declined = false;
  const identity = identityOf(topic, partition, message, processor.key);
  const answer = await handleDelivery(identity.key, (key) =>
    processor.handle({
      ...fingerprintOptionsFor(processor, message),
      key,
      content: identity.content(),
      signal: course.signal,
      async mayStart() {
        declined = !(await course.isItsTurn());
        return !declined;
      },
      async work(attempt, ...extra) {
        const payload = await payloadOf(processor, message);
        const given = { ...delivery, payload: payload as never };
        const result = await processor.handler(given, attempt, ...(extra as never[]));
        course.onReturned();
        return result;
      },
    }),
  );
  return { ...answer, declined };
}

function payloadOf(processor: Processor, message: KafkaMessage): Promise<unknown> {
  const { settings, schema, parse = defaultParse(schema) } = processor;
  const read = () => parse(message.value, message);
  return validatePayload(message.value, read, schema ?? settings.schema);
}

/** Lets a message wait for its next attempt in a retry topic, where there is one for it. */
async function handedOver(
  { retryTopics }: Processor,
  tried: Tried,
  { signal }: Course,
  disposition: Disposition,
): Promise<Disposition> {
  // What was interrupted has no backoff: it runs again where it stands.
  if (retryTopics === undefined || signal.aborted) return disposition;
  return retryTopics.handOver(tried, disposition);
}

/** Produces the dead letter that a disposition asks for: then the message is settled, or else withheld. */
async function deadLettered(
  { settings, events, keyTrial }: Processor,
  { at, original, key, handled }: Tried,
  disposition: Disposition,
): Promise<Exclude<Disposition, { action: 'dead-letter' }>> {
  if (disposition.action !== 'dead-letter') return disposition;
  const isKeyless = 'thrown' in handled && thrownReason(handled.thrown) === 'invalid-key';
  if (isKeyless && !keyTrial.hasWorked()) return { action: 'withhold', reason: 'invalid-key' };
  const { deadLetterTopic, producer } = disposition;
  const { topic, partition, message } = original;
  const facts = { topic, partition, key, scope: settings.scope, ...failureFacts(handled) };
  const place = { topic: at.topic, partition: at.partition, offset: at.message.offset, key };
  try {
    await produceCopy(producer, deadLetterTopic, deadLetterOf(message, facts));
  } catch (error) {
    events.emit({ type: 'dead-letter-error', ...place, deadLetterTopic, error });
    return { action: 'withhold', reason: 'dead-letter-refused' };
  }
  events.emit({ type: 'dead-lettered', ...place, deadLetterTopic });
  return { action: 'commit' };
}
