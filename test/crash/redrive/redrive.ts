import type { SQSClient } from '@aws-sdk/client-sqs';
import { redriveTopic } from 'handle-once/kafka';
import type { KafkaClients } from '../../../adapters/kafka/redrive/kafka-client.ts';
import { redriveQueue } from 'handle-once/sqs';
import postgres from 'postgres';
import { createKafkaClient } from '../../support/kafka-client.ts';
import { createSqsClient } from '../../support/sqs-client.ts';
import type { RedriveCrashPoint, RedriveSettings } from './settings.ts';

/** A redrive that kills itself at one point of its first dead letter's way. Its settings are its only argument. */
const settings = JSON.parse(process.argv[2] ?? '{}') as RedriveSettings;
const { broker, servers, databaseUrl, from, to, crashAt } = settings;

function at(point: RedriveCrashPoint): void {
  if (point === crashAt) process.kill(process.pid, 'SIGKILL');
}

function sqsClient(): SQSClient {
  const real = createSqsClient(servers);
  const send = async (command: object, ...rest: []): Promise<unknown> => {
    const name = command.constructor.name;
    if (name === 'SendMessageCommand') at('before-send');
    const reply: unknown = await real.send(command as never, ...rest);
    if (name === 'ReceiveMessageCommand') at('before-retry');
    if (name === 'SendMessageCommand') at('after-send');
    if (name === 'DeleteMessageBatchCommand') at('after-remove');
    return reply;
  };
  return { send } as unknown as SQSClient;
}

function kafkaClients(): KafkaClients {
  const kafka = createKafkaClient(servers.split(','));
  return {
    admin: () => kafka.admin(),
    producer() {
      const producer = kafka.producer();
      const send = producer.send.bind(producer);
      producer.send = async (record) => {
        at('before-send');
        const reply = await send(record);
        at('after-send');
        return reply;
      };
      return producer;
    },
    consumer(config) {
      const consumer = kafka.consumer(config);
      const commit = consumer.commitOffsets.bind(consumer);
      consumer.commitOffsets = async (positions) => {
        await commit(positions);
        at('after-remove');
      };
      return consumer;
    },
  };
}

const sql = postgres(databaseUrl);
if (broker === 'sqs') {
  await redriveQueue({ client: sqsClient(), sql, from, to, visibilityTimeoutSeconds: 1 });
} else {
  await redriveTopic({ kafka: kafkaClients(), sql, from, to });
}
await sql.end();
