import { SendMessageCommand } from '@aws-sdk/client-sqs';
import postgres from 'postgres';
import { createHandleOnce, type HandleOnce, SchemaError } from 'handle-once';
import { onceEachRequest } from 'handle-once/http';
import { onceEachSqsRecord } from 'handle-once/lambda';
import { createSqsWorker, onceEachSqsMessage, onceEachConsumerMessage } from 'handle-once/sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { post } from '../http/support/bench.ts';
import { bench as kafkaBench } from '../kafka/support/bench.ts';
import { fakeBatch } from '../kafka/support/fake-batch.ts';
import { message } from '../kafka/support/messages.ts';
import { ample, sqsEvent, sqsRecord } from '../lambda/support/events.ts';
import { useDatabase, useEmptyDatabase } from '../support/database.ts';
import { createQueue, useSqs } from '../support/sqs.ts';
import { receiveNow } from '../support/sqs-receive.ts';
import { bench as webhookBench, githubDelivery } from '../webhook/support/bench.ts';
import { until } from '../support/until.ts';

const { sql } = useDatabase();
const empty = useEmptyDatabase();
const client = useSqs('fauxqs');
const handler = vi.fn();
const logger = { error: vi.fn(), warn: vi.fn() };
let queueUrl: string;

/** The codes of all that was logged. */
const logged = () => logger.error.mock.calls.map(([fields]) => (fields as { code: string }).code);

beforeAll(async () => {
  queueUrl = await createQueue(client);
});
beforeEach(() => {
  vi.clearAllMocks();
});

async function received() {
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: '1' }));
  const [first] = await receiveNow(client, queueUrl, 1);
  if (first === undefined) throw new Error('the queue gave no message');
  return first;
}

/** One delivery by each adapter that has no start. Each gives what it says of the message. */
const adapters: [string, expected: unknown, (handleOnce: HandleOnce) => Promise<unknown>][] = [
  [
    'onceEachSqsMessage',
    'kept',
    async (handleOnce) => {
      const handle = onceEachSqsMessage(
        { client, queueUrl, handleOnce, visibilityTimeoutSeconds: 60 },
        handler,
      );
      return (await handle(await received())).action;
    },
  ],
  [
    'onceEachConsumerMessage',
    {},
    async (handleOnce) => {
      const consumerOptions = { queueUrl, sqs: client };
      return onceEachConsumerMessage({ consumerOptions, handleOnce }, handler).handleMessage(
        await received(),
      );
    },
  ],
  [
    'onceEachKafkaMessage',
    'store-error',
    async (handleOnce) => {
      const bed = kafkaBench({ handleOnce, work: handler });
      const run = bed.run(fakeBatch([message(10)]));
      await until(() => run.state !== 'running');
      return bed.eventsOf('kept')[0]?.reason;
    },
  ],
  [
    'onceEachSqsRecord',
    { batchItemFailures: [{ itemIdentifier: 'a' }] },
    (handleOnce) => onceEachSqsRecord({ handleOnce }, handler)(sqsEvent(sqsRecord('a', '1')), ample()),
  ],
  [
    'onceEachWebhook',
    { status: 503 },
    async (handleOnce) => {
      const { handleWebhook } = webhookBench({ handleOnce, handler });
      return (await handleWebhook(githubDelivery('a'))).answer;
    },
  ],
  [
    'onceEachRequest',
    503,
    async (handleOnce) => {
      const send = onceEachRequest({ handleOnce, route: '/orders', principal: null }, handler);
      return (await send(post('a'))).status;
    },
  ],
];

describe('with tables of a newer version', () => {
  beforeAll(() => sql`insert into handle_once.migrations values (9999, 'newer')`);
  afterAll(() => sql`delete from handle_once.migrations where version = 9999`);

  it.each(adapters)('%s keeps the message, and says why', async (name, expected, deliver) => {
    expect(await deliver(createHandleOnce({ sql, scope: name, logger }))).toEqual(expected);
    expect(handler).not.toHaveBeenCalled();
    expect(logged()).toEqual(['SCHEMA_ERROR']);
  });

  it('a worker does not start', async () => {
    const handleOnce = createHandleOnce({ sql, scope: 'worker', logger });
    const worker = createSqsWorker({ client, queueUrl, handleOnce }, handler);
    await expect(worker.start()).rejects.toThrow(SchemaError);
    await expect(worker.start()).rejects.toThrow(/version 9999/);
  });
});

describe('without tables', () => {
  it.each(adapters)('%s keeps the message, and says why', async (name, expected, deliver) => {
    expect(await deliver(createHandleOnce({ sql: empty.sql, scope: name, logger }))).toEqual(expected);
    expect(logged()).toEqual(['SCHEMA_ERROR']);
  });

  it('a worker does not start', async () => {
    const handleOnce = createHandleOnce({ sql: empty.sql, scope: 'worker', logger });
    const worker = createSqsWorker({ client, queueUrl, handleOnce }, handler);
    await expect(worker.start()).rejects.toThrow(/run migrate\(sql\)/);
  });
});

it('with a database that is down a worker starts, and says so', async () => {
  const down = postgres('postgres://127.0.0.1:1/postgres', { connect_timeout: 2 });
  const handleOnce = createHandleOnce({ sql: down, scope: 'worker', logger });
  const worker = createSqsWorker({ client, queueUrl, handleOnce, waitTimeSeconds: 0 }, handler);
  await worker.start();
  expect(logged()).toContain('STORE_ERROR');
  await worker.stop({ drainMs: 0 });
  await down.end();
});

it('the tables are looked at once: not again for the next message', async () => {
  const handleOnce = createHandleOnce({ sql, scope: 'once', logger });
  const checkStore = vi.spyOn(handleOnce, 'checkStore');
  const handle = onceEachSqsRecord({ handleOnce }, handler);
  await handle(sqsEvent(sqsRecord('a', '1'), sqsRecord('b', '1')), ample());
  await handle(sqsEvent(sqsRecord('c', '1')), ample());
  expect(handler).toHaveBeenCalledTimes(3);
  expect(checkStore).toHaveBeenCalledTimes(1);
});

describe('the events of an adapter', () => {
  const anyKey = () => '';
  const deliver = async (options: object) => {
    const handleOnce = createHandleOnce({ sql, scope: 'events', logger });
    await onceEachSqsRecord({ handleOnce, key: anyKey, ...options }, handler)(
      sqsEvent(sqsRecord('a', '1')),
      ample(),
    );
  };

  it('go to the logger of its handleOnce', async () => {
    await deliver({});
    expect(logger.error.mock.calls).toEqual([
      [
        {
          code: 'INVALID_KEY',
          type: 'kept',
          itemIdentifier: 'a',
          key: '',
          reason: 'invalid-key',
          error: expect.objectContaining({ name: 'InvalidKeyError' }) as unknown,
        },
        expect.stringContaining('reason invalid-key'),
      ],
    ]);
  });

  it('go to a logger of its own', async () => {
    const own = { error: vi.fn(), warn: vi.fn() };
    await deliver({ logger: own });
    expect([logged(), own.error.mock.calls.length]).toEqual([[], 1]);
  });
});
