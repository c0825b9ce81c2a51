import * as fc from 'fast-check';
import { createHandleOnce } from 'handle-once';
import { onceEachKafkaRecord, onceEachSqsRecord } from 'handle-once/lambda';
import { createMemoryStore } from 'handle-once/testing';
import { onceEachWebhook, webhookId } from 'handle-once/webhook';
import { describe, expect, test } from 'vitest';
import { readIdentity, writeIdentity } from '../../adapters/shared/sqs/copy-identity.ts';
import { deadLetterAttributes } from '../../adapters/shared/sqs/dead-letter-attributes.ts';
import { queueFacts } from '../../adapters/shared/sqs/queue-settings.ts';
import { ownerOf } from '../../adapters/kafka/redrive/owner-of.ts';
import { originalOf } from '../../adapters/shared/kafka/retry-copy.ts';
import { toReceivedMessage } from '../../adapters/sqs/message.ts';
import { createQueue, type EntryReply, type SqsClient } from '../../adapters/shared/sqs/queue.ts';
import { isPolluted, tellsSecret } from '../../proof/fuzz/leaks.ts';
import { fuzzed } from '../../proof/fuzz/settings.ts';
import { anyValue, type Later, made, SECRET, trickyText } from '../../proof/fuzz/values.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { ample, kafkaRecord, mskEvent, sqsEvent, sqsRecord } from '../lambda/support/events.ts';

/** What a broker, or a proxy before it, may answer: its own shapes with anything in them, or anything. */
function shaped(fields: Readonly<Record<string, unknown>>): fc.Arbitrary<Later<unknown>> {
  const members = Object.entries(fields).map(([name, usual]) => [
    name,
    fc.oneof({ weight: 2, arbitrary: fc.constant(() => usual) }, { weight: 1, arbitrary: anyValue }),
  ]);
  const model = Object.fromEntries(members) as Record<string, fc.Arbitrary<Later<unknown>>>;
  const shape = fc.record(model, { requiredKeys: [] });
  return fc.oneof(
    { weight: 3, arbitrary: shape.map((given) => () => made(given as Record<string, Later<unknown>>)) },
    anyValue,
  );
}

/** A list of such. */
function listOf(one: fc.Arbitrary<Later<unknown>>): fc.Arbitrary<Later<unknown[]>> {
  return fc.array(one, { maxLength: 3 }).map((list) => () => list.map((make) => make()));
}

/** What rejects with something that names no member of a payload. */
async function orDocumented<T>(call: () => T | Promise<T>, ...codes: string[]): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    expect(codes).toContain((error as { code?: unknown }).code);
    expect(tellsSecret(error)).toBe(false);
    return undefined;
  }
}

/** A clock on which nothing has to be waited for. */
const hasty: Clock = { ...systemClock, setTimer: (callback) => setTimeout(callback, 0) };

// oxlint-disable-next-line no-control-regex -- these are what XML lacks
const ACCEPTED = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]{1,1000}$/;

const QUEUE = 'http://localhost/queue';

function answering(reply: unknown): SqsClient {
  return { send: () => Promise.resolve(reply) };
}

describe('whatever SQS answers', () => {
  test('a message is deleted only where the reply says so', async () => {
    const entry = shaped({ Id: '0', Code: 'InternalError', SenderFault: true });
    const entries = fc.oneof(listOf(entry), anyValue);
    const lists = fc.record({ Successful: entries, Failed: entries }, { requiredKeys: [] });
    const replies = lists.map(
      (given): Later<unknown> =>
        () =>
          made(given),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(replies, anyValue), async (make) => {
        const reply = make();
        const queue = createQueue(answering(reply), QUEUE, hasty);
        const said: EntryReply | undefined = await queue.delete('receipt').catch(() => undefined);
        if (said?.done !== true) return;
        const { Successful } = reply as { Successful: { Id: unknown }[] };
        expect(Array.from(Successful, ({ Id }) => Number(Id))).toContain(0);
      }),
      fuzzed(300),
    );
  });

  test('what it calls messages are taken if they can be deleted, and refused otherwise', async () => {
    const message = shaped({ MessageId: 'id', ReceiptHandle: 'receipt', Body: SECRET, Attributes: {} });
    await fc.assert(
      fc.asyncProperty(message, async (given) => {
        const taken = await orDocumented(
          () => toReceivedMessage('subject', given() as object, 0),
          'INVALID_OPTIONS',
        );
        if (taken === undefined) return;
        expect([typeof taken.messageId, typeof taken.receiptHandle]).toEqual(['string', 'string']);
      }),
      fuzzed(500),
    );
  });

  test('attributes of a queue are numbers, or cannot be read', () => {
    const policy = fc.oneof(trickyText, fc.json(), fc.constant('{"maxReceiveCount":"5"}'));
    fc.assert(
      fc.property(fc.record({ VisibilityTimeout: trickyText, RedrivePolicy: policy }), (attributes) => {
        try {
          const { maxReceiveCount } = queueFacts(attributes);
          expect(Number.isNaN(maxReceiveCount)).toBe(false);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
      fuzzed(300),
    );
  });

  test('an identity is read only from the form in which it is written', () => {
    fc.assert(
      fc.property(fc.oneof(trickyText, fc.json()), trickyText, trickyText, (text, scope, key) => {
        const read = readIdentity(text);
        if (read !== undefined) expect(readIdentity(writeIdentity(read))).toEqual(read);
        expect(readIdentity(writeIdentity({ scope, key }))).toEqual({ scope, key });
      }),
      fuzzed(300),
    );
  });

  test('a dead letter has attributes that SQS takes', () => {
    const attribute = fc.constant({ DataType: 'String', StringValue: 'own' });
    const own = fc.dictionary(trickyText, attribute, { maxKeys: 10 });
    fc.assert(
      fc.property(
        trickyText,
        own,
        trickyText,
        trickyText,
        fc.nat(20),
        (body, original, key, errorText, attempts) => {
          const facts = { scope: 'billing', key, attempts, errorText, reason: 'failed' as const };
          const { attributes } = deadLetterAttributes(body, original, facts as never);
          expect(Object.keys(attributes).length).toBeLessThanOrEqual(10);
          for (const name of ['HandleOnceKey', 'HandleOnceError']) {
            const value = attributes[name];
            if (value === undefined || name in original) continue;
            expect(value.StringValue).toMatch(ACCEPTED);
          }
        },
      ),
      fuzzed(300),
    );
  });
});

describe('whatever headers a Kafka message has', () => {
  const header = fc.oneof(
    trickyText.map((text) => Buffer.from(text)),
    trickyText,
    fc.array(trickyText, { maxLength: 2 }),
    fc.constantFrom(Buffer.from('0'), Buffer.from('orders'), 'workers', 'billing>kafka:workers', undefined),
  );
  const names = ['topic', 'partition', 'offset', 'timestamp', 'group', 'scope', 'key', 'attempts'];
  const name = fc.constantFrom(...names.flatMap((one) => [`handle-once-${one}`, `handle-once-retry-${one}`]));
  const message = fc
    .dictionary(fc.oneof({ weight: 5, arbitrary: name }, trickyText), header)
    .map((headers) => ({ key: null, value: null, timestamp: '0', attributes: 0, offset: '0', headers }));

  test('it is a copy only of a place that Kafka can have', () => {
    fc.assert(
      fc.property(message, (copy) => {
        const original = originalOf(copy, 'workers');
        if (original === undefined) return;
        expect(original.topic).toMatch(/^[\w.-]{1,249}$/);
        expect(Number.isSafeInteger(original.partition)).toBe(true);
        expect(String(BigInt(original.message.offset))).toBe(original.message.offset);
        expect(isPolluted()).toBe(false);
      }),
      fuzzed(500),
    );
  });

  test('a dead letter is of a record, or is kept for a reason', () => {
    fc.assert(
      fc.property(message, fc.option(trickyText, { nil: undefined }), (deadLetter, scope) => {
        const owner = ownerOf(deadLetter, scope);
        if ('kept' in owner) expect(['refused', 'no-identity', 'other-scope']).toContain(owner.kept);
        else expect([typeof owner.scope, typeof owner.key]).toEqual(['string', 'string']);
      }),
      fuzzed(500),
    );
  });
});

describe('whatever Lambda is called with', () => {
  const handleOnce = createHandleOnce({
    store: createMemoryStore(),
    scope: 'lambda',
    onEvent: () => undefined,
    backoff: { baseMs: 0, maxMs: 0 },
  });

  test('an SQS event is answered with messages of its own, or refused', async () => {
    const handler = onceEachSqsRecord({ handleOnce, onEvent: () => undefined }, () => undefined);
    const record = shaped({ ...sqsRecord('id', SECRET) });
    const event = fc.oneof(
      listOf(record).map((list) => () => sqsEvent(...(list() as never[]))),
      anyValue,
    );
    await fc.assert(
      fc.asyncProperty(event, async (given) => {
        const answer = await orDocumented(() => handler(given() as never, ample()), 'INVALID_OPTIONS');
        const failures = answer?.batchItemFailures ?? [];
        for (const { itemIdentifier } of failures) expect(typeof itemIdentifier).toBe('string');
        expect(isPolluted()).toBe(false);
      }),
      fuzzed(300),
    );
  });

  test('a Kafka event is answered, refused, or delivered again', async () => {
    const options = {
      handleOnce,
      groupId: 'workers',
      onFailed: 'acknowledge',
      onEvent: () => undefined,
    } as const;
    const handler = onceEachKafkaRecord(options, () => undefined);
    const record = shaped({ ...kafkaRecord('orders', 0, 1, SECRET) });
    const records = fc.dictionary(fc.oneof(fc.constant('orders-0'), trickyText), listOf(record));
    const event = fc.oneof(
      records.map((given) => () => ({ ...mskEvent(), records: made(given) })),
      anyValue,
    );
    await fc.assert(
      fc.asyncProperty(event, async (given) => {
        await orDocumented(() => handler(given() as never, ample()), 'INVALID_OPTIONS', 'RECORDS_KEPT');
        expect(isPolluted()).toBe(false);
      }),
      fuzzed(300),
    );
  });
});

describe('whatever is sent as a webhook', () => {
  const name = fc.oneof(fc.constantFrom('x-github-delivery', 'webhook-id', 'svix-id'), trickyText);
  const given = fc.oneof(fc.dictionary(name, trickyText), fc.array(fc.tuple(trickyText, trickyText)));
  const headers = fc.oneof(
    given.map(
      (value): Later<unknown> =>
        () =>
          value,
    ),
    anyValue,
  );
  const text = fc.oneof(fc.constantFrom(SECRET, `{"id":"${SECRET}"}`), fc.json());
  const body = fc.oneof(
    text.map(
      (value): Later<unknown> =>
        () =>
          value,
    ),
    anyValue,
  );

  test('it is answered with a status, or refused as no delivery', async () => {
    const handleOnce = createHandleOnce({
      store: createMemoryStore(),
      scope: 'hooks',
      onEvent: () => undefined,
    });
    const source = { source: 'github', verify: 'already-verified', onEvent: () => undefined } as const;
    const handle = onceEachWebhook({ handleOnce, ...source }, () => undefined);
    await fc.assert(
      fc.asyncProperty(headers, body, async (givenHeaders, givenBody) => {
        const delivery = { headers: givenHeaders(), body: givenBody() } as Parameters<typeof handle>[0];
        const answered = await orDocumented(() => handle(delivery), 'INVALID_OPTIONS');
        if (answered !== undefined) expect([200, 400, 401, 422, 500, 503]).toContain(answered.answer.status);
        expect(isPolluted()).toBe(false);
      }),
      fuzzed(300),
    );
  });

  test('its id is found where the source has it, or is missing', async () => {
    await fc.assert(
      fc.asyncProperty(
        headers,
        body,
        fc.constantFrom('github', 'svix', 'stripe'),
        async (makeHeaders, makeBody, source) => {
          const delivery = { headers: makeHeaders(), body: makeBody() } as Parameters<typeof webhookId>[1];
          const id = await orDocumented(
            () => webhookId(source as 'github', delivery),
            'INVALID_OPTIONS',
            'MISSING_ID',
          );
          if (id !== undefined) expect(id.length).toBeGreaterThan(0);
        },
      ),
      fuzzed(300),
    );
  });
});
