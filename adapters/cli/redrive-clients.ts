import { HandleOnceError } from '../../src/index.ts';
import type { RedriveTopicOptions } from '../kafka/index.ts';
import type { RedriveQueueOptions, RedriveReport } from '../sqs/index.ts';
import type { ConfigModule } from './config.ts';
import { BrokerError, UsageError } from './errors.ts';
import { inOneLine } from './one-line.ts';
import { SQS_FIX, sqsSdk } from './sqs-sdk.ts';

type Client = RedriveQueueOptions['client'];

/** With the `sqs` of the module `--config`, or a client of the project's own SDK, with its usual environment. */
export async function redriveQueueWith(
  { sqs, key }: ConfigModule,
  options: Omit<RedriveQueueOptions, 'client' | 'key'>,
): Promise<RedriveReport> {
  const client = sqs ?? (await sdkClient());
  if (client === undefined) {
    throw new UsageError(
      'no SQS client is there: run npm install @aws-sdk/client-sqs, or give a --config that exports sqs',
    );
  }
  // Not before: the adapter needs the SDK, which no other command does.
  const { redriveQueue } = await import('../sqs/index.ts');
  try {
    return await redriveQueue({ ...options, client, key });
  } catch (cause) {
    // Of the database, or of an option: it says itself what to do.
    if (cause instanceof HandleOnceError) throw cause;
    throw new BrokerError(`the redrive stopped (${inOneLine(cause)}): where SQS is the cause, ${SQS_FIX}`, {
      cause,
    });
  }
}

async function sdkClient(): Promise<Client | undefined> {
  const sdk = await sqsSdk<Client>();
  return sdk && new sdk.SQSClient({});
}

/** With the `kafka` of the module `--config`. */
export async function redriveTopicWith(
  { kafka }: ConfigModule,
  options: Omit<RedriveTopicOptions, 'kafka'>,
): Promise<RedriveReport> {
  if (kafka === undefined) {
    throw new UsageError(
      'for a topic a --config is needed that exports kafka: new Kafka({ brokers, ssl, sasl }) of kafkajs. ' +
        'A queue is named by its URL',
    );
  }
  const { redriveTopic } = await import('../kafka/index.ts');
  return await redriveTopic({ ...options, kafka });
}
