import type { Message } from '@aws-sdk/client-sqs';
import { createHandleOnce, type StepAttempt } from 'handle-once';
import { onceEachKafkaMessage } from 'handle-once/kafka';
import { createSqsWorker } from 'handle-once/sqs';
import postgres from 'postgres';
import { createKafkaClient } from '../../support/kafka-client.ts';
import { createSqsClient } from '../../support/sqs-client.ts';
import { type DieAt, EFFECTS, type EffectsSettings, type Queue, type Topic } from './settings.ts';

/** A worker process whose handler has three effects, and kills itself at one of them. */
const settings = JSON.parse(process.argv[2] ?? '') as EffectsSettings;
const { source, databaseUrl, scope, guard, dieAt } = settings;

const sql = postgres(databaseUrl);
const handleOnce = createHandleOnce({ sql, scope });

function at(point: string): void {
  if (point === (dieAt satisfies DieAt | undefined)) process.kill(process.pid, 'SIGKILL');
}

async function handler(_: unknown, attempt: StepAttempt): Promise<void> {
  for (const effect of EFFECTS) {
    /** The provider takes each call, and sees by its key whether it has had it. */
    const call = async (key: string | null): Promise<void> => {
      await sql`insert into calls (scope, effect, key) values (${scope}, ${effect}, ${key})`;
      at(`in-${effect}`);
    };
    if (guard === 'step') await attempt.step(effect, call);
    else await call(guard === 'childKey' ? attempt.childKey(effect) : null);
    at(`after-${effect}`);
  }
}

async function readQueue({ endpoint, queueUrl }: Queue): Promise<void> {
  const client = createSqsClient(endpoint);
  const key = ({ Body }: Message): string | undefined => Body;
  // The server would give the next message to a receive that waits when its worker dies.
  const options = { client, queueUrl, handleOnce, key, waitTimeSeconds: 0, onFailed: 'acknowledge' } as const;
  await createSqsWorker(options, handler).start();
}

async function readTopic({ brokers, topic, groupId }: Topic): Promise<void> {
  const consumer = createKafkaClient([...brokers]).consumer({
    ...{ groupId, sessionTimeout: 2_000, heartbeatInterval: 300, maxWaitTimeInMs: 100 },
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const options = { consumer, groupId, handleOnce, fromBeginning: true, onFailed: 'acknowledge' } as const;
  await consumer.run(onceEachKafkaMessage(options, (message, attempt) => handler(message, attempt)));
}

await (source.broker === 'sqs' ? readQueue(source) : readTopic(source));
