import type { SQSClient } from '@aws-sdk/client-sqs';
import type postgres from 'postgres';
import { built, type Comparable } from '../built.ts';
import { OK } from '../core/done.ts';
import { createEffects } from '../core/effects.ts';
import { createWork, type WorkName } from '../core/work.ts';
import { sqsConsumerPeer } from '../peers.ts';
import type { Poller } from './drain.ts';

export const OUR_WORKER = 'createSqsWorker';

const PER_POLLER = 10;
const BATCH_SIZE = 50;

export interface PollerOptions {
  readonly client: SQSClient;
  readonly endpoint: string;
  readonly sql: postgres.Sql;
  readonly work: WorkName;
  readonly concurrency: number;
}

type OwnOptions = Omit<PollerOptions, 'endpoint'> & {
  readonly name?: string;
  readonly schema?: string;
  /** Default: the package as it is now. */
  readonly build?: Pick<Comparable, 'core' | 'sqs'>;
};

/** Our worker, with all that it does to handle each message once. */
export async function ourPoller({ client, sql, work, concurrency, ...own }: OwnOptions): Promise<Poller> {
  const { name = OUR_WORKER, schema: databaseSchema, build = built } = own;
  const { createHandleOnce } = await build.core();
  const { createSqsWorker } = await build.sqs();
  const handleOnce = createHandleOnce({ sql, scope: 'bench', databaseSchema });
  return {
    name,
    work: await createWork(sql, work, `${name}, ${work}`),
    async start(queueUrl, handler) {
      const worker = createSqsWorker(
        {
          ...{ client, queueUrl, handleOnce, concurrency, waitTimeSeconds: 1 },
          onFailed: 'keep',
          // Those of the emulator are shorter than the records are kept, which says nothing here.
          onEvent: (event) => {
            if (event.type === 'queue-error') console.error(event);
          },
        },
        handler,
      );
      await worker.start();
      return { stop: () => worker.stop() };
    },
  };
}

/** Our worker with a batch handler: one transaction has the INSERT of a batch and the records of its messages. */
export async function ourBatchPoller({ client, sql, concurrency }: PollerOptions): Promise<Poller> {
  const { createHandleOnce } = await built.core();
  const { createSqsWorker } = await built.sqs();
  const handleOnce = createHandleOnce({ sql, scope: 'bench-batch' });
  const effects = await createEffects(sql, 'batches of a worker');
  return {
    name: `${OUR_WORKER}, one transaction for ${BATCH_SIZE}`,
    work: { ...effects, run: () => Promise.resolve(OK) },
    async start(queueUrl, handle) {
      const worker = createSqsWorker(
        {
          ...{ client, queueUrl, handleOnce, waitTimeSeconds: 1, onFailed: 'keep' },
          concurrency: Math.ceil(concurrency / BATCH_SIZE),
          inTransaction: true,
          batch: { size: BATCH_SIZE, waitMs: 10 },
        },
        async (payloads, _, tx) => {
          await effects.insertMany(tx, payloads.length);
          await Promise.all(payloads.map(handle));
        },
      );
      await worker.start();
      return { stop: () => worker.stop() };
    },
  };
}

/** A poller that knows nothing of duplicates, with as many messages in flight. */
export async function barePoller(
  { endpoint, sql, work, concurrency }: PollerOptions,
  deletes: 'in batches' | 'one by one',
): Promise<Poller> {
  const { startConsumers } = await sqsConsumerPeer();
  const name = `sqs-consumer, deletes ${deletes}`;
  return {
    name,
    work: await createWork(sql, work, `${name}, ${work}`),
    start: (queueUrl, handle) => {
      const pollers = concurrency / PER_POLLER;
      return Promise.resolve(startConsumers({ endpoint, queueUrl, pollers, deletes, handle }));
    },
  };
}
