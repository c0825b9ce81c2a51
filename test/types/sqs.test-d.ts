import {
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageCommandOutput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import {
  type StepAttempt,
  type Attempt,
  type BatchAttempt,
  type BatchHandler,
  createHandleOnce,
  type HandleOnce,
  type HandleOnceWithSchema,
  type MissingOption,
  type Outcome,
} from 'handle-once';
import {
  createSqsWorker,
  type HandledMessage,
  type SqsAttempt,
  type SqsEvent,
  onceEachSqsMessage,
} from 'handle-once/sqs';
import type { SqsClient } from '../../adapters/shared/sqs/queue.ts';
import { createFakeQueue } from 'handle-once/testing';
import postgres from 'postgres';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

declare const client: SQSClient;
declare const handleOnce: HandleOnce;
const base = { client, queueUrl: 'https://sqs.example/queue', handleOnce };
const order = z.object({ id: z.string(), amount: z.coerce.number() });

test('a worker takes the real client, and nothing that lacks its send', () => {
  expectTypeOf<SQSClient>().toExtend<SqsClient>();
  createSqsWorker({ ...base, client: new SQSClient() }, () => undefined);
  // @ts-expect-error -- a URL is no client
  createSqsWorker({ ...base, client: 'https://sqs.example' }, () => undefined);
});

test('a fake queue has a client for a worker, and for code that asks for a whole one', () => {
  const { client: fake, queueUrl } = createFakeQueue();
  expectTypeOf(fake).toExtend<SqsClient>();
  createSqsWorker({ ...base, client: fake, queueUrl }, () => undefined);
  const received = fake.send(new ReceiveMessageCommand({ QueueUrl: queueUrl }));
  expectTypeOf(received).resolves.toEqualTypeOf<ReceiveMessageCommandOutput>();
  const loop = (whole: SQSClient): Promise<unknown> =>
    whole.send(new ReceiveMessageCommand({ QueueUrl: queueUrl }));
  void loop(createFakeQueue<SQSClient>().client);
  expectTypeOf(fake).not.toExtend<SQSClient>();
  // @ts-expect-error -- no client
  createFakeQueue<string>();
});

test('a worker takes a handleOnce of either kind', () => {
  createSqsWorker({ ...base, handleOnce }, () => undefined);
  createSqsWorker(
    {
      ...base,
      handleOnce: {} as HandleOnceWithSchema<typeof order>,
    },
    () => undefined,
  );
});

test("a worker's handler gets unknown, unless the options say more", () => {
  createSqsWorker(
    {
      ...base,
    },
    (payload) => {
      expectTypeOf(payload).toBeUnknown();
    },
  );
});

test("a worker's handler gets the output of the schema", () => {
  createSqsWorker(
    {
      ...base,
      schema: order,
    },
    (payload) => {
      expectTypeOf(payload).toEqualTypeOf<{ id: string; amount: number }>();
    },
  );
});

test("a worker's handler gets what parse returns, awaited", () => {
  createSqsWorker(
    {
      ...base,
      parse: (body) => {
        expectTypeOf(body).toBeString();
        return Promise.resolve(new URL(body));
      },
    },
    (payload) => {
      expectTypeOf(payload).toEqualTypeOf<URL>();
    },
  );
});

test('a schema has the last word over parse', () => {
  createSqsWorker(
    {
      ...base,
      parse: (body) => body.split(','),
      schema: order,
    },
    (payload) => {
      expectTypeOf(payload).toEqualTypeOf<{ id: string; amount: number }>();
    },
  );
});

test('a handler may be async, and return anything', () => {
  createSqsWorker({ ...base }, async () => Promise.resolve({ charged: true }));
  createSqsWorker({ ...base }, () => 1);
});

test('an attempt has the message', () => {
  expectTypeOf<SqsAttempt>().toExtend<Attempt>();
  createSqsWorker(
    {
      ...base,
    },
    (_, attempt) => {
      expectTypeOf(attempt.message).toEqualTypeOf<Message>();
      expectTypeOf(attempt.signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(attempt.number).toBeNumber();
    },
  );
});

test('a key is made of the message', () => {
  createSqsWorker({ ...base, key: ({ MessageId }) => MessageId ?? '' }, () => undefined);
  // @ts-expect-error -- a key is a text
  createSqsWorker({ ...base, key: ({ Attributes }) => Attributes }, () => undefined);
});

test('a worker needs a handler', () => {
  // @ts-expect-error -- it is missing
  createSqsWorker(base);
});

test('onFailed is one of three', () => {
  const handler = () => undefined;
  createSqsWorker({ ...base, onFailed: 'keep' }, handler);
  createSqsWorker({ ...base, onFailed: { deadLetterQueueUrl: 'https://sqs.example/dead' } }, handler);
  // @ts-expect-error -- not one of them
  createSqsWorker({ ...base, onFailed: 'retry' }, handler);
});

test('an option that is undefined is one that is not given', () => {
  createSqsWorker(
    {
      ...base,
      ...{ schema: undefined, key: undefined, onFailed: undefined, inTransaction: undefined },
      ...{ visibilityTimeoutSeconds: undefined, concurrency: undefined, waitTimeSeconds: undefined },
      onEvent: undefined,
    },
    () => undefined,
  );
});

test('a wrapped handler gives the outcome with its result', () => {
  const handle = onceEachSqsMessage({ ...base, schema: order }, async ({ amount }) =>
    Promise.resolve({ amount }),
  );
  expectTypeOf(handle).parameter(0).toEqualTypeOf<Message>();
  expectTypeOf(handle).returns.resolves.toEqualTypeOf<HandledMessage<{ amount: number }>>();
  expectTypeOf<HandledMessage<number>['outcome']>().toEqualTypeOf<Outcome<number> | undefined>();
});

test('a wrapped handler gets the payload as a worker does', () => {
  onceEachSqsMessage(base, (payload) => {
    expectTypeOf(payload).toBeUnknown();
  });
  onceEachSqsMessage({ ...base, parse: Number }, (payload) => {
    expectTypeOf(payload).toBeNumber();
  });
});

test('events are a union on type', () => {
  createSqsWorker(
    {
      ...base,
      onEvent: (event) => {
        expectTypeOf(event).toEqualTypeOf<SqsEvent>();
        if (event.type === 'kept')
          expectTypeOf(event.visibleAfterSeconds).toEqualTypeOf<number | undefined>();
      },
    },
    () => undefined,
  );
});

test('with inTransaction a handler gets the client’s own transaction', () => {
  const transactional = createHandleOnce({ sql: postgres(''), scope: 'a' });
  createSqsWorker(
    {
      ...base,
      handleOnce: transactional,
      inTransaction: true,
      schema: order,
    },
    (payload, attempt, tx) => {
      expectTypeOf(payload).toEqualTypeOf<{ id: string; amount: number }>();
      expectTypeOf(attempt).toEqualTypeOf<SqsAttempt>();
      expectTypeOf(tx).toExtend<postgres.TransactionSql>();
    },
  );
  // @ts-expect-error -- without it there is no third argument
  createSqsWorker({ ...base }, (...given: [unknown, SqsAttempt, postgres.Sql]) => given.length);
});

test('a fingerprint function gets the body and the message', () => {
  createSqsWorker(
    {
      ...base,
      fingerprint: (body, message) => {
        expectTypeOf(body).toBeString();
        expectTypeOf(message).toEqualTypeOf<Message>();
      },
    },
    () => undefined,
  );
  onceEachSqsMessage({ ...base, fingerprint: (body) => body.length }, () => undefined);
  onceEachSqsMessage({ ...base, ignoredFields: ['/sentAt'], fingerprint: undefined }, () => undefined);
});

test('with batch a handler gets many payloads and attempts, which can fail', () => {
  createSqsWorker({ ...base, schema: order, batch: { size: 10 } }, (orders, attempts, tx) => {
    expectTypeOf(orders).toEqualTypeOf<readonly { id: string; amount: number }[]>();
    expectTypeOf(attempts).toEqualTypeOf<readonly BatchAttempt<SqsAttempt>[]>();
    expectTypeOf(tx).toEqualTypeOf<MissingOption<'inTransaction: true'>>();
    attempts[0]?.fail(new Error('bad'));
    return orders.map(({ id }) => id);
  });
  const typed: BatchHandler<{ id: string }> = ([first], [attempt]) => [first?.id, attempt?.fail('bad')];
  createSqsWorker({ ...base, schema: order, batch: { size: 10 } }, typed);
  createSqsWorker({ ...base, parse: (body) => new URL(body), batch: { size: 10, waitMs: 5 } }, (urls) => {
    expectTypeOf(urls).toEqualTypeOf<readonly URL[]>();
  });
  createSqsWorker({ ...base, batch: { size: 10 } }, async (payloads) => {
    expectTypeOf(payloads).toEqualTypeOf<readonly unknown[]>();
    await Promise.resolve();
  });
  createSqsWorker({ ...base, batch: undefined }, (payload, attempt) => {
    expectTypeOf(payload).toBeUnknown();
    expectTypeOf(attempt).toEqualTypeOf<StepAttempt<SqsAttempt>>();
  });
  // @ts-expect-error -- a handler of one message
  createSqsWorker({ ...base, schema: order, batch: { size: 10 } }, ({ id }: { id: string }) => id);
  // @ts-expect-error -- a handler of many messages
  createSqsWorker({ ...base, schema: order }, (orders: readonly { id: string }[]) => orders.length);
  // @ts-expect-error -- nothing was checked
  createSqsWorker({ ...base, batch: { size: 10 } }, (orders: readonly { id: string }[]) => orders.length);
  // @ts-expect-error -- neither nothing nor a list
  createSqsWorker({ ...base, batch: { size: 10 } }, (orders) => orders.length);
  // @ts-expect-error -- no size
  createSqsWorker({ ...base, batch: {} }, () => undefined);
  // @ts-expect-error -- of workers
  onceEachSqsMessage({ ...base, batch: { size: 10 } }, () => undefined);
});

test('with batch and inTransaction a handler gets the transaction of all', () => {
  const transactional = createHandleOnce({ sql: postgres(''), scope: 'a' });
  const options = { ...base, handleOnce: transactional, inTransaction: true, schema: order } as const;
  createSqsWorker({ ...options, batch: { size: 10 } }, (orders, attempts, tx) => {
    expectTypeOf(orders).toEqualTypeOf<readonly { id: string; amount: number }[]>();
    expectTypeOf(attempts).toEqualTypeOf<readonly SqsAttempt[]>();
    expectTypeOf(tx).toExtend<postgres.TransactionSql>();
  });
  const typed: BatchHandler<{ id: string }, [tx: postgres.TransactionSql]> = (orders, _, tx) => [orders, tx];
  createSqsWorker({ ...options, batch: { size: 10 } }, typed);
});
