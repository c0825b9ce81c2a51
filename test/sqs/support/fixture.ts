import {
  GetQueueAttributesCommand,
  type Message,
  type MessageAttributeValue,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { randomUUID } from 'node:crypto';
import { createHandleOnce, type HandleOnce, type HandleOnceOptions } from 'handle-once';
import {
  createSqsWorker,
  type SqsEvent,
  type SqsHandler,
  type SqsWorker,
  type SqsWorkerOptions,
} from 'handle-once/sqs';
import type postgres from 'postgres';
import { onTestFinished, vi } from 'vitest';
import { useDatabase } from '../../support/database.ts';
import { until } from '../../support/until.ts';
import { createQueue, type QueueOptions, type SqsServer, useSqs } from '../../support/sqs.ts';
import { receiveNow } from '../../support/sqs-receive.ts';

export const LEASE_MS = 900;
/** Long enough that a machine that is busy for a moment loses no message, short enough to wait for. */
export const VISIBILITY_SECONDS = 2;

export interface Sent {
  readonly group?: string;
  readonly attributes?: Record<string, MessageAttributeValue>;
}

type WorkerOptions = Partial<SqsWorkerOptions<undefined, unknown>> & {
  readonly handler: SqsHandler<unknown>;
};

/** A queue with a `handleOnce` of its own scope. */
export interface Setup {
  readonly queueUrl: string;
  readonly scope: string;
  readonly handleOnce: HandleOnce;
  /** All events of the workers started by `startWorker`, and of wrappers given `onEvent`. */
  readonly events: SqsEvent[];
  readonly onEvent: (event: SqsEvent) => void;
  eventsOf<Type extends SqsEvent['type']>(type: Type): Extract<SqsEvent, { type: Type }>[];
  send(body: string, sent?: Sent): Promise<string>;
  /** Receives until there is a message. */
  receive(): Promise<Message>;
  /** What another consumer would get now. */
  receiveNow(): Promise<Message[]>;
  size(): Promise<{ visible: number; invisible: number }>;
  /** Waits until the queue is empty, and its workers know it. */
  empty(): Promise<void>;
  /** Stopped when the test ends. Deletes failed messages, unless its options say otherwise. */
  worker(options: WorkerOptions): SqsWorker;
  startWorker(options: WorkerOptions): Promise<SqsWorker>;
}

export interface Fixture {
  readonly server: SqsServer;
  readonly client: SQSClient;
  readonly sql: postgres.Sql;
  readonly databaseUrl: string;
  readonly setup: (options?: QueueOptions, handleOnceOptions?: Partial<HandleOnceOptions>) => Promise<Setup>;
}

/** What a suite on one SQS server shares: a client and a database. */
export function useFixture(server: SqsServer): Fixture {
  const client = useSqs(server);
  const { sql, url: databaseUrl } = useDatabase();
  return {
    server,
    client,
    sql,
    databaseUrl,
    async setup(options, handleOnceOptions) {
      const queueUrl = await createQueue(client, {
        visibilityTimeoutSeconds: VISIBILITY_SECONDS,
        ...options,
      });
      return setupOf(client, sql, queueUrl, handleOnceOptions);
    },
  };
}

function setupOf(
  client: SQSClient,
  sql: postgres.Sql,
  queueUrl: string,
  handleOnceOptions: Partial<HandleOnceOptions> = {},
): Setup {
  const scope = handleOnceOptions.scope ?? `test-${randomUUID()}`;
  const store = handleOnceOptions.store === undefined ? { sql } : {};
  const backoff = { baseMs: 0, maxMs: 0 };
  const handleOnce = createHandleOnce({ ...store, scope, leaseMs: LEASE_MS, backoff, ...handleOnceOptions });
  const events: SqsEvent[] = [];
  const onEvent = (event: SqsEvent): void => {
    events.push(event);
  };
  const workers: SqsWorker[] = [];
  const worker: Setup['worker'] = ({ handler, ...options }) => {
    const given = {
      client,
      queueUrl,
      handleOnce,
      waitTimeSeconds: 0,
      onFailed: 'acknowledge',
      onEvent,
    } as const;
    const created: SqsWorker = createSqsWorker({ ...given, ...options }, handler);
    workers.push(created);
    onTestFinished(async () => {
      await created.stop({ drainMs: 0 });
    });
    return created;
  };
  const size: Setup['size'] = async () => {
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
    );
    return {
      visible: Number(Attributes?.ApproximateNumberOfMessages),
      invisible: Number(Attributes?.ApproximateNumberOfMessagesNotVisible),
    };
  };
  return {
    queueUrl,
    scope,
    handleOnce,
    events,
    onEvent,
    eventsOf: (type) => events.filter((event) => event.type === type) as never,
    async send(body, { group, attributes } = {}) {
      const command = new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        ...(attributes && { MessageAttributes: attributes }),
        ...(group !== undefined && { MessageGroupId: group }),
        ...(queueUrl.endsWith('.fifo') && { MessageDeduplicationId: randomUUID() }),
      });
      const { MessageId = '' } = await client.send(command);
      return MessageId;
    },
    receive: () => receiveFrom(client, queueUrl),
    receiveNow: () => receiveNow(client, queueUrl, 1),
    size,
    async empty() {
      await until(async () => Object.values(await size()).every((count) => count === 0));
      await until(() => workers.every(hasAnswers));
    },
    worker,
    async startWorker(options) {
      const started = worker(options);
      await started.start();
      return started;
    },
  };
}

/** What a worker counts, without its heartbeats: a machine that is busy for a moment makes more of them. */
export function countsOf(worker: SqsWorker): ReturnType<SqsWorker['counts']> {
  return Object.fromEntries(
    Object.entries(worker.counts()).filter(([type]) => type !== 'visibility-extended'),
  );
}

/** The queue is empty before the worker has the reply that says so. */
function hasAnswers(worker: SqsWorker): boolean {
  const { received = 0, acknowledged = 0, kept = 0, returned = 0 } = worker.counts();
  const { 'queue-error': refused = 0 } = worker.counts();
  return received <= acknowledged + kept + returned + refused;
}

function receiveFrom(client: SQSClient, queueUrl: string): Promise<Message> {
  return vi.waitFor(
    async () => {
      const [message] = await receiveNow(client, queueUrl, 1);
      if (message === undefined) throw new Error('no message is visible');
      return message;
    },
    { timeout: 10_000, interval: 50 },
  );
}
