import * as z from 'zod/mini';
import { lazily } from '../lib/lazily.ts';
import { callback, flag, NOT_AN_OBJECT, parseOptions, satisfying } from '../options/parse-options.ts';

const isContent = (value: unknown): boolean => typeof value === 'string' || Buffer.isBuffer(value);
const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isOffset = (value: unknown): boolean => typeof value === 'string' && /^\d+$/.test(value);

const content = lazily(() => satisfying(isContent, 'a text or a Buffer'));
const topicName = lazily(() => satisfying(isName, 'the name of a topic'));

const contentOrNull = (value: unknown): boolean => value === null || isContent(value);

/** What the methods of a fake consumer take. What else kafkajs knows may be there. */
const inputs = lazily(() => ({
  produce: z.looseObject({
    topic: topicName(),
    message: z.looseObject(
      {
        key: z.optional(satisfying(contentOrNull, 'a text, a Buffer or null')),
        value: satisfying(contentOrNull, 'a text or a Buffer, or null for a tombstone'),
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
  seek: z.looseObject(
    { topic: topicName(), offset: satisfying(isOffset, 'a whole number from 0, as text') },
    NOT_AN_OBJECT,
  ),
}));

/** Throws `InvalidOptionsError` that names the field. */
export function checkInput(method: keyof ReturnType<typeof inputs>, given: unknown): void {
  parseOptions(`createFakeConsumer ${method}`, inputs()[method], given);
}
