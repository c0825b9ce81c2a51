import type { SQSClient } from '@aws-sdk/client-sqs';
import { type Attempt, createHandleOnce } from 'handle-once';
import { createSqsWorker, onceEachConsumerMessage } from 'handle-once/sqs';
import postgres from 'postgres';
import { Consumer } from 'sqs-consumer';
import { createSqsClient } from '../../support/sqs-client.ts';
import type { CrashPoint, WorkerSettings } from './settings.ts';

/** A worker process that kills itself at one point of a message's way. Its settings are its only argument. */
const settings = JSON.parse(process.argv[2] ?? '{}') as WorkerSettings;
const { receiver, endpoint, queueUrl, databaseUrl, scope, crashAt, leaseMs, maxDeaths } = settings;

function at(point: CrashPoint): void {
  if (point === crashAt) process.kill(process.pid, 'SIGKILL');
}

const sql = postgres(databaseUrl);
const realClient = createSqsClient(endpoint);
const client = {
  send: (command: object, ...rest: []) => {
    if (command.constructor.name.startsWith('DeleteMessage')) at('before-delete');
    return realClient.send(command as never, ...rest);
  },
} as unknown as SQSClient;

const handleOnce = createHandleOnce({
  sql,
  scope,
  leaseMs,
  maxDeaths,
  onEvent: ({ type }) => {
    if (type === 'claimed' || type === 'taken-over') at('after-claim');
    if (type === 'succeeded') at('after-settle');
  },
});

async function handler(_: unknown, attempt: Attempt): Promise<void> {
  at('in-handler');
  const { key, number } = attempt;
  const effectKey = attempt.childKey('effect');
  await sql.begin(async (transaction) => {
    await transaction`insert into plain_effects (scope, key, attempt) values (${scope}, ${key}, ${number})`;
    await transaction`
      insert into keyed_effects (scope, key, effect_key) values (${scope}, ${key}, ${effectKey})
      on conflict (effect_key) do nothing`;
  });
  at('after-effect');
}

if (receiver === 'sqs-consumer') {
  const consumerOptions = { queueUrl, sqs: client, waitTimeSeconds: 1 };
  const consumer = Consumer.create(
    onceEachConsumerMessage({ consumerOptions, handleOnce, onFailed: 'acknowledge' }, handler),
  );
  consumer.on('message_received', () => {
    at('before-claim');
  });
  consumer.start();
} else {
  const worker = createSqsWorker(
    {
      client,
      queueUrl,
      handleOnce,
      concurrency: 1,
      waitTimeSeconds: 0,
      onFailed: 'acknowledge',
      onEvent: ({ type }) => {
        if (type === 'received') at('before-claim');
      },
    },
    handler,
  );
  await worker.start();
}
