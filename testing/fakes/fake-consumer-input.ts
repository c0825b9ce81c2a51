import * as z from 'zod/mini';
import type { InvalidOptionsError } from '../../src/words/errors.ts';
import { lazily } from '../../src/lib/lazily.ts';
import { callback, flag, NOT_AN_OBJECT, parseOptions, satisfying } from '../../src/options/parse-options.ts';

const isContent = (value: unknown): boolean => typeof value === 'string' || Buffer.isBuffer(value);
const contentOrNull = (value: unknown): boolean => value === null || isContent(value);
const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isOffset = (value: unknown): boolean => typeof value === 'string' && /^\d+$/.test(value);
const isMetadata = (value: unknown): boolean => value === null || typeof value === 'string';

const content = lazily(() => satisfying(isContent, 'a string or a Buffer'));
const topicName = lazily(() => satisfying(isName, 'the name of a topic'));

const WITH_TOPIC = { error: 'must be an object with a topic' };
const A_LIST = { error: 'must be a list of objects' };

const partitionNumber = lazily(() => z.int({ error: 'must be a whole number' }));

const position = lazily(() =>
  z.looseObject(
    {
      topic: topicName(),
      partition: partitionNumber(),
      offset: satisfying(isOffset, 'a whole number from 0, as a string'),
      metadata: z.optional(satisfying(isMetadata, 'a string or null')),
    },
    WITH_TOPIC,
  ),
);

const partitions = lazily(() =>
  z.array(
    z.looseObject(
      {
        topic: topicName(),
        partitions: z.optional(z.array(partitionNumber(), { error: 'must be a list of numbers' })),
      },
      WITH_TOPIC,
    ),
    A_LIST,
  ),
);

/** What the methods of a fake consumer take. What else kafkajs knows may be there. */
const inputs = lazily(() => ({
  produce: z.looseObject({
    topic: topicName(),
    message: z.looseObject(
      {
        key: z.optional(satisfying(contentOrNull, 'a string, a Buffer or null')),
        value: satisfying(contentOrNull, 'a string or a Buffer, or null for a tombstone'),
        headers: z.optional(z.record(z.string(), content(), { error: 'must be an object' })),
      },
      { error: 'must be an object with a value' },
    ),
  }),
  run: z.looseObject(
    {
      autoCommit: z.optional(flag()),
      eachBatchAutoResolve: z.optional(flag()),
      eachBatch: z.optional(callback('a function')),
      eachMessage: z.optional(callback('a function')),
    },
    NOT_AN_OBJECT,
  ),
  subscribe: z.looseObject({ fromBeginning: z.optional(flag()) }, NOT_AN_OBJECT),
  seek: position(),
  pause: partitions(),
  resume: partitions(),
  commitOffsets: z.array(position(), A_LIST),
}));

type Method = keyof ReturnType<typeof inputs>;

/** Throws `InvalidOptionsError` that names the field. */
export function checkInput(method: Method, given: unknown): void {
  parseOptions(`createFakeConsumer ${method}`, inputs()[method], given);
}

/** The same of a method that needs a group, which kafkajs refuses before `run` too. Throws as kafkajs does. */
export function checkAsKafkajs(method: Method, given: unknown, isRunning: boolean): void {
  try {
    checkInput(method, given);
  } catch (error) {
    throw nonRetriable((error as InvalidOptionsError).message);
  }
  if (!isRunning) throw nonRetriable(`createFakeConsumer ${method}: must come after run, and before stop`);
}

/** In the shape in which kafkajs has it, which need not be installed. */
export function nonRetriable(message: string): Error {
  return Object.assign(new Error(message), { name: 'KafkaJSNonRetriableError', retriable: false });
}
