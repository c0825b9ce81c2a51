import { createHandleOnce } from 'handle-once';
import { createSqsWorker, type SqsClient } from 'handle-once/sqs';
import postgres from 'postgres';
import { createSqsClient } from '../../support/sqs-client.ts';
import type { CrashPoint, WorkerSettings } from './settings.ts';

/** A worker process that kills itself at one point of a message's way. Its settings are its only argument. */
const settings = JSON.parse(process.argv[2] ?? '{}') as WorkerSettings;
const { endpoint, queueUrl, databaseUrl, scope, crashAt, leaseMs, maxAttempts } = settings;

function at(point: CrashPoint): void {
  if (point === crashAt) process.kill(process.pid, 'SIGKILL');
}

const sql = postgres(databaseUrl);
const realClient = createSqsClient(endpoint);
const client: SqsClient = {
  send: ((command: object, ...rest: []) => {
    if (command.constructor.name === 'DeleteMessageBatchCommand') at('before-delete');
    return realClient.send(command as never, ...rest);
  }) as SqsClient['send'],
};

const worker = createSqsWorker({
  client,
  queueUrl,
  handleOnce: createHandleOnce({
    sql,
    scope,
    leaseMs,
    maxAttempts,
    onEvent: ({ type }) => {
      if (type === 'claimed' || type === 'taken-over') at('after-claim');
      if (type === 'succeeded') at('after-settle');
    },
  }),
  concurrency: 1,
  waitTimeSeconds: 0,
  handler: async (_, attempt) => {
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
  },
  onEvent: ({ type }) => {
    if (type === 'received') at('before-claim');
  },
});
await worker.start();
